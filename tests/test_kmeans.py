"""k-means against scikit-learn's, and its rules on examples."""

import numpy as np
import pytest
import torch
from sklearn.cluster import KMeans

from dimco.errors import InputError
from dimco.kmeans import kmeans, moved, nearest


@pytest.fixture(scope="module")
def points():
    rng = np.random.default_rng(0)
    return torch.from_numpy(rng.normal(size=(600, 3)).astype(np.float32))


def inertia(x, clusters):
    return float((x - clusters.centroids[clusters.nearest]).square().sum())


def test_the_error_is_that_of_scikit_learn(points):
    ours = [inertia(points, kmeans(points, 20, torch.Generator().manual_seed(seed), 100)) for seed in range(5)]
    theirs = [
        KMeans(20, init="random", n_init=1, algorithm="lloyd", random_state=seed).fit(points.numpy()).inertia_
        for seed in range(5)
    ]
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.03)


def test_every_point_belongs_to_its_nearest_centroid(points):
    clusters = kmeans(points, 7, torch.Generator().manual_seed(0))
    expected = [min(range(7), key=lambda c: float((p - clusters.centroids[c]).square().sum())) for p in points]
    assert clusters.nearest.tolist() == expected
    assert torch.equal(nearest(points, clusters.centroids), clusters.nearest)


def test_centroids_are_the_means_of_their_points():
    x = torch.tensor([[0.0], [2.0], [10.0]])
    assert moved(x, torch.tensor([0, 0, 1]), torch.zeros(2, 1)).tolist() == [[1.0], [10.0]]


def test_a_centroid_without_points_becomes_the_farthest_point_of_the_largest_cluster():
    x = torch.tensor([[0.0], [1.0], [11.0], [50.0]])
    assert moved(x, torch.tensor([0, 0, 0, 1]), torch.zeros(3, 1)).tolist() == [[4.0], [50.0], [11.0]]


def test_several_sets_at_once_are_each_clustered_as_alone(points):
    sets = torch.stack([points[:300], 5 + points[300:]])
    clusters = kmeans(sets, 6, torch.Generator().manual_seed(0))
    for place, x in enumerate(sets):
        assert torch.equal(clusters.nearest[place], nearest(x, clusters.centroids[place]))
        torch.testing.assert_close(clusters.centroids[place], moved(x, clusters.nearest[place], torch.zeros(6, 3)))


def test_as_many_centroids_as_points_leave_no_error():
    x = torch.arange(6.0)[:, None]
    assert inertia(x, kmeans(x, 6, torch.Generator().manual_seed(3))) == 0


def test_too_few_points_are_refused():
    with pytest.raises(InputError, match=r"at least 4 points to place 4 centroids; got shape \(3, 2\)"):
        kmeans(torch.zeros(3, 2), 4, torch.Generator())
