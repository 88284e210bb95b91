"""The appendix's study of small training sets: from 1 to 64 images of each class."""
