"""The scikit-learn face, checked by scikit-learn's own checks and by what users do with estimators."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from dimco import CodeModel, CodeSpec, DimcoClassifier, DimcoEncoder
from dimco.errors import InputError


@parametrize_with_checks([DimcoEncoder(k=4, d=3, epochs=30), DimcoClassifier(k=4, d=3, epochs=100)])
def test_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(240, 6, centers=4, random_state=0)


@pytest.fixture(scope="module")
def fitted(blobs):
    return DimcoClassifier(k=4, d=3).fit(*blobs)


def test_transform_gives_the_symbols_of_the_most_likely_code(blobs, fitted):
    X, _ = blobs
    log_probs = fitted.log_probs(X)
    assert log_probs.shape == (240, 3, 4)
    np.testing.assert_allclose(np.exp(log_probs).sum(-1), 1, rtol=1e-5)
    np.testing.assert_array_equal(fitted.transform(X), log_probs.argmax(-1))
    assert fitted.encode(X).spec == CodeSpec(4, 3)


def test_predict_proba_is_the_share_of_votes(blobs, fitted):
    X, y = blobs
    shares = fitted.predict_proba(X)
    np.testing.assert_allclose(shares.sum(1), 1)
    np.testing.assert_array_equal(fitted.classes_[shares.argmax(1)], fitted.predict(X))
    assert fitted.score(X, y) > 0.95


def test_string_labels_come_back_as_strings(blobs):
    X, y = blobs
    names = np.array(["ash", "birch", "cedar", "dogwood"])[y]
    classifier = DimcoClassifier(k=4, d=3).fit(X, names)
    assert set(classifier.predict(X)) <= set(names)
    assert classifier.score(X, names) > 0.95
    assert classifier.model_.metadata["classes"] == ["ash", "birch", "cedar", "dogwood"]


def test_the_same_seed_gives_the_same_codes_and_another_seed_others(blobs):
    X, y = blobs
    first, again, other = (DimcoEncoder(k=8, d=4, epochs=5, random_state=s).fit_transform(X, y) for s in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_works_in_a_pipeline_in_front_of_another_classifier(blobs):
    X, y = blobs
    pipeline = make_pipeline(StandardScaler(), DimcoEncoder(k=4, d=3), KNeighborsClassifier(5, metric="hamming"))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9


def test_grid_search_chooses_among_codes(blobs):
    X, y = blobs
    search = GridSearchCV(DimcoClassifier(k=2, epochs=60), {"d": [1, 4], "head": ["linear", "mlp"]}, cv=2).fit(X, y)
    assert search.best_params_["d"] == 4, "one position of two symbols cannot tell four classes apart"


def test_clone_copies_parameters_and_not_what_was_learned(fitted):
    copy = clone(fitted.set_params(n_neighbors=7))
    fitted.set_params(n_neighbors="auto")
    assert copy.n_neighbors == 7
    with pytest.raises(NotFittedError):
        copy.predict(np.zeros((1, 6)))


def test_classes_added_after_training_are_predicted():
    X, y = load_digits(return_X_y=True)
    known = y < 8
    classifier = DimcoClassifier(k=16, d=16, n_neighbors=1).fit(X[known][:1000], y[known][:1000])
    new_X, new_y = X[~known], y[~known]
    classifier.add_support(new_X[:200], new_y[:200])
    assert classifier.classes_.tolist() == list(range(10))
    assert classifier.score(new_X[200:], new_y[200:]) > 0.5, "chance is 0.1"
    assert classifier.score(X[known][1000:], y[known][1000:]) > 0.8


def test_support_of_another_kind_of_label_is_refused(blobs, fitted):
    with pytest.raises(InputError, match="expected labels like those in fit"):
        fitted.add_support(blobs[0][:2], ["oak", "elm"])


def test_support_of_another_length_than_its_labels_is_refused(blobs, fitted):
    with pytest.raises(InputError, match=r"expected 3 labels, one an item; got shape \(2,\)"):
        fitted.add_support(blobs[0][:3], [0, 1])


def test_pickled_estimators_predict_the_same(blobs, fitted):
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(blobs[0]), fitted.predict(blobs[0]))


def test_the_model_can_be_saved_and_used_alone(blobs, fitted, tmp_path):
    fitted.model_.save(tmp_path / "model.safetensors")
    model = CodeModel.load(tmp_path / "model.safetensors")
    assert model.encode(blobs[0]) == fitted.encode(blobs[0])


def test_held_out_information_stops_training_early(blobs):
    encoder = DimcoEncoder(k=4, d=3, epochs=400, held_out=0.25, patience=3).fit(*blobs)
    assert len(encoder.history_) < 400
    assert all(record.held_out is not None for record in encoder.history_)


def test_verbose_prints_a_line_an_epoch(blobs, capsys):
    DimcoEncoder(k=4, d=3, epochs=3, verbose=1).fit(*blobs)
    assert capsys.readouterr().err.count("\n") == 3


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 1}, "expected k from 2 to 65536; got 1"),
        ({"d": 0}, "expected d from 1 to 4096; got 0"),
        ({"objective": "triplet"}, "expected an objective of infomax, decoder; got 'triplet'"),
        ({"head": "tree"}, "expected a head of linear, mlp, codeword, distance; got 'tree'"),
        ({"head": "codeword"}, "expected the decoder objective with the codeword head; got 'infomax'"),
        ({"bits": 0}, "expected a whole number of bits an item, at least 1; got 0"),
        ({"bits": 4097}, "expected a number of bits that .* can make; got 4097"),
        ({"objective": "decoder", "label_smoothing": 1.0}, "expected label smoothing from 0 to below 1; got 1.0"),
        ({"lr": -1.0}, "expected a positive learning rate; got -1.0"),
        ({"epochs": 0}, "expected epochs of at least 1; got 0"),
        ({"patience": 3}, "expected a held-out fraction above 0 for early stopping"),
        ({"n_neighbors": 0}, "expected n_neighbors of at least 1"),
    ],
)
def test_bad_parameters_are_named(blobs, parameters, message):
    with pytest.raises(InputError, match=message):
        DimcoClassifier(**parameters).fit(*blobs)


def test_one_class_only_is_refused(blobs):
    with pytest.raises(InputError, match="at least 2 classes; got one class only"):
        DimcoEncoder().fit(blobs[0], np.zeros(240, dtype=int))


@pytest.fixture(scope="module")
def chosen(blobs):
    return DimcoClassifier(bits=8, time_budget=0, epochs=20, held_out=0.2, patience=15).fit(*blobs)


def test_bits_give_a_code_of_that_size(blobs, chosen):
    X, y = blobs
    assert chosen.settings_.spec.bits == 8
    assert (chosen.model_.spec, chosen.encode(X).spec) == (chosen.settings_.spec, chosen.settings_.spec)
    assert chosen.codes_.nbytes == len(X)
    assert chosen.transform(X).shape == (240, chosen.settings_.d)
    assert chosen.score(X, y) > 0.9


def test_names_of_the_features_out_follow_the_code_chosen(chosen):
    names = [f"dimcoclassifier{i}" for i in range(chosen.settings_.d)]
    assert chosen.get_feature_names_out().tolist() == names


def test_the_settings_of_the_best_trial_are_used(monkeypatch, blobs):
    """Fitting alone is real: the trials score what this test wants."""
    from types import SimpleNamespace

    monkeypatch.setattr("dimco.selection.fit_code", lambda x, y, classes, settings: SimpleNamespace(model=settings))
    monkeypatch.setattr("dimco.selection.evaluate", lambda settings, *_: SimpleNamespace(top1=100.0 * settings.k))
    encoder = DimcoEncoder(bits=4, epochs=2, random_state=3).fit(*blobs)
    assert {trial.settings.spec.bits for trial in encoder.trials_} == {4}
    assert (encoder.settings_.k, encoder.settings_.d, encoder.settings_.seed) == (16, 1, 3)
    assert encoder.settings_ == max(encoder.trials_, key=lambda trial: trial.top1).settings
    assert encoder.model_.metadata["settings"]["k"] == 16


def test_what_bits_do_not_choose_stays_as_given(chosen):
    assert len(chosen.trials_) == 1, "no time for more"
    assert (chosen.settings_.epochs, chosen.settings_.held_out, chosen.settings_.patience) == (20, 0.2, 15)
    assert all(record.held_out is not None for record in chosen.history_)


def test_parameters_of_the_choice_are_cloned_and_not_changed_by_it(blobs, chosen):
    copy = clone(chosen)
    parameters = copy.get_params()
    assert (parameters["bits"], parameters["time_budget"], parameters["k"], parameters["d"]) == (8, 0, 16, 8)
    assert (chosen.k, chosen.d, chosen.head) == (16, 8, "linear")
    assert not hasattr(copy, "trials_")
    assert copy.fit(*blobs).settings_ == chosen.settings_
    np.testing.assert_array_equal(copy.transform(blobs[0]), chosen.transform(blobs[0]))


def test_without_bits_nothing_is_tried(fitted):
    assert fitted.trials_ == []


def test_a_codeword_for_each_class_classifies(blobs):
    classifier = DimcoClassifier(2, 2, objective="decoder", head="codeword", epochs=60).fit(*blobs)
    assert classifier.score(*blobs) > 0.95


def test_what_bits_chooses_is_not_taken_from_the_parameters(blobs):
    encoder = DimcoEncoder(bits=4, k=1, head="codeword", epochs=5, time_budget=0).fit(*blobs)
    assert encoder.settings_.spec.bits == 4
