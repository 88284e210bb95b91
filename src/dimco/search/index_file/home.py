"""Where an index was opened from or last saved to."""

from __future__ import annotations

from dataclasses import dataclass

from dimco.search.index_file.directory import StoredNames


@dataclass(frozen=True, slots=True)
class Home:
    """A file and the commit of it that an index knows.

    Attributes
    ----------
    path : str
        With all links resolved.
    file, commit : str
        As in the file's header.
    names : tuple of StoredNames
        The label names that the file holds.
    rewrite : bool
        Whether the next save writes the file anew.
    """

    path: str
    file: str
    commit: str
    names: tuple[StoredNames, ...]
    rewrite: bool = False
