"""One training for retrieval: from a job and a data set to a record of what its codes and embeddings find."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dimco.backbones import ResNet50
from dimco.backbones.pretrained import PRETRAINED
from dimco.backbones.standardize import Standardize
from dimco.backbones.weights import load_weights
from dimco.errors import InputError, TrainingError
from dimco.experiments.retrieval.crops import ResizedCrop
from dimco.experiments.retrieval.data import RetrievalSet
from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.measure import measure_part, measure_quantizers, recall_at_1
from dimco.experiments.retrieval.parts import build_parts
from dimco.randomness import generator, seeded
from dimco.training.augmentation import Augmentation
from dimco.training.batches import balanced_batches, steps_per_epoch

Say = Callable[[str], None]
_SIDE = 224
_EMBEDDED_AT_ONCE = 512


class RetrievalRun:
    """The moving parts of one training.

    Parameters
    ----------
    job : RetrievalJob
    data : RetrievalSet
        Of pixels, for a ResNet-50, or of features.
    device : torch.device
    weights : path, optional
        Of the ResNet-50, as published; without them it starts from nothing.
    deadline : float, optional
        When training has to end, on `time.monotonic`'s clock.
    """

    def __init__(
        self,
        job: RetrievalJob,
        data: RetrievalSet,
        device: torch.device,
        weights: Path | None = None,
        deadline: float | None = None,
        side: int = _SIDE,
    ) -> None:
        self.job, self.data, self.device, self.side = job, data, device, side
        self.deadline = math.inf if deadline is None else deadline
        self.learned, self.measured = data.split(job.stage)
        self.x = torch.from_numpy(np.ascontiguousarray(data.x[self.learned])).to(device)
        self.labels = torch.from_numpy(data.labels[self.learned]).to(device)
        with seeded(job.seed, "retrieval"):
            self.backbone = self._backbone(weights).to(device)
            power = job.power if data.images else 1.0
            self.parts: Any = build_parts(job, self.features(self.x), self.labels, power)
        self.crop = ResizedCrop(side, job.least_area) if job.crop == "resized" else Augmentation(side)
        self.optimizer = self._optimizer()
        self.steps = steps_per_epoch(len(self.learned), job.batch_size)

    def train(self, say: Say) -> dict[str, Any]:
        """Train, and measure; with stage "select" after every epoch, of which the best counts."""
        job, start = self.job, time.monotonic()
        refits = {round(job.epochs * (n + 1) / (job.refits + 1)) for n in range(job.refits)} if job.ours else set()
        curve: list[dict[str, Any]] = []
        done = 0
        for epoch in range(job.last_epoch):
            if time.monotonic() > self.deadline:
                break
            if epoch in refits and epoch:
                self._refit()
            parts = self._epoch(epoch)
            done = epoch + 1
            point = {"epoch": done, "seconds": round(time.monotonic() - start, 1), **parts}
            if job.stage == "select":
                point |= self._point()
            curve.append(point)
            say(f"{job.title}  " + "  ".join(f"{name} {_shown(value)}" for name, value in point.items()))
        trained = time.monotonic() - start
        record: dict[str, Any] = {"job": job.as_record(), "complete": done == job.last_epoch, "curve": curve}
        if job.stage == "select":
            record["best_epoch"] = max(curve, key=lambda point: point["recall@1"])["epoch"]
        record["results"] = self.measure(whole=True)
        record["items"] = {"learned": len(self.learned), "measured": len(self.measured)}
        record["train_seconds"] = round(trained, 1)
        record["seconds"] = round(time.monotonic() - start, 1)
        if self.device.type == "cuda":
            record["gpu_memory_gib"] = round(torch.cuda.max_memory_allocated() / 2**30, 1)
        return record

    def measure(self, whole: bool = False) -> list[dict[str, Any]]:
        """Records of every part on the classes to measure on; `whole` with NMI.

        Test classes also come with quantizers of the floats.
        """
        features, truth = self.features(self.data.x[self.measured]), self.data.labels[self.measured]
        records = [one for part in self.parts for one in measure_part(part.eval(), features, truth, with_nmi=whole)]
        if whole and self.job.stage == "final":
            learned = self.features(self.x)
            specs = RetrievalJob().specs
            for part in self.parts:
                of_part = specs if part.spec is None else [part.spec]
                records += measure_quantizers(part, learned, features, truth, of_part, self.job.seed)
        return records

    @torch.inference_mode()
    def features(self, x: Tensor | NDArray[Any]) -> Tensor:
        """The backbone's features of items, of the middle of pictures, float32 on the device."""
        self.backbone.eval()
        rows = []
        for start in range(0, len(x), _EMBEDDED_AT_ONCE):
            piece = x[start : start + _EMBEDDED_AT_ONCE]
            piece = piece if isinstance(piece, Tensor) else torch.from_numpy(np.ascontiguousarray(piece))
            piece = piece.to(self.device)
            rows.append(self._backbone_output(Augmentation(self.side).centre(piece) if piece.ndim == 4 else piece))
        return torch.cat(rows).clone()

    @torch.inference_mode()
    def exported(self) -> dict[str, NDArray[Any]]:
        """By part, the codes of the items learned from and measured on, or float16 embeddings; and their labels."""
        found: dict[str, NDArray[Any]] = {}
        for where, rows in (("train", self.learned), ("test", self.measured)):
            features = self.features(self.data.x[rows])
            found[f"{where}_labels"] = self.data.labels[rows].astype(np.int16)
            for part in self.parts:
                kept = part.embed(features).half() if part.spec is None else part.logits(features).argmax(-1)
                kept = kept if part.spec is None else kept.to(torch.uint8)
                found[f"{where}_{part.name}"] = kept.cpu().numpy()
        return found

    def _epoch(self, epoch: int) -> dict[str, float]:
        job = self.job
        rng = generator(job.seed, "batches", epoch)
        sums: dict[str, Tensor] = {}
        self.parts.train()
        classes = min(job.classes_a_batch, int(self.labels.max()) + 1)
        with seeded(job.seed, "epoch", epoch) as drawn:
            batches = balanced_batches(self.labels.cpu().numpy(), classes, job.batch_size, rng)
            for step, rows in enumerate(batches):
                self._rates(epoch * self.steps + step)
                places = torch.from_numpy(rows).to(self.device)
                for name, value in self._step(places, warming=epoch < job.warmup, drawn=drawn).items():
                    sums[name] = sums.get(name, torch.zeros((), device=self.device)) + value
        found = {name: float(value) / self.steps for name, value in sums.items()}
        if not math.isfinite(found["loss"]):
            raise TrainingError(f"the loss became {found['loss']} in epoch {epoch + 1}")
        return found

    def _step(self, places: Tensor, warming: bool, drawn: torch.Generator) -> dict[str, Tensor]:
        x, labels = self.x[places], self.labels[places]
        with torch.set_grad_enabled(not warming):
            features = self._backbone_output(self.crop(x) if x.ndim == 4 else x)
        losses = [part.loss(features, labels, drawn) for part in self.parts]
        total = torch.stack([loss.total for loss in losses]).mean()
        self.optimizer.zero_grad()
        total.backward()
        self.optimizer.step()
        means = {name: torch.stack([getattr(loss, name) for loss in losses]).mean() for name in ("metric", "decoded")}
        return {"loss": total.detach(), **means}

    def _backbone_output(self, x: Tensor) -> Tensor:
        on_cuda = self.device.type == "cuda" and x.ndim == 4
        if on_cuda:
            x = x.contiguous(memory_format=torch.channels_last)
        with torch.autocast("cuda", torch.bfloat16, enabled=on_cuda):
            features: Tensor = self.backbone(x.float())
        return features.float()

    def _backbone(self, weights: Path | None) -> nn.Module:
        if not self.data.images:
            return Standardize(self.data.x.shape[1], self.job.power).fit(self.data.x[self.learned])
        kind = PRETRAINED["resnet50-v1"]
        options: dict[str, Any] = {**kind.options, "pooling": self.job.pooling}
        network = ResNet50(preprocessing=kind.preprocessing, **options)
        if weights is not None:
            load_weights(network, weights)
        if self.device.type == "cuda":
            cast(Any, network).to(memory_format=torch.channels_last)
        return network.eval()

    def _optimizer(self) -> torch.optim.Optimizer:
        job = self.job
        proxies = [p for part in self.parts for p in part.proxies.parameters()]
        centroids = [part.head.centroids for part in self.parts if hasattr(part.head, "centroids")]
        apart = {id(p) for p in (*proxies, *centroids)}
        layers = [p for p in self.parts.parameters() if id(p) not in apart]
        groups: list[dict[str, Any]] = [
            {"params": layers, "factor": job.head_lr},
            {"params": centroids, "factor": job.centroid_lr, "weight_decay": 0.0},
            {"params": proxies, "factor": job.proxy_lr},
        ]
        weights = [p for p in self.backbone.parameters() if p.ndim > 1]
        for p in self.backbone.parameters():
            p.requires_grad_(p.ndim > 1)  # normalisation stays as it was trained for ImageNet
        groups.append({"params": weights, "factor": 1.0})
        filled = [group for group in groups if group["params"]]
        if not filled:
            raise InputError("expected something to train; got a job without weights")
        fused = True if self.device.type == "cuda" else None
        return torch.optim.AdamW(filled, lr=job.lr, weight_decay=job.weight_decay, fused=fused)

    def _rates(self, step: int) -> None:
        """Cosine from the full rate to zero."""
        share = 0.5 * (1 + math.cos(math.pi * step / (self.steps * self.job.epochs)))
        for group in self.optimizer.param_groups:
            group["lr"] = self.job.lr * group["factor"] * share

    def _refit(self) -> None:
        features = self.features(self.x)
        with seeded(self.job.seed, "refit") as drawn:
            for part in self.parts:
                part.refit(features, drawn)

    def _point(self) -> dict[str, Any]:
        records = self.measure()
        named = {f"{record['part']}:{record['what']}": record["recall@1"] for record in records}
        return {"recall@1": recall_at_1(records), **named}


def _shown(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
