"""How fast codes are searched, beside what else people search with: one process, interleaved rounds."""
