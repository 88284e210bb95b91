"""The index file: one file, mapped and searched where it lies, that no interruption leaves in between."""
