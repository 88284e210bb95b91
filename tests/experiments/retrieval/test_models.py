"""Models of a training."""

from __future__ import annotations

import numpy as np
import torch

from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.models import save_models
from dimco.experiments.retrieval.train import RetrievalRun
from dimco.model import CodeModel


def test_a_saved_model_gives_the_codes_of_the_training(features_set, tmp_path):
    job = RetrievalJob(epochs=1, batch_size=32, classes_a_batch=8, codes="4x6,2x8")
    run = RetrievalRun(job, features_set, torch.device("cpu"))
    run.train(lambda line: None)
    files = save_models(run, tmp_path / "models")
    assert [file.name for file in files] == [f"cub-dimco-infomax-{code}-0.safetensors" for code in ("4x6", "2x8")]
    model = CodeModel.load(files[0])
    np.testing.assert_array_equal(model.encode(features_set.x[160:]).unpack(), run.exported()["test_4x6"])
    assert model.metadata["training"]["codes"] == "4x6,2x8"


def test_a_network_of_pictures_is_saved_with_its_head(picture_set, tmp_path):
    job = RetrievalJob(epochs=1, batch_size=16, classes_a_batch=4, codes="4x4", head="linear")
    run = RetrievalRun(job, picture_set, torch.device("cpu"), side=32)
    model = CodeModel.load(save_models(run, tmp_path)[0])
    pixels = picture_set.x[:3, :, 4:36, 4:36].astype(np.float32)
    assert model.encode(pixels).unpack().shape == (3, 4)


def test_embeddings_have_no_model(features_set, tmp_path):
    job = RetrievalJob(method="triplet", epochs=1, batch_size=32, classes_a_batch=8)
    assert save_models(RetrievalRun(job, features_set, torch.device("cpu")), tmp_path) == []
