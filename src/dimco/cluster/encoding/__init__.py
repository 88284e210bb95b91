"""Encoding large collections: parquet or pictures in, parquet of codes out, a part at a time."""
