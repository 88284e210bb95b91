"""Section 3.2 of the paper: the gap between estimated and expected information, measured beside its bound."""
