"""The peers, one adapter each; every one answers the same number of queries over the same number of items."""

from dimco.experiments.search_bench.peers.base import Peer
from dimco.experiments.search_bench.peers.dimco_index import DimcoIndex
from dimco.experiments.search_bench.peers.faiss_fastscan import FaissFastScan, FaissFastScanRefined
from dimco.experiments.search_bench.peers.faiss_flat import FaissFlatIP, FaissFlatL2
from dimco.experiments.search_bench.peers.faiss_hnsw import FaissHNSW
from dimco.experiments.search_bench.peers.faiss_pq import FaissPQ, FaissPQByte
from dimco.experiments.search_bench.peers.numpy_gather import NumpyGather
from dimco.experiments.search_bench.peers.usearch_exact import UsearchExact

OURS = DimcoIndex.name
PEERS: dict[str, type[Peer]] = {
    peer.name: peer
    for peer in (
        FaissPQ,
        FaissPQByte,
        FaissFastScan,
        FaissFastScanRefined,
        FaissFlatL2,
        FaissFlatIP,
        FaissHNSW,
        UsearchExact,
        NumpyGather,
    )
}

__all__ = ["OURS", "PEERS", "DimcoIndex", "Peer"]
