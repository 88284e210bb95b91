"""What embeddings and codes of the test items find, the test set being query and database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dimco.retrieval.metrics import RANKS, normalized_mutual_information, retrieval_metrics
from dimco.similarity import code_scores

_QUERIES_AT_ONCE = 256
_CELLS_AT_ONCE = 1 << 26

Found = dict[str, float]


def measure_scores(scores: Iterator[Tensor], labels: Tensor, ranks: Sequence[int] = RANKS) -> Found:
    """Recall and MAP@R in percent, of the blocks of scores of all items with all items, each query left out."""
    own = torch.arange(len(labels))
    recall, precision = retrieval_metrics(scores, labels.cpu(), labels.cpu(), ranks, own)
    return {**{f"recall@{rank}": 100 * value for rank, value in recall.items()}, "map@r": 100 * precision}


def nmi(items: Tensor, labels: Tensor, seed: int = 0) -> float:
    """NMI of k-means clusters of the items, in percent."""
    return 100 * normalized_mutual_information(items, labels.cpu(), seed=seed)


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
def measure_part(part: Any, features: Tensor, labels: Tensor, with_nmi: bool = True) -> list[dict[str, Any]]:
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


def recall_at_1(records: Sequence[dict[str, Any]]) -> float:
    """The mean recall@1 of the codes, or of the floats where there are none: what epochs are chosen by."""
    codes = [record["recall@1"] for record in records if record["what"] == "codes"]
    chosen = codes or [record["recall@1"] for record in records]
    return float(sum(chosen) / len(chosen))
