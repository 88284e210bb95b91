"""Ridge regression as the last layer of each task."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from dimco.baselines.episodic.base import EpisodicLearner, memberships
from dimco.errors import InputError


class R2D2(EpisodicLearner):
    """Ridge regression from the support to its classes, solved in closed form within each task.

    With the support X (S, F) and its classes Y (S, ways), one-hot, the weights are W = X^T (X X^T + lambda I)^-1 Y,
    the Woodbury form, whose system has the size of the support and not of the features. The scores of queries Q are
    scale * Q W + bias, and lambda, scale and bias are trained.

    Parameters
    ----------
    shots : int, default=5
        Items of each class of a training batch that are its support.
    ways : int, optional
        Classes of a training batch; `dimco.training.train` tells it where it makes balanced batches.
    regularization : float, default=50.0
        The lambda to start from.
    scale : float, default=10.0
        The scale to start from.

    Notes
    -----
    The bias is one number for all classes, as in the paper: it says nothing about which class is likelier.

    References
    ----------
    Bertinetto, Henriques, Torr, Vedaldi, "Meta-learning with differentiable closed-form solvers", ICLR 2019.
    """

    def __init__(
        self, shots: int = 5, ways: int | None = None, regularization: float = 50.0, scale: float = 10.0
    ) -> None:
        super().__init__(shots, ways, regularization=regularization, scale=scale)
        for name, value in (("regularization", regularization), ("scale", scale)):
            if not 0 < value < math.inf:
                raise InputError(f"expected a {name} above 0; got {value}")
        self.log_regularization = nn.Parameter(torch.tensor(math.log(regularization)))
        self.scale = nn.Parameter(torch.tensor(float(scale)))
        self.bias = nn.Parameter(torch.zeros(()))

    def scores(self, support: Tensor, labels: Tensor, query: Tensor, ways: int) -> Tensor:
        """scale * Q W + bias, (E, Q, ways)."""
        targets = memberships(labels, ways, support).expand(len(support), -1, -1)
        transposed = support.transpose(-1, -2)
        identity = torch.eye(support.shape[1], dtype=support.dtype, device=support.device)
        system = support @ transposed + self.log_regularization.exp() * identity
        weights = _solved(system, targets)
        return self.scale * ((query @ transposed) @ weights) + self.bias


def _solved(system: Tensor, targets: Tensor) -> Tensor:
    """system^-1 targets for a positive definite system, without waiting for the device to report an error."""
    factor = torch.linalg.cholesky_ex(system, check_errors=False).L
    half = torch.linalg.solve_triangular(factor, targets, upper=False)
    solved: Tensor = torch.linalg.solve_triangular(factor.transpose(-1, -2), half, upper=True)
    return solved
