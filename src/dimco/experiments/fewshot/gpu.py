"""How busy the GPU is, as the driver counts it: the share of time in which some kernel runs."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from statistics import mean
from types import TracebackType
from typing import IO, Self

import torch

_MILLISECONDS = 500


class BusyMeter:
    """Samples the GPU's utilization inside a `with` block; measures nothing where there is no `nvidia-smi`.

    Attributes
    ----------
    percent : float or None
        Mean of the samples, known after the block. Other processes on the same GPU count as well.
    """

    percent: float | None = None

    def __init__(self, device: torch.device) -> None:
        self._tool = shutil.which("nvidia-smi") if device.type == "cuda" else None
        self._process: subprocess.Popen[str] | None = None
        self._samples: IO[str] | None = None

    def __enter__(self) -> Self:
        if self._tool is not None:
            words = [self._tool, "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
            self._samples = tempfile.TemporaryFile("w+")
            self._process = subprocess.Popen(
                [*words, "-lms", str(_MILLISECONDS)], stdout=self._samples, stderr=subprocess.DEVNULL, text=True
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is None or self._samples is None:
            return
        self._process.terminate()
        self._process.wait()
        self._samples.seek(0)
        self.percent = mean_of_samples(self._samples.read())
        self._samples.close()


def mean_of_samples(text: str) -> float | None:
    """The mean of the numbers that stand one a line; a last line may be cut off, and lines of words do not count."""
    values = [int(line) for line in text.splitlines() if line.strip().isdecimal()]
    return round(mean(values), 1) if values else None
