"""Small indexes in files, and a child process that is killed in the middle of a save."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec

CHANGING = ("pwrite", "fsync", "ftruncate", "replace")


@pytest.fixture
def small_index(rng: np.random.Generator) -> CodeIndex:
    """An index with every kind of section: blocks, ids, labels, a bitmap and label names."""
    index = CodeIndex(CodeSpec(5, 3))
    index.add(rng.integers(0, 5, (70, 3)), ids=rng.permutation(500)[:70], labels=[f"name {n % 7}" for n in range(70)])
    index.remove(index.ids[::9])
    index.add(rng.integers(0, 5, (2, 3)), labels=["é", "name 3"])
    return index


@pytest.fixture
def contents() -> Callable[[Path], list]:
    """All that a file of an index holds, after checking it; None if there is no file."""

    def read(path: Path):
        if not path.exists():
            return None
        CodeIndex.check(path)
        index = CodeIndex.open(path)
        labels = [None] * len(index) if index.labels is None else index.labels.tolist()
        return list(zip(index.ids.tolist(), index.reconstruct(index.ids).tolist(), labels, strict=True))

    return read


@pytest.fixture
def kill_during() -> Callable[..., bool]:
    """Do something in a child process that is killed at its i-th write, fsync, truncate or rename.

    With `torn`, a write is half done first. True if the child came to its end before that.
    """

    def run(action: Callable[[], None], number: int, torn: bool = False) -> bool:
        child = os.fork()
        if child == 0:
            try:
                for name, call in _stopping_calls(number, torn, lambda: os.kill(os.getpid(), signal.SIGKILL)).items():
                    setattr(os, name, call)
                action()
                os._exit(0)
            except BaseException:
                os._exit(3)
        status = os.waitpid(child, 0)[1]
        if os.WIFSIGNALED(status):
            assert os.WTERMSIG(status) == signal.SIGKILL
            return False
        assert os.WEXITSTATUS(status) == 0
        return True

    return run


class Dead(BaseException):
    """The process is dead: none of its calls has an effect any more."""


@pytest.fixture
def die_during(monkeypatch: pytest.MonkeyPatch) -> Callable[..., bool]:
    """As `kill_during` in this process, and quicker: from the i-th call on, all calls do nothing but raise."""

    def stop():
        raise Dead

    def run(action: Callable[[], None], number: int, torn: bool = False) -> bool:
        with monkeypatch.context() as patch:
            for name, call in _stopping_calls(number, torn, stop).items():
                patch.setattr(os, name, call)
            try:
                action()
            except Dead:
                return False
            return True

    return run


def _stopping_calls(number: int, torn: bool, stop: Callable[[], None]) -> dict[str, Callable]:
    """The calls that change files, which stop at the `number`-th."""
    calls = 0

    def stopping(name, original):
        def call(*arguments, **options):
            nonlocal calls
            calls += 1
            if calls == number and torn and name == "pwrite":
                descriptor, data, place = arguments
                original(descriptor, data[: len(data) // 2], place)
            if calls >= number:
                stop()
            return original(*arguments, **options)

        return call

    return {name: stopping(name, getattr(os, name)) for name in CHANGING}
