"""dimco fit: learn a code from labelled embeddings."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Any

import typer

from dimco.cli import options
from dimco.cli.output import check_writable, note, show
from dimco.datasets import load_data
from dimco.errors import InputError
from dimco.fitting import FitSettings, FittedCode, HeadName, ObjectiveName, fit_code
from dimco.inputs import encode_labels
from dimco.selection import Trial, choose_settings
from dimco.training.history import learning_curve
from dimco.training.processes import joined_processes
from dimco.training.progress import progress_bar


def fit(
    train: Annotated[Path, typer.Argument(metavar="TRAIN", help="Labelled features: .npz, .npy, .parquet, .csv.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model.")] = Path(
        "model.safetensors"
    ),
    k: Annotated[int, typer.Option(help="Symbols at each position, 2 to 65,536.")] = 16,
    d: Annotated[int, typer.Option(help="Positions, 1 to 4,096.")] = 8,
    bits: Annotated[
        int | None, typer.Option(min=1, help="Bits an item: choose --k, --d, --objective, --head and --lambda.")
    ] = None,
    time_budget: Annotated[float, typer.Option(help="Seconds for the choice of --bits.")] = 60.0,
    objective: Annotated[ObjectiveName, typer.Option(help="The paper's loss, or the decoder bound.")] = "infomax",
    head: Annotated[
        HeadName, typer.Option(help="The paper's linear head, one hidden layer, or class codewords.")
    ] = "linear",
    hidden: Annotated[int | None, typer.Option(help="Width of the head; 128 (linear) or 512.")] = None,
    independence: Annotated[float, typer.Option("--lambda", help="The paper's lambda, for infomax.")] = 1.0,
    group: Annotated[
        int | None,
        typer.Option(min=1, help="Positions whose information is taken together, for infomax; 1 is the paper's."),
    ] = None,
    label_smoothing: Annotated[float, typer.Option(help="Of the loss, for decoder.")] = 0.1,
    epochs: Annotated[int | None, typer.Option(help="By default chosen by head and data.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="By default chosen by data, at most 1,024.")] = None,
    lr: Annotated[float | None, typer.Option(help="Learning rate; 1e-2 (linear) or 5e-3.")] = None,
    balanced: Annotated[int | None, typer.Option(help="Classes in each batch, for balanced batches.")] = None,
    held_out: Annotated[float, typer.Option(help="Fraction held out to measure information.")] = 0.0,
    patience: Annotated[int | None, typer.Option(help="Stop after this many epochs without gain.")] = None,
    labels: options.Labels = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint beside the model.")] = False,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Learn a k-way d-dimensional code from labelled features.

    An interrupted run leaves MODEL.checkpoint; the same command with --resume goes on from there.

    Several processes, started by `torchrun --nproc-per-node 2 -m -- dimco fit ...` or by accelerate, share every batch
    and learn the same code.

    With --bits, settings are compared on a held-out part of the data, and the best is then fitted on all of it.

    Example: dimco fit train.npz -o model.safetensors --k 16 --d 4

    Example: dimco fit train.npz -o model.safetensors --bits 16
    """
    settings = FitSettings(
        k=k,
        d=d,
        objective=objective,
        head=head,
        hidden=hidden,
        independence=independence,
        group=group,
        label_smoothing=label_smoothing,
        epochs=epochs,
        batch_size=batch_size,
        lr=lr,
        balanced=balanced,
        held_out=held_out,
        patience=patience,
        seed=seed,
        device=device,
    )
    check_writable(output, "model", train)
    checkpoint = output.with_name(output.name + ".checkpoint")
    if resume and bits is not None:
        raise InputError(
            f"expected the settings that were chosen with --resume, not --bits: see dimco info {checkpoint}"
        )
    if resume and not checkpoint.exists():
        raise InputError(f"expected a checkpoint to resume from at {checkpoint}; there is none")
    data = load_data(train, labels)
    classes, indices = encode_labels(data.labels(), len(data.x))
    with joined_processes(device) as processes:
        quiet = quiet or processes.rank > 0
        if bits is not None and processes.count > 1:
            raise InputError(f"expected one process to choose the settings of --bits; got {processes.count}")
        if bits is not None:
            settings = _chosen(data.x, indices, len(classes), bits, settings, time_budget, quiet)
        note(f"{len(data.x):,} items, {data.x.shape[1]} features, {len(classes)} classes -> {settings.spec}", quiet)
        with contextlib.nullcontext(None) if quiet else progress_bar() as on_epoch:
            fitted = fit_code(data.x, indices, len(classes), settings, checkpoint, resume, on_epoch, processes)
    if processes.rank:
        return
    history = learning_curve(fitted.history)
    fitted.model.metadata |= {"classes": classes.tolist(), "data": train.name, "history": history}
    fitted.model.save(output)
    checkpoint.unlink(missing_ok=True)
    show(_summary(output, settings, fitted), json)


def _chosen(
    x: Any, labels: Any, classes: int, bits: int, base: FitSettings, time_budget: float, quiet: bool
) -> FitSettings:
    """The best settings for that many bits; says what each trial scored."""

    def on_trial(trial: Trial) -> None:
        tried = trial.settings
        note(f"{tried.spec} {tried.objective} {tried.head}: {trial.top1:.2f} held out, {trial.seconds:.1f} s", quiet)

    return choose_settings(x, labels, classes, bits, base, time_budget, on_trial)[0]


def _summary(output: Path, settings: FitSettings, fitted: FittedCode) -> dict[str, Any]:
    last = fitted.history[-1]
    return {
        "model": str(output),
        "code": str(settings.spec),
        "bits": settings.spec.bits,
        "objective": settings.objective,
        "head": settings.head,
        "epochs": last.epoch,
        "loss": last.parts["total"],
        "information_bits": last.information_bits,
        "held_out_bits": last.held_out_bits,
        "seconds": fitted.model.metadata["seconds"],
        "seed": settings.seed,
    }
