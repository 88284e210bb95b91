"""Quantizers to compare with: one file a method, all with the face of `Quantizer`."""

from dimco.baselines.base import Quantizer, TableQuantizer
from dimco.baselines.product import ProductQuantizer
from dimco.baselines.scalar import ScalarQuantizer

__all__ = ["ProductQuantizer", "Quantizer", "ScalarQuantizer", "TableQuantizer"]
