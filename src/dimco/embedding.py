"""Embeddings of images: a streaming pass through a backbone, with never more than a batch in memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from dimco.datasets.image_folder import ImageFolder
from dimco.embedding_file import embedding_file
from dimco.errors import DamagedFileError, InputError

Precision = Literal["float16", "float32"]
OnImages = Callable[[int], None]
_Batch = tuple[Tensor | None, NDArray[np.int64], list[str]]


@dataclass(frozen=True)
class Embedding:
    """What a pass over a folder of images did.

    Attributes
    ----------
    items, features : int
        Rows written and their width.
    skipped : list of str
        A line for each image that could not be read.
    seconds : float
    """

    items: int
    features: int
    skipped: list[str]
    seconds: float


def embed_images(
    backbone: nn.Module,
    images: ImageFolder,
    output: str | Path,
    *,
    about: Mapping[str, Any] | None = None,
    batch_size: int = 64,
    device: torch.device | str = "cpu",
    dtype: Precision = "float16",
    workers: int = 0,
    skip_damaged: bool = False,
    on_images: OnImages | None = None,
) -> Embedding:
    """Write the features of images, in the folder's order, with their labels and classes.

    Parameters
    ----------
    backbone : nn.Module
        From pixels 0..255 of shape (N, 3, height, width) to (N, out_features).
    images : ImageFolder
        All images must come in one size: give the folder its `cut`.
    output : str or Path
        `E.npy` is written a batch at a time, with `E.labels.npy` and `E.json` beside it. `E.npz`, one file with
        `x`, `y` and `classes`, is held in memory until the end.
    about : mapping, optional
        What `E.json` says besides classes, items and type.
    batch_size : int, default=64
    device : torch.device or str
    dtype : {"float16", "float32"}
        Type of the rows.
    workers : int, default=0
        Processes that decode images; with 0 this one does.
    skip_damaged : bool, default=False
        Pass over an image that cannot be read, instead of stopping with its name.
    on_images : callable, optional
        Called after each batch with the number of images done.
    """
    if dtype not in get_args(Precision):
        raise InputError(f"expected float16 or float32 as dtype; got {dtype!r}")
    if batch_size < 1 or workers < 0:
        raise InputError(f"expected a batch of 1 or more and 0 or more workers; got {batch_size} and {workers}")
    width = getattr(backbone, "out_features", None)
    if width is None:
        raise InputError(f"expected a backbone with out_features, its width; {type(backbone).__name__} has none")
    start = time.perf_counter()
    backbone = backbone.to(device).eval()
    items, skipped = 0, []
    with embedding_file(output, width, dtype, {**(about or {}), "classes": images.classes}) as append:
        loader = DataLoader(
            _Attempts(images), batch_size, num_workers=workers, collate_fn=_collate, generator=torch.Generator()
        )
        for pixels, labels, failures in loader:
            if failures and not skip_damaged:
                raise DamagedFileError(failures[0])
            skipped += failures
            if pixels is not None:
                append(_features(backbone, pixels.to(device), dtype), labels)
                items += len(labels)
            if on_images is not None:
                on_images(items + len(skipped))
        if items == 0:
            raise DamagedFileError(f"expected an image that can be read in {images.root}; {skipped[0]}")
    return Embedding(items, width, skipped, time.perf_counter() - start)


def _features(backbone: nn.Module, pixels: Tensor, dtype: Precision) -> NDArray[Any]:
    with torch.inference_mode():
        rows: NDArray[Any] = backbone(pixels.float()).cpu().numpy()
    if not np.abs(rows).max() <= np.finfo(dtype).max:
        raise InputError(f"expected finite embeddings; the backbone gives NaN, infinity or too much for {dtype}")
    return rows.astype(dtype)


class _Attempts(Dataset[tuple[Tensor, int] | str]):
    """The items of a folder, or the line that says why one cannot be read; errors do not cross processes whole."""

    def __init__(self, images: ImageFolder) -> None:
        self._images = images

    def __len__(self) -> int:
        return len(self._images)

    def __getitem__(self, index: int) -> tuple[Tensor, int] | str:
        try:
            return self._images[index]
        except DamagedFileError as error:
            return str(error)


def _collate(attempts: list[tuple[Tensor, int] | str]) -> _Batch:
    failures = [attempt for attempt in attempts if isinstance(attempt, str)]
    items = [attempt for attempt in attempts if not isinstance(attempt, str)]
    sizes = {tuple(image.shape) for image, _ in items}
    if len(sizes) > 1:
        raise InputError(f"expected images of one size; got {sorted(sizes)[:2]}: give the folder a cut")
    pixels = torch.stack([image for image, _ in items]) if items else None
    return pixels, np.array([label for _, label in items], np.int64), failures
