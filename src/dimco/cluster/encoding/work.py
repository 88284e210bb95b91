"""What is to be encoded, and how: a model's files and a collection, read as far as is needed to plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dimco.backbones.preprocessing import Preprocessing
from dimco.backbones.pretrained import PRETRAINED
from dimco.cluster.encoding.parquet_source import ParquetSource, parquet_files
from dimco.cluster.encoding.picture_source import PictureSource
from dimco.cluster.encoding.recipe import Recipe
from dimco.cluster.encoding.rows import Source
from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.spec import CodeSpec


@dataclass(frozen=True)
class Work:
    """A collection, and what gives its codes.

    Attributes
    ----------
    spec : CodeSpec
    recipe : Recipe
    source : Source
    """

    spec: CodeSpec
    recipe: Recipe
    source: Source

    @property
    def record(self) -> dict[str, Any]:
        """What tells it from other work, as JSON."""
        counts = {"items": self.source.items, "parts": len(self.source.sizes)}
        return {"code": str(self.spec), **self.recipe.record, **counts, "source": self.source.record}


def plan_work(
    model: Path,
    data: Path,
    *,
    features: Sequence[str] | None = None,
    ids: str | None = None,
    labels: str | None = None,
    backbone: str | None = None,
    weights: Path | None = None,
    skip_damaged: bool = False,
) -> Work:
    """Work that gives the codes of a collection.

    Parameters
    ----------
    model : Path
        A model file.
    data : Path
        A parquet file, a folder of them, or a folder with a sub-folder of pictures for each class.
    features, ids, labels
        Columns of parquet; see `ParquetSource`.
    backbone, weights : optional
        The network that gives the model's features of pictures; a model of pictures needs none.
    skip_damaged : bool, default=False
        Pass over pictures that cannot be read.
    """
    recipe = Recipe.of_files(model, backbone, weights)
    loaded = CodeModel.load(model)
    return Work(loaded.spec, recipe, _source(loaded, data, features, ids, labels, backbone, skip_damaged))


def _source(
    model: CodeModel,
    data: Path,
    features: Sequence[str] | None,
    ids: str | None,
    labels: str | None,
    backbone: str | None,
    skip_damaged: bool,
) -> Source:
    """Parquet where there is any, else pictures."""
    if parquet_files(data):
        if backbone is not None:
            raise InputError(f"expected pictures for --backbone to take; {data} is parquet")
        if skip_damaged:
            raise InputError(f"expected pictures, for --skip-damaged to pass over some; {data} is parquet")
        return ParquetSource(data, features, ids, labels, model.features)
    if features or ids or labels:
        raise InputError(f"expected parquet, whose columns are named; {data} holds none")
    return PictureSource(data, _preprocessing(model, backbone), skip_damaged)


def _preprocessing(model: CodeModel, backbone: str | None) -> Preprocessing:
    """What the first network does to a picture."""
    if backbone is not None:
        if backbone not in PRETRAINED:
            raise InputError(f"expected a pretrained backbone of {', '.join(PRETRAINED)}; got {backbone!r}")
        return PRETRAINED[backbone].preprocessing
    config = getattr(model.backbone, "config", None)
    record = config.get("preprocessing") if isinstance(config, dict) else None
    if record is None:
        raise InputError(
            "expected parquet, as this model takes no pictures; name the network that gives its features with "
            "--backbone and --weights"
        )
    return Preprocessing.from_record(record)
