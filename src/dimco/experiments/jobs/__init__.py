"""Training jobs: what is to be trained, in which order, by how many processes, and the file of what came out."""
