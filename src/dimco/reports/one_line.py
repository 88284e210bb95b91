"""Names of other people's classes and files, as a picture has room for them."""

from __future__ import annotations

from typing import Any


def one_line(name: Any, letters: int) -> str:
    """A name on one line and of so many letters at most; a blank one is said to be blank."""
    text = " ".join(str(name).split()) or "(blank)"
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def with_share(name: Any, share: float) -> str:
    """A class and its share in percent, kept apart by a colon where the name ends in a digit."""
    words = str(name)
    return f"{words}{':' if words[-1:].isdigit() else ''} {100 * share:.0f} %"
