"""Data sets: files of labelled features, and the families of images the experiments use."""

from dimco.datasets.files import LabelledData, load_data
from dimco.datasets.folder import data_folder
from dimco.datasets.image_folder import ImageFolder

__all__ = ["ImageFolder", "LabelledData", "data_folder", "load_data"]
