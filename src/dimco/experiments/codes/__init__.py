"""Section 2.5 and figures 2 and 6 of the paper: what the symbols of a code mean."""
