"""What made a result: the command, the seed, the versions and the machine."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

import torch

from dimco._version import __version__

_PACKAGES = ("numpy", "torch", "sklearn", "faiss", "usearch", "matplotlib")
_CPU_INFO = Path("/proc/cpuinfo")


def provenance(command: str, seed: int) -> dict[str, Any]:
    """The fields that stand beside `rows` in every results file; versions are of the packages in use."""
    used = {name: str(sys.modules[name].__version__) for name in _PACKAGES if name in sys.modules}
    return {
        "command": command,
        "seed": seed,
        "versions": {"dimco": __version__, "python": platform.python_version(), **used},
        "machine": {
            "system": platform.system(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "threads": torch.get_num_threads(),
            "accelerator": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        },
    }


def _processor() -> str:
    """The processor's trade name where the system tells it, else its architecture."""
    if _CPU_INFO.exists():
        for line in _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
