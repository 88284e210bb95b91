"""The shape of a code: how many symbols, how many positions, how many bits."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from dimco.errors import InputError

MAX_K = 65_536
MAX_D = 4_096
_TEXT = re.compile(r"(\d+)x(\d+)")


@dataclass(frozen=True, slots=True)
class CodeSpec:
    """A k-way d-dimensional code; the paper writes it (p, d).

    Parameters
    ----------
    k : int
        Number of symbols at each position, 2 to 65,536.
    d : int
        Number of positions, 1 to 4,096.

    Examples
    --------
    >>> spec = CodeSpec.parse("16x4")
    >>> spec.bits, spec.capacity
    (16, 65536)
    >>> spec.ratio(64)
    128.0
    """

    k: int
    d: int

    def __post_init__(self) -> None:
        for name, value, low, high in (("k", self.k, 2, MAX_K), ("d", self.d, 1, MAX_D)):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise InputError(f"expected {name} to be an integer; got {value!r}")
            if not low <= value <= high:
                raise InputError(f"expected {name} from {low} to {high}; got {value}")
            object.__setattr__(self, name, int(value))

    @classmethod
    def parse(cls, text: str) -> CodeSpec:
        """Read "16x4": 16 symbols at each of 4 positions."""
        match = _TEXT.fullmatch(text.strip())
        if match is None:
            raise InputError(f'expected a code such as "16x4" (k x d); got {text!r}')
        return cls(int(match[1]), int(match[2]))

    @property
    def bits_per_symbol(self) -> int:
        """ceil(log2 k)."""
        return (self.k - 1).bit_length()

    @property
    def bits(self) -> int:
        """Bits an item takes when packed: d * ceil(log2 k)."""
        return self.d * self.bits_per_symbol

    @property
    def capacity(self) -> int:
        """Number of distinct codewords: k**d."""
        return int(self.k**self.d)

    @property
    def information_limit(self) -> float:
        """The most information a code can carry, in bits: d * log2 k."""
        return self.d * math.log2(self.k)

    @property
    def dtype(self) -> np.dtype[np.unsignedinteger]:
        """The smallest unsigned integer type that holds a symbol."""
        return np.dtype(np.uint8 if self.k <= 256 else np.uint16)

    def ratio(self, features: int, bits_per_feature: int = 32) -> float:
        """How many times smaller a code is than a vector of `features` numbers."""
        return features * bits_per_feature / self.bits

    def __str__(self) -> str:
        return f"{self.k}x{self.d}"
