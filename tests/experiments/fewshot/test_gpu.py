"""How busy the GPU is, with a stand-in for the driver's tool."""

from __future__ import annotations

import os
import time

import torch

from dimco.experiments.fewshot import gpu
from dimco.experiments.fewshot.gpu import BusyMeter, mean_of_samples


def test_lines_of_words_and_a_line_cut_off_do_not_count():
    assert mean_of_samples("10\n20\nno device\n30") == 20
    assert mean_of_samples("") is None


def test_without_a_gpu_nothing_is_measured():
    meter = BusyMeter(torch.device("cpu"))
    meter.start()
    meter.stop()
    assert meter.percent is None


def test_it_samples_from_the_first_start_to_the_first_stop(tmp_path, monkeypatch):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 50\necho 70\nexec sleep 60\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setattr(gpu.shutil, "which", lambda name: str(tool))
    meter = BusyMeter(torch.device("cuda"))
    meter.start()
    process = meter._process
    meter.start()
    assert meter._process is process
    for _ in range(200):
        if os.fstat(meter._samples.fileno()).st_size == len("50\n70\n"):
            break
        time.sleep(0.05)
    meter.stop()
    meter.stop()
    assert meter.percent == 60
    assert process.poll() is not None
