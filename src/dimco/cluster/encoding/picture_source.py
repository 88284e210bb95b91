"""A folder of pictures by class as parts, in the order of `dimco embed`."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dimco.backbones.preprocessing import Preprocessing
from dimco.cluster.encoding.rows import Rows, Task, batches_a_part
from dimco.codes_table import ID, LABEL
from dimco.datasets.image_folder import ImageFolder
from dimco.errors import DamagedFileError
from dimco.extras import require

BATCH = 64
FILE = "file"
_MOST_ITEMS = 1 << 10
_COLOURS = 3


@dataclass(frozen=True)
class PictureTask:
    """One part: pictures by their names below a folder, and the classes they are of."""

    root: Path
    preprocessing: Preprocessing
    first_part: int
    first_id: int
    names: tuple[str, ...]
    classes: tuple[str, ...]
    skip_damaged: bool

    def read(self) -> Iterator[Rows]:
        arrow = require("pyarrow")
        side = self.preprocessing.crop
        pixels = np.empty((len(self.names), _COLOURS, side, side), np.uint8)
        whole, skipped = list[int](), list[str]()
        for place, name in enumerate(self.names):
            try:
                pixels[len(whole)] = self._pixels(name)
                whole.append(place)
            except DamagedFileError as error:
                if not self.skip_damaged:
                    raise
                skipped.append(str(error))
        columns = {ID: np.arange(self.first_id, self.first_id + len(self.names)), LABEL: self.classes, FILE: self.names}
        kept = arrow.table(
            {name: arrow.array(values).take(arrow.array(whole, arrow.int64())) for name, values in columns.items()}
        )
        yield Rows(self.first_part, pixels[: len(whole)], kept, tuple(skipped))

    def _pixels(self, name: str) -> Any:
        with ImageFolder.decode(self.root / name) as image:
            return np.asarray(self.preprocessing.cut(image)).transpose(2, 0, 1)


class PictureSource:
    """The pictures of a folder with a sub-folder for each class; see `dimco.cluster.encoding.rows.Source`.

    Parameters
    ----------
    data : Path
    preprocessing : Preprocessing
        What is done to each picture.
    skip_damaged : bool, default=False
        Pass over a picture that cannot be read, whose number is then no id, instead of stopping with its name.
    """

    batch_size = BATCH

    def __init__(self, data: Path, preprocessing: Preprocessing, skip_damaged: bool = False) -> None:
        folder = ImageFolder(data)
        self._root, self._preprocessing, self._skip_damaged = data.absolute(), preprocessing, skip_damaged
        self._names = [str(file.relative_to(data)) for file in folder.files]
        self._classes = [folder.classes[label] for label in folder.labels.tolist()]
        self._part_items = batches_a_part(BATCH, _COLOURS * preprocessing.crop**2, _MOST_ITEMS)
        self.items = len(folder)
        starts = range(0, self.items, self._part_items)
        self.sizes = [min(self._part_items, self.items - start) for start in starts]
        checksum = 0
        for name, file in zip(self._names, folder.files, strict=True):
            found = file.stat()
            checksum = zlib.crc32(f"{name}\0{found.st_size} {found.st_mtime_ns}\0".encode(), checksum)
        self.record = {
            "kind": "pictures",
            "part_items": self._part_items,
            "files": len(folder),
            "names_sizes_and_times": f"{checksum:08x}",
            "skip_damaged": skip_damaged,
        }

    def tasks(self, finished: set[int]) -> list[Task]:
        return [self._task(part) for part in range(len(self.sizes)) if part not in finished]

    def _task(self, part: int) -> PictureTask:
        first = part * self._part_items
        some = slice(first, first + self._part_items)
        names, classes = tuple(self._names[some]), tuple(self._classes[some])
        return PictureTask(self._root, self._preprocessing, part, first, names, classes, self._skip_damaged)
