"""Ridge regression in each task against scikit-learn's."""

import pytest
import torch
from sklearn.linear_model import Ridge

from dimco.baselines.episodic import R2D2
from dimco.errors import InputError

LABELS = torch.tensor([1, 0, 2, 0, 1, 2])


@pytest.mark.parametrize("features", [3, 40], ids=["fewer features than items", "more features than items"])
def test_scores_are_those_of_ridge_regression_to_one_hot_classes(features):
    support = torch.randn(2, 6, features, dtype=torch.float64)
    query = torch.randn(2, 4, features, dtype=torch.float64)
    learner = R2D2(2, regularization=0.7, scale=3.0).double()
    with torch.no_grad():
        learner.bias.fill_(0.5)
    scores = learner.scores(support, LABELS, query, 3)
    for task in range(2):
        ridge = Ridge(alpha=0.7, fit_intercept=False).fit(support[task].numpy(), torch.eye(3)[LABELS].numpy())
        expected = 3.0 * torch.from_numpy(ridge.predict(query[task].numpy())) + 0.5
        torch.testing.assert_close(scores[task], expected, rtol=1e-5, atol=1e-6)


def test_gradients_flow_through_the_solution():
    learner = R2D2(2, regularization=0.7).double()
    support = torch.randn(1, 6, 4, dtype=torch.float64, requires_grad=True)
    query = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda s, q: learner.scores(s, LABELS, q, 3), (support, query))


def test_lambda_and_scale_are_trained():
    learner = R2D2(2)
    learner(torch.randn(12, 4), torch.arange(3).repeat(4)).total.backward()
    assert learner.log_regularization.grad != 0
    assert learner.scale.grad != 0


def test_items_that_coincide_can_be_solved():
    learner = R2D2(2)
    total = learner(torch.ones(12, 400), torch.arange(3).repeat(4)).total
    torch.testing.assert_close(total, torch.tensor(3.0).log())


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="regularization above 0; got 0"):
        R2D2(regularization=0)
    with pytest.raises(InputError, match="scale above 0; got -2"):
        R2D2(scale=-2)
