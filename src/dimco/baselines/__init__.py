"""Quantizers to compare with: one file a method, all with the face of `Quantizer`."""

from dimco.baselines.additive import AdditiveQuantizer
from dimco.baselines.base import Quantizer, TableQuantizer
from dimco.baselines.discriminant import DiscriminantQuantizer
from dimco.baselines.evaluate import knn_top1
from dimco.baselines.float_knn import FloatKNN
from dimco.baselines.int8 import Int8Quantizer
from dimco.baselines.itq import IterativeQuantizer
from dimco.baselines.local_search import LocalSearchQuantizer
from dimco.baselines.optimized import OptimizedProductQuantizer
from dimco.baselines.oracle import OraclePrediction
from dimco.baselines.product import ProductQuantizer
from dimco.baselines.registry import QUANTIZERS, make_quantizer, why_not
from dimco.baselines.residual import ResidualQuantizer
from dimco.baselines.scalar import ScalarQuantizer
from dimco.baselines.sign import SignQuantizer

__all__ = [
    "QUANTIZERS",
    "AdditiveQuantizer",
    "DiscriminantQuantizer",
    "FloatKNN",
    "Int8Quantizer",
    "IterativeQuantizer",
    "LocalSearchQuantizer",
    "OptimizedProductQuantizer",
    "OraclePrediction",
    "ProductQuantizer",
    "Quantizer",
    "ResidualQuantizer",
    "ScalarQuantizer",
    "SignQuantizer",
    "TableQuantizer",
    "knn_top1",
    "make_quantizer",
    "why_not",
]
