"""Retrieval: how good the neighbours are that codes or embeddings find."""
