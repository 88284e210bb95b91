"""How busy the GPU is, as the driver counts it: the share of time in which some kernel runs."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from statistics import mean
from typing import IO

import torch

_MILLISECONDS = 500


class BusyMeter:
    """Samples the GPU's utilization from `start` to `stop`; measures nothing where there is no `nvidia-smi`.

    Attributes
    ----------
    percent : float or None
        Mean of the samples, known after `stop`. Other processes on the same GPU count as well.
    """

    percent: float | None = None

    def __init__(self, device: torch.device) -> None:
        self._tool = shutil.which("nvidia-smi") if device.type == "cuda" else None
        self._process: subprocess.Popen[str] | None = None
        self._samples: IO[str] | None = None

    def start(self) -> None:
        """Begin, unless it has begun before."""
        if self._tool is not None and self._samples is None:
            words = [self._tool, "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
            self._samples = tempfile.TemporaryFile("w+")  # noqa: SIM115
            self._process = subprocess.Popen(
                [*words, "-lms", str(_MILLISECONDS)], stdout=self._samples, stderr=subprocess.DEVNULL, text=True
            )

    def stop(self) -> None:
        """End, unless it has ended before."""
        if self._process is None or self._samples is None:
            return
        self._process.terminate()
        self._process.wait()
        self._process = None
        self._samples.seek(0)
        self.percent = mean_of_samples(self._samples.read())


def mean_of_samples(text: str) -> float | None:
    """The mean of the numbers that stand one a line; a last line may be cut off, and lines of words do not count."""
    values = [int(line) for line in text.splitlines() if line.strip().isdecimal()]
    return round(mean(values), 1) if values else None
