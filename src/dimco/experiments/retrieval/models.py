"""The models of a training, for `dimco index` and `dimco search`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dimco.model import CodeModel

if TYPE_CHECKING:
    from dimco.experiments.retrieval.train import RetrievalRun


def save_models(run: RetrievalRun, folder: Path) -> list[Path]:
    """Write a model for each code of a run, named after data set, method, seed and code; embeddings have none."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for part in run.parts:
        if part.spec is not None:
            job = run.job
            model = CodeModel(run.backbone, part.head, {"training": job.as_record()})
            written.append(folder / f"{job.dataset}-{job.method}-{part.spec}-{job.seed}.safetensors")
            model.save(written[-1])
    return written
