"""What a network gives for every image of a set, kept on the device: log probabilities of a code, or embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

_IMAGES_AT_ONCE = 500


def all_outputs(
    network: nn.Module, pixels: NDArray[Any], device: torch.device, sharpness: float | None = None, half: bool = False
) -> Tensor:
    """The outputs of all images in evaluation mode, as float32 on the device.

    Parameters
    ----------
    network : nn.Module
        Takes pixels 0..255; already on the device. It is left in evaluation mode.
    pixels : ndarray of shape (N, 3, size, size), uint8
    device : torch.device
    sharpness : float, optional
        For codes: the factor on the logits; what comes is log p (N, d, k).
    half : bool, default=False
        bfloat16 inside the network, where the device is CUDA; for looks on the way, not for results.
    """
    network.eval()
    parts = []
    with torch.inference_mode(), torch.autocast("cuda", torch.bfloat16, enabled=half and device.type == "cuda"):
        for start in range(0, len(pixels), _IMAGES_AT_ONCE):
            images = torch.from_numpy(np.array(pixels[start : start + _IMAGES_AT_ONCE])).to(device).float()
            out = network(images).float()
            parts.append(out if sharpness is None else (sharpness * out).log_softmax(-1))
    return torch.cat(parts)
