"""Codes in the databases people already run: as sparse vectors whose inner product is the similarity (eq. 8)."""
