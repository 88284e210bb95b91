"""What `import dimco` costs and offers."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dimco

_ALLOWED = """
import sys, torch, numpy
before = set(sys.modules)
import dimco
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(",".join(sorted(new - {"dimco", "numpy", "torch"} - set(sys.stdlib_module_names))))
"""


def test_importing_dimco_imports_numpy_and_torch_alone():
    result = subprocess.run([sys.executable, "-c", _ALLOWED], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""


def test_every_public_name_is_there():
    for name in dimco.__all__:
        assert getattr(dimco, name) is not None
        assert name in dir(dimco)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        dimco.Nonsense  # noqa: B018
