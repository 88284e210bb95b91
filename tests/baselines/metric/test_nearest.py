"""Nearest centroid and nearest item against scikit-learn."""

from functools import partial

import numpy as np
import pytest
import torch
from sklearn.metrics import pairwise_distances

from dimco.baselines.metric import nearest_centroid_scores, nearest_item_scores
from dimco.errors import InputError
from dimco.fewshot import draw_episodes, episode_accuracies

LABELS = torch.tensor([1, 0, 2, 0, 1, 0])


@pytest.fixture
def support():
    return torch.randn(2, 6, 4)


@pytest.fixture
def query():
    return torch.randn(2, 5, 4)


def similarity_of(query, stored, name):
    far = pairwise_distances(query, stored, metric=name)
    return 1 - far if name == "cosine" else -(far**2)


@pytest.mark.parametrize("similarity", ["cosine", "euclidean"])
def test_centroids_are_the_means_of_each_class(support, query, similarity):
    scores = nearest_centroid_scores(support, LABELS, query, 3, similarity).numpy()
    for task in range(2):
        items = support[task].numpy()
        if similarity == "cosine":
            items = items / np.linalg.norm(items, axis=1, keepdims=True)
        means = np.stack([items[LABELS.numpy() == way].mean(0) for way in range(3)])
        np.testing.assert_allclose(scores[task], similarity_of(query[task].numpy(), means, similarity), atol=1e-5)


@pytest.mark.parametrize("similarity", ["cosine", "euclidean"])
def test_the_nearest_item_of_each_class_decides(support, query, similarity):
    scores = nearest_item_scores(support, LABELS, query, 3, similarity).numpy()
    for task in range(2):
        each = similarity_of(query[task].numpy(), support[task].numpy(), similarity)
        best = np.stack([each[:, LABELS.numpy() == way].max(1) for way in range(3)], 1)
        np.testing.assert_allclose(scores[task], best, atol=1e-5)


@pytest.mark.parametrize("score", [nearest_centroid_scores, nearest_item_scores])
def test_well_separated_classes_are_told_apart_in_episodes(score, rng):
    labels = np.repeat(np.arange(6), 10)
    centres = torch.eye(6, 8) * 10
    embeddings = centres[torch.from_numpy(labels)] + torch.randn(60, 8)
    episodes = draw_episodes(labels, 5, 2, 4, episodes=8)
    for similarity in ("cosine", "euclidean"):
        found = episode_accuracies(embeddings, embeddings, partial(score, similarity=similarity), episodes)
        assert found.mean() > 0.95


def test_an_unknown_similarity_is_named(support, query):
    with pytest.raises(InputError, match="got 'dot'"):
        nearest_item_scores(support, LABELS, query, 3, "dot")
