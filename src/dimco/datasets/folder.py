"""Where the data that stands beside the project is."""

from __future__ import annotations

import os
from pathlib import Path

from dimco.errors import MissingFileError

_BESIDE = Path("..") / "shared" / "data"


def data_folder() -> Path:
    """The folder named by DIMCO_DATA, else `../shared/data`; `MissingFileError` if it is not there."""
    folder = Path(os.environ.get("DIMCO_DATA", _BESIDE))
    if not folder.is_dir():
        raise MissingFileError(f"expected the data folder at {folder}; set DIMCO_DATA to where it is")
    return folder
