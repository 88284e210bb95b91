"""What made a result."""

import json

from dimco import __version__
from dimco.experiments.provenance import provenance


def test_names_command_seed_versions_and_machine():
    record = json.loads(json.dumps(provenance("dimco demo --seed 7", 7)))
    assert (record["command"], record["seed"]) == ("dimco demo --seed 7", 7)
    assert record["versions"]["dimco"] == __version__
    assert {"python", "numpy", "torch"} <= set(record["versions"])
    assert set(record["machine"]) == {"system", "processor", "cores", "threads", "accelerator"}
    assert record["machine"]["processor"]
