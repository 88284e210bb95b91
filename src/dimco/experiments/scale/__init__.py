"""Collections past one machine: what they cost on paper, and how fast and how available they are by simulation."""
