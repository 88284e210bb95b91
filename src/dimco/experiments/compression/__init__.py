"""The paper's section 5.2: embeddings compressed to codes, against every quantizer people use (tables 1 and 2)."""
