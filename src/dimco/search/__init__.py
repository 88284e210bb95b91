"""Exact search of codes: the index, its filters, the scan kernels and the index file."""
