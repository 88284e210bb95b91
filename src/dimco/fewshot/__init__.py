"""Few-shot classification by codes: episodes, rules for the support of a class, and `DimcoFewShot`."""
