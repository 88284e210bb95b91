"""Episodic learners to compare with: one file a method, all with the face of `EpisodicLearner`."""

from dimco.baselines.episodic.base import EpisodicLearner
from dimco.baselines.episodic.matching import MatchingNet
from dimco.baselines.episodic.protonet import ProtoNet
from dimco.baselines.episodic.r2d2 import R2D2
from dimco.baselines.episodic.relation import RelationNet

__all__ = ["EpisodicLearner", "MatchingNet", "ProtoNet", "R2D2", "RelationNet"]
