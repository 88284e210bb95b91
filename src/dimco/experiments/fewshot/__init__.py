"""Table 3 of the paper and its extension: classes never seen in training, told from one or five examples."""
