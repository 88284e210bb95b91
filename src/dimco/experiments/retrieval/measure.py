"""What embeddings and codes of the test items find, the test set being query and database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.sign import SignQuantizer
from dimco.code_heads.product import product_code
from dimco.experiments.retrieval.parts import mixtures
from dimco.kmeans import nearest
from dimco.randomness import seeded
from dimco.retrieval.metrics import RANKS, normalized_mutual_information, retrieval_metrics
from dimco.similarity import code_scores
from dimco.spec import CodeSpec

_QUERIES_AT_ONCE = 256
_CELLS_AT_ONCE = 1 << 26
_HALF_BITS = 16

Found = dict[str, float]


def measure_scores(scores: Iterator[Tensor], labels: NDArray[np.int64], ranks: Sequence[int] = RANKS) -> Found:
    """Recall and MAP@R in percent, of the blocks of scores of all items with all items, each query left out."""
    recall, precision = retrieval_metrics(scores, labels, labels, ranks, np.arange(len(labels)))
    return {**{f"recall@{rank}": 100 * value for rank, value in recall.items()}, "map@r": 100 * precision}


def nmi(items: Tensor, labels: NDArray[np.int64], seed: int = 0) -> float:
    """NMI of k-means clusters of the items, in percent."""
    return 100 * normalized_mutual_information(items, labels, seed=seed)


def float_scores(z: Tensor, stored: Tensor | None = None) -> Iterator[Tensor]:
    """Minus the squared distance of every z to every stored vector, up to a constant of the query."""
    other = z if stored is None else stored
    halves = other.square().sum(1) / 2
    for block in z.split(_QUERIES_AT_ONCE):
        yield block @ other.t() - halves


def table_scores(log_probs: Tensor, symbols: Tensor) -> Iterator[Tensor]:
    """Eq. 8 of every item's tables (N, d, k) with every item's code (N, d)."""
    step = max(1, _CELLS_AT_ONCE // log_probs[0].numel())
    for block in log_probs.split(min(step, _QUERIES_AT_ONCE)):
        yield code_scores(block, symbols)


@torch.inference_mode()
def measure_part(part: Any, features: Tensor, labels: NDArray[np.int64], with_nmi: bool = True) -> list[dict[str, Any]]:
    """The floats that a part compares, and its codes, as records with `what`, k, d, bits and the metrics."""
    z = part.embed(features).float()
    floats: dict[str, Any] = {"part": part.name, "what": "floats", "k": None, "d": None, "bits": 32 * z.shape[1]}
    floats |= measure_scores(float_scores(z), labels)
    if with_nmi:
        floats["nmi"] = nmi(z, labels)
    spec = part.spec
    if spec is None:
        return [floats]
    code: dict[str, Any] = {"part": part.name, "what": "codes", "k": spec.k, "d": spec.d, "bits": spec.bits}
    if hasattr(part.head, "decode"):
        queries = part.head.embed(features).float()
        stored = part.head.decode(part.logits(features).argmax(-1))
        code |= measure_scores(float_scores(queries, stored), labels)
        clustered = F.normalize(stored, dim=1)
    else:
        tables = torch.cat([part.logits(rows).log_softmax(-1) for rows in features.split(1024)])
        code |= measure_scores(table_scores(tables, tables.argmax(-1)), labels)
        clustered = part.embed(features).float()
    if with_nmi:
        code["nmi"] = nmi(clustered, labels)
    return [floats, code]


@torch.inference_mode()
def measure_quantizers(
    part: Any, learned: Tensor, features: Tensor, labels: NDArray[np.int64], specs: Sequence[CodeSpec], seed: int
) -> list[dict[str, Any]]:
    """PQ, OPQ and signs of the part's floats, learned from the features of training items, at the bits of the specs.

    OPQ is also learned from mixtures of training items ("opq-mixed"). Where the bits of a spec are 16 for each float,
    floats of half precision take no more ("half").
    """
    z, asked = part.embed(learned).float(), part.embed(features).float()
    records = []
    for spec in specs:
        named = {"part": part.name, "k": spec.k, "d": spec.d, "bits": spec.bits}
        if z.shape[1] % spec.d == 0 and len(z) >= spec.k:
            with seeded(seed, "mixtures") as drawn:
                mixed = mixtures(z, drawn, 1)
            for what, rows in (("pq", z), ("opq", z), ("opq-mixed", mixed)):
                found = product_code(rows, spec, torch.Generator().manual_seed(seed), rotated=what != "pq")
                scores = float_scores(asked @ found.rotation, rebuilt(asked @ found.rotation, found.centroids))
                records.append({**named, "what": what, **measure_scores(scores, labels)})
        if spec.bits == _HALF_BITS * z.shape[1]:
            halves = measure_scores(float_scores(asked, asked.half().float()), labels)
            records.append({**named, "what": "half", "k": None, "d": None, **halves})
        signs = SignQuantizer(CodeSpec(2, spec.bits), seed).fit(z.cpu())
        projected = (asked - signs.mean.to(asked.device)) @ signs.axes.to(asked.device)
        scores = float_scores(projected, projected.sign())
        records.append({**named, "what": "sign", "k": 2, "d": spec.bits, **measure_scores(scores, labels)})
    return records


def rebuilt(z: Tensor, centroids: Tensor) -> Tensor:
    """z with each of its d parts replaced by the nearest centroid of (d, k, width / d)."""
    d, _, width = centroids.shape
    parts = z.view(len(z), d, width).transpose(0, 1).contiguous()
    symbols = nearest(parts, centroids)
    return centroids.gather(1, symbols[..., None].expand(-1, -1, width)).transpose(0, 1).reshape(len(z), -1)


def recall_at_1(records: Sequence[dict[str, Any]]) -> float:
    """The mean recall@1 of the codes, or of the floats where there are none: what epochs are chosen by."""
    codes = [record["recall@1"] for record in records if record["what"] == "codes"]
    chosen = codes or [record["recall@1"] for record in records]
    return float(sum(chosen) / len(chosen))
