"""Training: the loop, its data, batches, schedule, checkpoints and progress."""

from dimco.training.augmentation import Augmentation
from dimco.training.config import TrainingConfig
from dimco.training.data import ArrayData, DatasetData
from dimco.training.history import EpochRecord
from dimco.training.loop import train
from dimco.training.pixel_data import PixelData

__all__ = ["ArrayData", "Augmentation", "DatasetData", "EpochRecord", "PixelData", "TrainingConfig", "train"]
