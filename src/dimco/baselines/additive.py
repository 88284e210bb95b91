"""What residual and local-search quantization share: an item is a sum of codewords."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.baselines.base import check_items, check_power_of_two, pieces, training_rows
from dimco.codes import Codes
from dimco.errors import InputError
from dimco.extras import require
from dimco.similarity import code_scores
from dimco.spec import CodeSpec


class AdditiveQuantizer(ABC):
    """A quantizer whose code stands for a sum of d codewords, each as wide as the item.

    The score is the negative squared distance between the query, kept in full, and the decoded vector:
    -|q|^2 + 2 sum_i <q, codebook[i, code_i]> - |decoded|^2. The last term is no sum of lookups by position;
    it is computed from the code when it is scored, so it is exact and takes no bits.

    Parameters
    ----------
    spec : CodeSpec
        k must be a power of two; any d.
    seed : int, default=0

    Attributes
    ----------
    features : int or None
        Width of the input, None before `fit`.
    codebooks : Tensor of shape (d, k, features)
    """

    name: ClassVar[str]
    codebooks: Tensor

    def __init__(self, spec: CodeSpec, seed: int = 0) -> None:
        check_power_of_two(spec.k, "additive quantization")
        self.spec = spec
        self.seed = seed
        self.features: int | None = None
        self._measured: tuple[Codes, Tensor] | None = None

    @property
    def bits(self) -> int:
        """Bits a stored item takes."""
        return self.spec.bits

    def check_width(self, features: int) -> None:  # noqa: B027
        """Items of any width can be given codes of any shape."""

    def fit(self, x: Any, y: Any = None) -> Self:
        """Learn the codebooks from the rows of `x`, (N, features); labels are taken and not used."""
        rows = training_rows(x)
        check_items(len(rows), self.spec.k)
        faiss = require("faiss")
        self._trained = self._train(faiss, rows.numpy())
        self._measured = None
        codebooks = torch.from_numpy(faiss.vector_to_array(self._trained.codebooks))
        self.codebooks = codebooks.reshape(self.spec.d, self.spec.k, -1)
        self.features = rows.shape[1]
        return self

    def encode(self, x: Any) -> Codes:
        """The codes of the rows of `x`; read in pieces, so `x` may be a memory-mapped array."""
        symbols = [self._symbols(piece) for piece in pieces(x, self.features, self.name)]
        return Codes(np.concatenate(symbols), self.spec)

    def decode(self, codes: Codes) -> Tensor:
        """The vectors that codes stand for, (N, features)."""
        return self._decoded(codes).t().float()

    def scores(self, queries: Any, codes: Codes) -> Tensor:
        """The score of each query against each code, (Q, N)."""
        if self._measured is None or self._measured[0] is not codes:
            self._measured = codes, self._decoded(codes).square().sum(0)
        lengths = self._measured[1]
        asked = torch.cat(list(pieces(queries, self.features, self.name))).double()
        tables = 2 * torch.einsum("qf,dkf->qdk", asked, self.codebooks.double())
        similarities = code_scores(tables, codes.unpack())
        return (similarities - asked.square().sum(1, keepdim=True) - lengths).float()

    @abstractmethod
    def _train(self, faiss: Any, x: NDArray[np.float32]) -> Any:
        """faiss's quantizer, trained on the rows."""

    def _decoded(self, codes: Codes) -> Tensor:
        """The decoded vectors in double precision, (features, N)."""
        if self.features is None:
            raise InputError(f"expected a fitted {self.name} quantizer; call fit first")
        if codes.spec != self.spec:
            raise InputError(f"expected codes of {self.spec}; got {codes.spec}")
        return code_scores(self.codebooks.double().permute(2, 0, 1), codes.unpack())

    def _symbols(self, rows: Tensor) -> NDArray[np.int64]:
        """The symbols, (N, d), of which faiss writes the bits one after another, the lowest first."""
        width = self.spec.bits_per_symbol
        stream = np.unpackbits(self._trained.compute_codes(rows.numpy()), axis=1, bitorder="little")
        bits = stream[:, : self.spec.bits].reshape(-1, width)
        symbols: NDArray[np.int64] = bits @ (1 << np.arange(width))
        return symbols.reshape(len(rows), self.spec.d)
