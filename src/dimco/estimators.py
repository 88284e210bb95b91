"""The scikit-learn face: DimcoEncoder turns features into codes, DimcoClassifier votes over them."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dimco.classify import VotingCodes, Weights, knn_votes
from dimco.codes import Codes
from dimco.errors import InputError
from dimco.extras import require
from dimco.fitting import FitSettings, HeadName, ObjectiveName, fit_code
from dimco.inputs import check_labels, encode_labels
from dimco.model import CodeModel
from dimco.selection import Trial, choose_settings
from dimco.training.progress import print_epoch

require("sklearn")

from sklearn.base import (  # noqa: E402
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state  # noqa: E402
from sklearn.utils.multiclass import check_classification_targets  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402

_MOST_NEIGHBOURS = 200


class DimcoEncoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learn k-way d-dimensional codes that keep what features tell about labels.

    Parameters
    ----------
    k : int, default=16
        Symbols at each position.
    d : int, default=8
        Positions; a code takes d * ceil(log2 k) bits.
    bits : int, optional
        Bits an item; k, d, objective, head and lambda are then chosen by held-out accuracy within
        `time_budget`, and those given are not used.
    time_budget : float, default=60.0
        Seconds for that choice, see `dimco.selection.choose_settings`.
    objective : {"infomax", "decoder"}, default="infomax"
        The paper's loss (eq. 12), or the decoder bound on the information in the whole stored code.
    head : {"linear", "mlp", "codeword"}, default="linear"
        The paper's factored linear layer, one hidden layer, or a codeword for each class (with the decoder
        objective): the best accuracy for known classes at every number of bits, not for classes to come.
    hidden : int, optional
        Width of the head's inner layer; 128 for linear, 512 for the others.
    independence : float, default=1.0
        The paper's lambda; used by "infomax" alone.
    group : int, optional
        Positions whose information is taken together, see `dimco.objectives.Infomax`; used by "infomax"
        alone. None chooses by the code, see `dimco.fitting.FitSettings`.
    label_smoothing : float, default=0.1
        Of the loss; used by "decoder" alone.
    epochs, batch_size, lr : optional
        None chooses by the head and the number of items, see `dimco.fitting.FitSettings`.
    held_out : float, default=0.0
        Fraction of each class held out to measure information.
    patience : int, optional
        Stop after this many epochs without more held-out information.
    device : str, default="auto"
        "auto" is CUDA if there is one.
    random_state : int, RandomState instance or None, default=0
        The same integer gives the same codes on the same machine.
    verbose : int, default=0
        1 prints a line an epoch.

    Attributes
    ----------
    model_ : CodeModel
        The trained encoder; `model_.save(path)` writes it.
    classes_ : ndarray of shape (n_classes,)
        The labels seen in `fit`.
    settings_ : FitSettings
        What was used; with `bits`, what was chosen.
    trials_ : list of Trial
        What was tried for `bits`; empty without it.
    history_ : list of EpochRecord
    n_features_in_ : int

    References
    ----------
    Lee, Kim, Park, Choi, "Discrete Infomax Codes for Supervised Representation Learning",
    arXiv 1905.11656v2.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> codes = DimcoEncoder(k=16, d=4).fit(X, y).transform(X)
    >>> codes.shape, codes.dtype
    ((1797, 4), dtype('uint8'))
    """

    def __init__(
        self,
        k: int = 16,
        d: int = 8,
        *,
        bits: int | None = None,
        time_budget: float = 60.0,
        objective: ObjectiveName = "infomax",
        head: HeadName = "linear",
        hidden: int | None = None,
        independence: float = 1.0,
        group: int | None = None,
        label_smoothing: float = 0.1,
        epochs: int | None = None,
        batch_size: int | None = None,
        lr: float | None = None,
        held_out: float = 0.0,
        patience: int | None = None,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.k = k
        self.d = d
        self.bits = bits
        self.time_budget = time_budget
        self.objective = objective
        self.head = head
        self.hidden = hidden
        self.independence = independence
        self.group = group
        self.label_smoothing = label_smoothing
        self.epochs = epochs
        self.batch_size = batch_size
        self.lr = lr
        self.held_out = held_out
        self.patience = patience
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the code.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Integers or strings, of at least two classes.
        """
        features, labels = validate_data(self, X, y, dtype="numeric")
        check_classification_targets(labels)
        self.classes_, indices = encode_labels(labels, len(features))
        on_epoch = print_epoch if self.verbose else None
        self.settings_: FitSettings = self._settings()
        self.trials_: list[Trial] = []
        if self.bits is not None:
            self.settings_, self.trials_ = choose_settings(
                features, indices, len(self.classes_), self.bits, self.settings_, self.time_budget
            )
        fitted = fit_code(features, indices, len(self.classes_), self.settings_, on_epoch=on_epoch)
        self.model_: CodeModel = fitted.model
        self.model_.metadata["classes"] = self.classes_.tolist()
        self.history_ = fitted.history
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.unsignedinteger]:
        """The codes as symbols, (n_samples, d), the smallest unsigned integers that hold k."""
        return self.encode(X).unpack()

    def encode(self, X: ArrayLike) -> Codes:
        """The codes, bit-packed (eq. 3)."""
        features = self._validated(X)
        return self.model_.encode(features)

    def log_probs(self, X: ArrayLike) -> NDArray[np.float32]:
        """log p of each symbol at each position, (n_samples, d, k) (eq. 2): what `CodeIndex` is searched with."""
        features = self._validated(X)
        log_probs: NDArray[np.float32] = self.model_.log_probs(features).numpy()
        return log_probs

    @property
    def _n_features_out(self) -> int:
        return self.model_.spec.d

    def _validated(self, X: ArrayLike) -> NDArray[Any]:
        check_is_fitted(self, "model_")
        features: NDArray[Any] = validate_data(self, X, dtype="numeric", reset=False)
        return features

    def _settings(self) -> FitSettings:
        seed = self.random_state
        if not isinstance(seed, (int, np.integer)):
            seed = check_random_state(seed).randint(np.iinfo(np.int32).max)
        code: dict[str, Any] = {}
        if self.bits is None:
            code = {"k": self.k, "d": self.d, "objective": self.objective, "head": self.head}
            code |= {"independence": self.independence, "group": self.group}
        return FitSettings(
            **code,
            hidden=self.hidden,
            label_smoothing=self.label_smoothing,
            epochs=self.epochs,
            batch_size=self.batch_size,
            lr=self.lr,
            held_out=self.held_out,
            patience=self.patience,
            seed=int(seed),
            device=self.device,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags


class DimcoClassifier(ClassifierMixin, DimcoEncoder):  # type: ignore[misc]
    """Classify by the votes of the nearest stored codes.

    The training set is kept as codes only. A query keeps its probabilities: its similarity to a stored
    code is the log probability of being given that code (eq. 8). Items that tie at the edge of the
    neighbourhood share the places left.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        Items that vote; "auto" is the square root of the number of stored items, at most 200.
    weights : {"uniform", "similarity"}, default="uniform"
        Whether neighbours vote equally or by their similarity.
    k, d, bits, time_budget, objective, head, hidden, independence, group, label_smoothing, epochs, batch_size, \
lr, held_out, patience, device, random_state, verbose
        As in `DimcoEncoder`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels of the support, classes added by `add_support` among them.
    codes_ : Codes
        The stored codes.
    labels_ : ndarray of shape (n_stored,)
        Their labels.
    model_, settings_, trials_, history_, n_features_in_
        As in `DimcoEncoder`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> classifier = DimcoClassifier(k=16, d=4).fit(X[:1000], y[:1000])
    >>> bool(classifier.score(X[1000:], y[1000:]) > 0.85)
    True
    """

    def __init__(
        self,
        k: int = 16,
        d: int = 8,
        *,
        n_neighbors: int | Literal["auto"] = "auto",
        weights: Weights = "uniform",
        bits: int | None = None,
        time_budget: float = 60.0,
        objective: ObjectiveName = "infomax",
        head: HeadName = "linear",
        hidden: int | None = None,
        independence: float = 1.0,
        group: int | None = None,
        label_smoothing: float = 0.1,
        epochs: int | None = None,
        batch_size: int | None = None,
        lr: float | None = None,
        held_out: float = 0.0,
        patience: int | None = None,
        device: str = "auto",
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            k,
            d,
            bits=bits,
            time_budget=time_budget,
            objective=objective,
            head=head,
            hidden=hidden,
            independence=independence,
            group=group,
            label_smoothing=label_smoothing,
            epochs=epochs,
            batch_size=batch_size,
            lr=lr,
            held_out=held_out,
            patience=patience,
            device=device,
            random_state=random_state,
            verbose=verbose,
        )
        self.n_neighbors = n_neighbors
        self.weights = weights

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Learn the code and store the codes of `X` as support."""
        if self.n_neighbors != "auto" and self.n_neighbors < 1:
            raise InputError(f'expected n_neighbors of at least 1, or "auto"; got {self.n_neighbors}')
        super().fit(X, y)
        self.labels_: NDArray[Any] = np.asarray(y).reshape(-1)
        self._store(self.encode(X), self.labels_)
        return self

    def add_support(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Store more labelled items, of known classes or new ones, without training again."""
        added = self.encode(X)
        labels = check_labels(y, len(added))
        if (labels.dtype.kind in "OUS") != (self.labels_.dtype.kind in "OUS"):
            raise InputError(f"expected labels like those in fit ({self.labels_.dtype}); got {labels.dtype}")
        self._store(Codes.concatenate([self.codes_, added]), np.concatenate([self.labels_, labels]))
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The label with most votes for each item."""
        winners = self.predict_proba(X).argmax(1)
        labels: NDArray[Any] = self.classes_[winners]
        return labels

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Each class's share of the votes, (n_samples, n_classes), in the order of `classes_`."""
        features = self._validated(X)
        votes = knn_votes(self.model_.log_probs(features), self._voting, self._neighbours(), self.weights)
        shares: NDArray[np.float64] = votes / votes.sum(1, keepdims=True)
        return shares

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The logarithm of `predict_proba`, -inf for classes without a vote."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _neighbours(self) -> int:
        if self.n_neighbors == "auto":
            return min(_MOST_NEIGHBOURS, int(np.ceil(np.sqrt(len(self.codes_)))))
        return self.n_neighbors

    def _store(self, codes: Codes, labels: NDArray[Any]) -> None:
        self.codes_, self.labels_ = codes, labels
        self.classes_, indices = np.unique(labels, return_inverse=True)
        self._voting = VotingCodes.from_items(codes.unpack(), indices, len(self.classes_))
