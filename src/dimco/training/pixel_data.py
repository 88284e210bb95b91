"""PixelData: images as bytes that stay on the device and are augmented there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.errors import InputError
from dimco.training.augmentation import Augmentation
from dimco.training.batches import Indices


class PixelData:
    """Pixels 0..255 with their class indices; a batch is gathered and augmented on the device.

    The bytes are moved to the device once, a byte a value: 38,400 images of 84 x 84 take 0.8 GB.

    Parameters
    ----------
    pixels : array or Tensor of shape (N, 3, height, width), uint8
    labels : ndarray of shape (N,), int64
    augmentation : Augmentation, optional
        Without it, batches are the pixels as they are.
    """

    def __init__(self, pixels: Any, labels: NDArray[np.int64], augmentation: Augmentation | None = None) -> None:
        if pixels.ndim != 4 or pixels.shape[1] != 3 or pixels.dtype not in (np.uint8, torch.uint8):
            raise InputError(
                f"expected pixels of shape (N, 3, height, width), uint8; got {pixels.dtype} of {tuple(pixels.shape)}"
            )
        if labels.shape != (len(pixels),):
            raise InputError(f"expected {len(pixels)} labels, one an item; got shape {labels.shape}")
        self.pixels, self.labels, self.augmentation = pixels, labels, augmentation
        self._moved: tuple[Tensor, Tensor] | None = None

    def batches(self, indices: Iterable[Indices], device: torch.device) -> Iterator[tuple[Tensor, Tensor]]:
        """See `TrainingData`."""
        for batch in indices:
            yield self.gather(torch.from_numpy(batch).to(device))

    def gather(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """See `DeviceData`."""
        pixels, labels = self._resident(places.device)
        chosen = pixels[places]
        return chosen.float() if self.augmentation is None else self.augmentation(chosen), labels[places]

    def _resident(self, device: torch.device) -> tuple[Tensor, Tensor]:
        if self._moved is None or self._moved[0].device != device:
            pixels = self.pixels
            if not isinstance(pixels, Tensor):
                pixels = torch.from_numpy(np.require(pixels, requirements=["C", "W"]))
            self._moved = pixels.to(device), torch.from_numpy(self.labels).to(device)
        return self._moved
