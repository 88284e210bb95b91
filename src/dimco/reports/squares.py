"""A code as small squares, one a position: filled where it agrees with another code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERED = 6  # so many squares or fewer are wide enough for a symbol each
_OWN, _SAME, _OTHER, _WHITE = (70, 70, 70), (0, 125, 88), (222, 222, 222), 255


def squares(code: NDArray[Any], agree: NDArray[np.bool_] | None, width: int) -> NDArray[np.uint8]:
    """Pixels of shape (height, width, 3): green where the code agrees, light where not; dark for a code of its own."""
    positions = len(code)
    across = positions if positions <= NUMBERED else next((n for n in (8, 16, 32) if n * n >= positions), 64)
    down = -(-positions // across)
    step = width // across
    high = min(step, 30)
    gap = 3 if step > 8 else 1 if step > 2 else 0
    pixels = np.full((down * high, width, 3), _WHITE, dtype=np.uint8)
    for position in range(positions):
        row, column = divmod(position, across)
        colour = _OWN if agree is None else _SAME if agree[position] else _OTHER
        left = column * width // across if positions <= NUMBERED else column * step
        pixels[row * high : (row + 1) * high - gap, left : left + step - gap] = colour
    return pixels
