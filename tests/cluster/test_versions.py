"""Versions of the machines of a cluster: the message says which machine has which."""

import pytest

from dimco.cluster import versions
from dimco.cluster.connecting import connected
from dimco.errors import ClusterError

pytest.importorskip("ray", reason="needs Ray: pip install 'dimco[ray]'")


def test_another_version_is_refused_and_the_same_is_not(monkeypatch):
    with connected("local", cpus=1) as ray:
        versions.refuse_other_versions(ray)
        monkeypatch.setattr(versions, "__version__", "99.0")
        address = ray.nodes()[0]["NodeManagerAddress"]
        with pytest.raises(ClusterError, match=rf"expected dimco 99\.0 on {address}, as here; it has \d"):
            versions.refuse_other_versions(ray)
