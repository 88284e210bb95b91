"""What each process of the tests of processes does: `worker_of_processes.py measure|die FOLDER [DATA]`."""

import contextlib
import os
import sys
from pathlib import Path

import numpy as np
import torch
from torch import distributed, nn

from dimco.fitting import FitSettings, fit_code
from dimco.objectives import ClassInfomax, DecoderInfomax, Infomax
from dimco.ranks import ALONE
from dimco.spec import CodeSpec
from dimco.training import loop
from dimco.training.processes import joined_processes
from dimco.training.shared_norm import shared_norms

K, D, CLASSES, ITEMS = 3, 4, 5, 13
OBJECTIVES = {
    "infomax": lambda: Infomax(0.7),
    "sum": lambda: Infomax(0.7, reduction="sum", direction="both"),
    "pairs": lambda: Infomax(0.7, pairs=2),
    "groups": lambda: Infomax(0.7, group=2),
    "decoder": lambda: DecoderInfomax(CodeSpec(K, D), CLASSES, label_smoothing=0.1),
    "class scores": lambda: ClassInfomax(CLASSES),
    "batch norm": lambda: Infomax(0.7),
}


def case(name):
    """A model, an objective and a batch, the same in every process."""
    torch.manual_seed(5)
    objective = OBJECTIVES[name]()
    width = CLASSES if name == "class scores" else K * D
    norm = nn.BatchNorm1d(8) if name == "batch norm" else nn.Identity()
    model = nn.Sequential(nn.Linear(6, 8), norm, nn.ReLU(), nn.Linear(8, width))
    return model, objective, torch.randn(ITEMS, 6), torch.randint(0, CLASSES, (ITEMS,))


def measure(name, processes, rows):
    """The parts of the loss, the gradients of every parameter, and the buffers after one step."""
    model, objective, x, labels = case(name)
    objective.ranks = processes
    shape = (-1, 1, CLASSES) if name == "class scores" else (-1, D, K)
    with shared_norms(model, processes):
        parts = objective(model(x[rows]).view(shape), labels[rows], torch.Generator().manual_seed(1))
    parts.total.backward()
    parameters = [*model.parameters(), *objective.parameters()]
    processes.average_gradients(parameters)
    return [*(part.detach() for part in parts), *(p.grad for p in parameters), *model.buffers()]


def main(what, folder, *data):
    torch.set_num_threads(1)
    with joined_processes("cpu", seconds=30) as processes:
        if what == "measure":
            rows, everything = processes.part(np.arange(ITEMS)), np.arange(ITEMS)
            found = {
                name: {"parts": measure(name, processes, rows), "whole": measure(name, ALONE, everything)}
                for name in OBJECTIVES
            }
            found["agreed"] = processes.agreed(0.25 + processes.rank)
            torch.manual_seed(processes.rank)
            layer = nn.Linear(3, 2)
            processes.agree(layer)
            found["weights"] = layer.weight.detach()
            torch.save(found, folder / f"rank{processes.rank}.pt")
            stop_after_two(np.load(data[0]), folder / "model.checkpoint", processes)
        else:
            processes.sum(torch.ones(2))
            if processes.rank == 0:
                os._exit(3)
            processes.sum(torch.ones(2))


def stop_after_two(stored, checkpoint, processes):
    """Train, and stop every process after the second epoch, once its checkpoint is written."""
    epoch = loop._Run.epoch

    def counted(run):
        if len(run.progress.history) == 2:
            raise KeyboardInterrupt
        return epoch(run)

    loop._Run.epoch = counted
    settings = FitSettings(k=4, d=3, batch_size=50, epochs=4, device="cpu")
    with contextlib.suppress(KeyboardInterrupt):
        fit_code(stored["x"], stored["y"], 4, settings, checkpoint, processes=processes)
    distributed.barrier()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
