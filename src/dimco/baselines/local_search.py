"""Local-search quantization."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dimco.baselines.additive import AdditiveQuantizer

_TRAINING_ITEMS = 16_384
_PERTURBED = 4


class LocalSearchQuantizer(AdditiveQuantizer):
    """Local-search quantization (LSQ): codebooks learned together, codes improved by iterated local search.

    faiss's LocalSearchQuantizer with its own settings (25 rounds of training with 8 searches each, 16 searches
    to encode), trained on at most 16,384 items, drawn by the seed. A search changes 4 positions of a code, or
    all of them if there are fewer, then improves one position after another.

    Parameters
    ----------
    spec : CodeSpec
        k must be a power of two; any d. Time grows with d**2.
    seed : int, default=0
        Seed of the training items and of the search.

    Attributes
    ----------
    codebooks : Tensor of shape (d, k, features)
        What each symbol of each position adds to the decoded vector.

    Notes
    -----
    The search draws random changes for all rows of a call in turn, so a row may be given another code when it
    is encoded beside other rows. The same rows in the same order are given the same codes.

    References
    ----------
    Martinez, Clement, Hoos, Little, "Revisiting additive quantization", ECCV 2016; Martinez, Zakhmi, Hoos,
    Little, "LSQ++: lower running time and higher recall in multi-codebook quantization", ECCV 2018.

    Examples
    --------
    >>> from dimco.spec import CodeSpec
    >>> x = np.random.default_rng(0).normal(size=(100, 6))
    >>> quantizer = LocalSearchQuantizer(CodeSpec(k=4, d=3)).fit(x)
    >>> quantizer.decode(quantizer.encode(x)).shape
    torch.Size([100, 6])
    """

    name: ClassVar[str] = "lsq"

    def _train(self, faiss: Any, x: NDArray[np.float32]) -> Any:
        if len(x) > _TRAINING_ITEMS:
            x = x[np.random.default_rng(self.seed).permutation(len(x))[:_TRAINING_ITEMS]]
        trained = faiss.LocalSearchQuantizer(x.shape[1], self.spec.d, self.spec.bits_per_symbol)
        trained.nperts = min(_PERTURBED, self.spec.d)
        trained.random_seed = self.seed % 2**31
        trained.train(x)
        return trained
