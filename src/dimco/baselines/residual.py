"""Residual quantization."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dimco.baselines.additive import AdditiveQuantizer

_BEAM = 5


class ResidualQuantizer(AdditiveQuantizer):
    """Residual quantization (RQ): d stages, each of which quantizes what the stages before left over.

    faiss's ResidualQuantizer. Each stage is k-means of the residuals that the best codes so far leave; codes
    are searched with a beam of 5, faiss's default.

    Parameters
    ----------
    spec : CodeSpec
        k must be a power of two; any d.
    seed : int, default=0
        Seed of k-means.

    Attributes
    ----------
    codebooks : Tensor of shape (d, k, features)
        What each symbol of each stage adds to the decoded vector.

    Notes
    -----
    faiss by default trains a stage on the residuals of the whole beam (and not of its best entry) and by
    dimensions in steps; on embeddings both were slower and no better. Where the beam is wider than there are
    codewords, faiss returns the beam unsorted, so it is cut to their number.

    References
    ----------
    Chen, Guan, Wang, "Approximate nearest neighbor search by residual vector quantization", Sensors 2010.

    Examples
    --------
    >>> from dimco.spec import CodeSpec
    >>> x = np.random.default_rng(0).normal(size=(100, 6))
    >>> quantizer = ResidualQuantizer(CodeSpec(k=4, d=3)).fit(x)
    >>> quantizer.decode(quantizer.encode(x)).shape
    torch.Size([100, 6])
    """

    name: ClassVar[str] = "rq"

    def _train(self, faiss: Any, x: NDArray[np.float32]) -> Any:
        trained = faiss.ResidualQuantizer(x.shape[1], self.spec.d, self.spec.bits_per_symbol)
        trained.train_type = faiss.ResidualQuantizer.Train_top_beam
        trained.max_beam_size = min(_BEAM, self.spec.capacity)
        trained.cp.seed = self.seed % 2**31
        trained.cp.min_points_per_centroid = 1
        trained.train(x)
        return trained
