"""Table 4: image retrieval among classes unseen in training, on CUB-200-2011 and Cars-196."""
