"""The convolution that residual networks are built of."""

from __future__ import annotations

from torch import nn


def convolution(inputs: int, outputs: int, kernel: int, stride: int = 1) -> nn.Conv2d:
    """A convolution without bias that keeps the size of its input at stride 1.

    Initial weights are normal with variance 2 / (outputs * kernel**2), "He initialisation".

    References
    ----------
    He, Zhang, Ren, Sun. Delving Deep into Rectifiers. ICCV 2015 (arXiv 1502.01852), eq. 14.
    """
    layer = nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False)
    nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
    return layer
