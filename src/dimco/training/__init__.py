"""Training: the loop, its data, batches, schedule, checkpoints and progress."""

from dimco.training.config import TrainingConfig
from dimco.training.data import ArrayData, DatasetData
from dimco.training.history import EpochRecord
from dimco.training.loop import train

__all__ = ["ArrayData", "DatasetData", "EpochRecord", "TrainingConfig", "train"]
