"""Codes as a faiss IndexPQ with one-hot centroids, which finds the same neighbours.

Sub-quantizer i has the k unit vectors as its centroids. With a query's log probabilities as one long vector, the
inner product with the centroid of symbol s is log p_i[s], and faiss's sum over sub-quantizers is the similarity
(eq. 8), in float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dimco.errors import InputError
from dimco.extras import require
from dimco.spec import CodeSpec

IMPOSSIBLE = np.float32(-1e30)
_MOST_TABLE_BYTES = 1 << 30
_LEAST_BITS = 3  # with two centroids of two dimensions faiss cannot make its tables
_CHUNK_SYMBOLS = 1 << 22


def faiss_queries(log_probs: ArrayLike) -> NDArray[np.float32]:
    """Tables (d, k) or (Q, d, k) as query vectors (Q, d * k) for an exported index.

    faiss multiplies with zeros, which -inf does not survive: it becomes -1e30, so that codes of a symbol that cannot be
    come last as they should, with a score of about -1e30 for each such symbol. Other values are to be larger.
    """
    tables = np.asarray(log_probs, dtype=np.float32)
    if tables.ndim not in (2, 3):
        raise InputError(f"expected log probabilities of shape (d, k) or (Q, d, k); got {tables.shape}")
    *_, d, k = tables.shape
    return np.ascontiguousarray(np.maximum(tables, IMPOSSIBLE).reshape(-1, d * k))


def one_hot_pq(spec: CodeSpec, items: int = 0, nbits: int | None = None) -> Any:
    """An empty `faiss.IndexPQ` by inner product, its centroids in place; `add_symbols` fills it.

    Parameters
    ----------
    spec : CodeSpec
    items : int, default=0
        How many codes to make room for at once; a faiss index that grows takes up to three times its size.
    nbits : int, optional
        Bits a symbol, at least those of the code and at most 16; by default those of the code, 3 where k is 2.
    """
    faiss = require("faiss")
    width = nbits if nbits is not None else spec.bits_per_symbol if spec.k > 2 else _LEAST_BITS
    if not spec.bits_per_symbol <= width <= 16:
        raise InputError(f"expected {spec.bits_per_symbol} to 16 bits a symbol for {spec}; got {width}")
    centroids = 1 << width
    table_bytes = 4 * spec.d * centroids * spec.k
    if table_bytes > _MOST_TABLE_BYTES:
        raise InputError(
            f"expected a code whose one-hot centroids take at most {_MOST_TABLE_BYTES / 1e9:.1f} GB in faiss; those of "
            f"{spec} take {table_bytes / 1e9:.1f} GB: export to npy or parquet"
        )
    index = faiss.IndexPQ(spec.d * spec.k, spec.d, width, faiss.METRIC_INNER_PRODUCT)
    one_hot = np.zeros((spec.d, centroids, spec.k), np.float32)
    one_hot[:, np.arange(spec.k), np.arange(spec.k)] = 1
    faiss.copy_array_to_vector(one_hot.reshape(-1), index.pq.centroids)
    index.is_trained = True
    index.codes.resize(items * index.sa_code_size())
    index.codes.resize(0)
    return index


def add_symbols(index: Any, symbols: NDArray[Any], ids: NDArray[np.int64] | None = None) -> None:
    """Add codes, of shape (N, d), to an index of `one_hot_pq`, or with ids to an `IndexIDMap2` around one."""
    faiss = require("faiss")
    width = (index if ids is None else faiss.downcast_index(index.index)).pq.nbits
    rows = max(1, _CHUNK_SYMBOLS // symbols.shape[1])
    for start in range(0, len(symbols), rows):
        part = faiss.pack_bitstrings(symbols[start : start + rows].astype(np.int32), width)
        index.add_sa_codes(part, None if ids is None else ids[start : start + rows])
