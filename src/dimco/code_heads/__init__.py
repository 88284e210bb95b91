"""The kinds of code heads, one file a kind; `dimco.heads` names them all."""
