"""The README's table: four codes of CIFAR-100 embeddings, fitted and measured as the commands do it.

usage: core_cifar100.py [RESULTS.json]; the data folder is DIMCO_DATA, else ../shared/data
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from dimco.atomic import write_text
from dimco.datasets import data_folder, load_data
from dimco.evaluation import evaluate
from dimco.experiments.provenance import provenance
from dimco.fitting import FitSettings, fit_code
from dimco.inputs import encode_labels

SEED = 0
COLUMNS = {"code": "code", "bits": "bits", "method": "method", "head": "head", "value": "top-1", "paper": "paper"}
RUNS = [
    (16, 4, "infomax", "linear", 57.83),
    (16, 4, "decoder", "mlp", None),
    (16, 16, "infomax", "linear", None),
    (16, 16, "decoder", "mlp", None),
]


def main(output: Path) -> None:
    embeddings = data_folder() / "embeddings"
    train = load_data(embeddings / "cifar100_resnet20_train.npz")
    test = load_data(embeddings / "cifar100_resnet20_test.npz")
    classes, labels = encode_labels(train.labels(), len(train.x))
    rows = []
    for k, d, objective, head, paper in RUNS:
        settings = FitSettings(k=k, d=d, objective=objective, head=head, seed=SEED)
        fitted = fit_code(train.x, labels, len(classes), settings)
        result = evaluate(fitted.model, (train.x, train.labels()), (test.x, test.labels()), neighbours=200)
        row = {
            "dataset": "cifar100",
            "backbone": "resnet20",
            "method": f"dimco-{objective}",
            "head": head,
            "code": str(settings.spec),
            "k": k,
            "d": d,
            "bits": settings.spec.bits,
            "metric": "top1",
            "value": round(result.top1, 2),
            "spread": None,
            "seeds": [SEED],
            "paper": paper,
            "fit_seconds": fitted.model.metadata["seconds"],
        }
        print(json.dumps(row))
        rows.append(row)
    command = "python benchmarks/core_cifar100.py"
    write_text(output, json.dumps({**provenance(command, SEED), "columns": COLUMNS, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results/core-cifar100.json"))
