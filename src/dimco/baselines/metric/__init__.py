"""Losses on embeddings to compare with, and the two bridges to pytorch-metric-learning: one file each."""

from dimco.baselines.metric.as_library import AsMetricLoss
from dimco.baselines.metric.binomial_deviance import BinomialDeviance
from dimco.baselines.metric.cross_entropy import CrossEntropy
from dimco.baselines.metric.from_library import FromMetricLearning
from dimco.baselines.metric.nearest import nearest_centroid_scores, nearest_item_scores
from dimco.baselines.metric.npair import NPairLoss
from dimco.baselines.metric.output import MetricOutput
from dimco.baselines.metric.proxy_anchor import ProxyAnchor
from dimco.baselines.metric.proxy_nca import ProxyNCA
from dimco.baselines.metric.triplet import TripletLoss

__all__ = [
    "AsMetricLoss",
    "BinomialDeviance",
    "CrossEntropy",
    "FromMetricLearning",
    "MetricOutput",
    "NPairLoss",
    "ProxyAnchor",
    "ProxyNCA",
    "TripletLoss",
    "nearest_centroid_scores",
    "nearest_item_scores",
]
