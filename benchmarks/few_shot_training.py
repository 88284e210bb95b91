"""How fast a few-shot network trains, and how busy it keeps the GPU, with plain steps, captured and compiled ones.

usage: few_shot_training.py [--data FOLDER] [--backbone conv4] [--size 84] [--k 64] [--d 128] [--epochs 6]
                            [--classes 64] [--images 600] [--precision bfloat16] [--seed 0] [-o RESULTS.json]

Trains on the images of FOLDER/mini.npy (see `dimco.datasets.load_few_shot`), or, without --data, on random pixels of
`--classes` classes with `--images` images each: a linear head, the decoder objective, SGD at 0.1 with cosine decay,
batches of 10 classes x 10 images, augmented. Images a second are the median over the epochs after the second, with
everything that an epoch takes. The busy share is the time in which the profiler sees a kernel run, a step, over the
time a step takes without the profiler. Compiled steps are captured as well, and need triton. Needs
numpy and torch alone; without a GPU there are plain steps and no share.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

from dimco.atomic import write_text
from dimco.backbones import build_backbone
from dimco.backbones.preprocessing import Preprocessing
from dimco.datasets.few_shot import load_few_shot
from dimco.datasets.image_set import ImageSet
from dimco.experiments.provenance import provenance
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.objectives import DecoderInfomax
from dimco.randomness import seeded
from dimco.spec import CodeSpec
from dimco.training import Augmentation, EpochRecord, PixelData, TrainingConfig, train

CLASSES_A_BATCH, IMAGES_A_CLASS = 10, 10
BATCH = CLASSES_A_BATCH * IMAGES_A_CLASS
SETTLING = 2
METHODS = ("plain", "captured", "compiled")


def synthetic(classes: int, images: int, size: int, seed: int) -> ImageSet:
    """Random pixels about a colour of each class."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(classes), images)
    colours = rng.integers(0, 192, (classes, 3, 1, 1), dtype=np.uint8)
    pixels = rng.integers(0, 64, (len(labels), 3, size, size), dtype=np.uint8)
    pixels += colours[labels]
    return ImageSet(pixels, labels, tuple(f"class {number}" for number in range(classes)))


def covered(spans: Iterable[tuple[float, float]]) -> float:
    """The length of the union of spans of time."""
    total, end = 0.0, float("-inf")
    for start, stop in sorted(spans):
        total += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return total


class KernelTime:
    """Called after each epoch of a training; profiles one epoch, and gives the seconds in which a kernel ran."""

    def __init__(self, epoch: int) -> None:
        self._epoch, self._profile = epoch, profile(activities=[ProfilerActivity.CUDA])
        self.seconds: float | None = None

    def __call__(self, record: EpochRecord) -> None:
        if record.epoch == self._epoch - 1:
            self._profile.start()
        if record.epoch == self._epoch:
            self._profile.stop()
            events = [event for event in self._profile.events() if event.device_type == torch.autograd.DeviceType.CUDA]
            self.seconds = 1e-6 * covered((event.time_range.start, event.time_range.end) for event in events)


def trained(images: ImageSet, method: str, options: argparse.Namespace) -> tuple[list[EpochRecord], float | None]:
    """The epochs of a training, and the seconds of an epoch in which a kernel ran."""
    spec, size = CodeSpec(options.k, options.d), images.pixels.shape[2]
    preprocessing = Preprocessing.of_pixels(images.pixels[:: max(1, len(images) // 2_000)])
    with seeded(options.seed, "weights"):
        backbone: Any = build_backbone(options.backbone, size=size, preprocessing=preprocessing)
        model = CodeModel(backbone, LinearHead(backbone.out_features, spec))
        objective = DecoderInfomax(spec, len(images.classes))
    on_gpu = torch.cuda.is_available()
    config = TrainingConfig(
        epochs=options.epochs + on_gpu,
        batch_size=BATCH,
        balanced=CLASSES_A_BATCH,
        lr=0.1,
        schedule="cosine",
        optimizer="sgd",
        weight_decay=5e-4,
        seed=options.seed,
        mixed_precision=options.precision == "bfloat16",
        captured=method != "plain",
        compiled=method == "compiled",
    )
    augmentation = Augmentation(size, padding=8 if size >= 64 else 4, jitter=0.4)
    data = PixelData(images.pixels, images.labels, augmentation)
    kernels = KernelTime(config.epochs) if on_gpu else None
    history = train(model, objective, data, config, on_epoch=kernels)
    return history[: options.epochs], None if kernels is None else kernels.seconds


def rows_of(method: str, history: Sequence[EpochRecord], kernels: float | None, steps: int) -> list[dict[str, Any]]:
    """What an epoch took, as rows of the results."""
    seconds = [record.seconds for record in history[SETTLING:]]
    spread = statistics.pstdev(steps * BATCH / each for each in seconds)
    median = statistics.median(seconds)
    measured: list[tuple[str, float | None, float | None]] = [
        ("images_per_second", steps * BATCH / median, spread),
        ("ms_per_step", 1e3 * median / steps, None),
        ("seconds_of_first_epoch", history[0].seconds, None),
        ("loss_of_first_epoch", history[0].parts["total"], None),
        ("loss_of_last_epoch", history[-1].parts["total"], None),
    ]
    if kernels is not None:
        measured += [
            ("ms_of_kernels_per_step", 1e3 * kernels / steps, None),
            ("gpu_busy", 100 * kernels / median, None),
        ]
    return [{"method": method, "metric": name, "value": value, "spread": spread} for name, value, spread in measured]


def measure(images: ImageSet, source: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Rows of the results: plain steps, and captured and compiled ones where there is a GPU."""
    rows = []
    for method in METHODS if torch.cuda.is_available() else METHODS[:1]:
        history, kernels = trained(images, method, options)
        rows += rows_of(method, history, kernels, len(images) // BATCH)
    about = {"dataset": source, "backbone": options.backbone, "k": options.k, "d": options.d}
    about |= {"size": images.pixels.shape[2], "precision": options.precision, "seeds": [options.seed]}
    return [about | row for row in rows]


def arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--backbone", choices=("conv4", "resnet12"), default="conv4")
    parser.add_argument("--precision", choices=("bfloat16", "float32"), default="bfloat16")
    for name, default in (("size", 84), ("k", 64), ("d", 128), ("epochs", 6), ("classes", 64), ("images", 600)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=Path("few-shot-training.json"))
    options = parser.parse_args(words)
    if options.epochs <= SETTLING:
        parser.error(f"expected more than {SETTLING} epochs; got {options.epochs}")
    return options


def main(words: Sequence[str]) -> None:
    options = arguments(words)
    if options.data is None:
        images, source = synthetic(options.classes, options.images, options.size, options.seed), "random pixels"
    else:
        images, source = load_few_shot("miniimagenet", options.data)["train"], "miniimagenet"
    rows = measure(images, source, options)
    command = shlex.join(["python", "benchmarks/few_shot_training.py", *words])
    results = {"experiment": "few-shot-training", **provenance(command, options.seed), "rows": rows}
    write_text(options.output, json.dumps(results, indent=1) + "\n")
    for row in rows:
        print(f"{row['method']:9} {row['metric']:24} {row['value']:,.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
