"""Past one machine: encoding and searching on a Ray cluster."""
