"""The errors dimco raises: one line each, saying what was expected and what came."""


class DimcoError(Exception):
    """Base of every error the library raises on purpose."""


class InputError(DimcoError, ValueError):
    """What the caller passed cannot be used."""


class MissingExtraError(DimcoError, ImportError):
    """An optional package is not installed; the message names the extra that brings it."""


class TrainingError(DimcoError):
    """Training cannot go on: the loss became NaN, or a checkpoint does not belong to this run."""


class CaptureError(TrainingError):
    """A step of training cannot be recorded; the model is as it was."""


class FileError(DimcoError):
    """A file cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """The file named does not exist."""


class ForeignFileError(FileError):
    """The file exists but is not of the kind asked for."""


class DamagedFileError(FileError):
    """The file is of the right kind but truncated or altered."""


class DatabaseError(DimcoError):
    """A database cannot be reached, or cannot do what was asked of it."""


class ClusterError(DimcoError):
    """A cluster cannot be reached, has not enough room, or lost a part of what it was asked about."""
