"""NMCGMART: LambdaMART for users who do not simply read from the top."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.lambdamart import LambdaMART
from dissensus.learning.rankers.ranker import MEASURE, positive
from dissensus.measures.families.mcg import ANY, INFORMATIONAL, NAVIGATIONAL, given_classes
from dissensus.measures.user_models import Dynamic, read_user_model
from dissensus.tables.topic_groups import read_groups

# An assumed user, for use where there is no click log to fit: looks at the first result of a navigational query and
# wanders over the whole page of an informational one. The ranker's notes say when it was assumed.
ASSUMED = {
    NAVIGATIONAL: Dynamic(alpha=0.9, beta=0.0, gamma=0.1),
    INFORMATIONAL: Dynamic(alpha=0.15, beta=-0.005, gamma=0.55),
}


class NMCGMART(LambdaMART):
    """LambdaMART on nMCG@k: ΔnMCG_ij = −(2^gi − 2^gj)(δ_c(i) − δ_c(j)) / ideal_c, δ_c = 0 beyond k.

    δ_c(i) = α/i + βi + γ is the user dynamic of the query's class c: *navigational* queries have exactly one document
    of grade 3 or above (of the top grade on scales that end below 3), all others are *informational*. Or
    `classes` says it, {topic: class} or a file of that (as for `nMCG(classes=…)`), for Features, whose topics have
    names. The class is known in training only; the trees learn to tell classes apart as far as the features do (Ferro,
    Lucchese, Maistro & Perego 2017). The ideal is the best ordering under δ, which may rise with the rank.

    `dynamics` is a user model file (`dissensus clicks LOG -o user.json`), a dict {class: Dynamic or (α, β, γ)} with the
    classes "navigational", "informational" or "all", or those of `classes`, or None for an assumed user (see `ASSUMED`;
    the notes say so). Labels may be fractions of grades.

    >>> import numpy as np
    >>> X = np.tile(np.arange(4.0), 20)[:, None]
    >>> user = {"all": (0.6, 0.0, 0.1)}
    >>> ranker = NMCGMART(dynamics=user, trees=10, workers=1).fit(X, np.tile([0, 0, 1, 3], 20), group=[4] * 20)
    >>> ranker.predict([[0.0], [3.0]]).argmax()
    np.int64(1)

    Documents beyond rank k are told apart only by pairs that reach into the first k: choose k as deep as users look.
    """

    def __init__(
        self,
        dynamics: object = None,
        k: int = 10,
        trees: int = 300,
        learning_rate: float = 0.05,
        leaves: int = 31,
        min_documents: int = 20,
        gains: str = "exp",
        sigma: float = 1.0,
        norm: bool = True,
        measure: str = MEASURE,
        patience: int = 50,
        workers: int | None = None,
        seed: int = 0,
        classes: object = None,
    ) -> None:
        super().__init__(
            trees, learning_rate, leaves, min_documents, gains, sigma=sigma, norm=norm, measure=measure,
            patience=patience, workers=workers, seed=seed,
        )  # fmt: skip
        self.dynamics = dynamics
        self.k = k
        self.classes = classes

    def _check_parameters(self) -> None:
        positive(self, "k", whole=True)
        super()._check_parameters()
        self._curves()

    def _curves(self) -> dict[str, Dynamic]:
        given = self.dynamics
        if given is None:
            return dict(ASSUMED)
        if isinstance(given, str):
            found: Mapping[str, Any] = read_user_model(given).dynamics
        elif isinstance(given, Mapping):
            found = given
        else:
            raise InputError(
                f"NMCGMART(dynamics={given!r}): a user model file, or a dict from query class to (α, β, γ)."
            )
        curves = {name: _curve(value) for name, value in found.items()}
        missing = {NAVIGATIONAL, INFORMATIONAL} - set(curves)
        if self.classes is None and ANY not in curves and missing:
            raise InputError(
                f"the dynamics {', '.join(curves) or '{}'} lack a curve for {' and '.join(sorted(missing))} queries.",
                f'Give both classes, or one curve for "{ANY}".',
            )
        for name, curve in curves.items():
            if (curve.delta(self.k) < 0).any() or not (curve.delta(self.k) > 0).any():
                raise InputError(
                    f"the {name} dynamic is {np.round(curve.delta(self.k), 4).tolist()} on ranks 1…{self.k}; "
                    "it must not fall below zero.",
                    "Choose a smaller k, or fit the dynamic on more clicks.",
                )
        return curves

    def _objective(self, data: Queries) -> object:
        curves = self._curves()
        names = list(curves)
        if self.classes is None:
            kind = np.array([_position(names, c) for c in query_classes(data)], np.int64)
        else:
            kind = np.array([names.index(c) for c in self._given(data.topics, names)], np.int64)
        share = np.bincount(kind, minlength=len(names)) / len(kind)
        if self.dynamics is None:
            self.notes_ += ("user dynamics were assumed, not fitted to clicks",)
        self.notes_ += tuple(f"{s:.1%} of the training queries are {n}" for n, s in zip(names, share, strict=True))
        return self._lambdas(data, np.array([c.delta(self.k) for c in curves.values()]), kind, self.k)

    def _given(self, topics: tuple[str, ...] | None, curves: list[str]) -> list[str]:
        """The class of each query, as `classes` says."""
        given = self.classes
        if not isinstance(given, Mapping | str | os.PathLike):
            raise InputError(f"NMCGMART(classes={given!r}): a dict from topic to class, or a file with both columns.")
        if topics is None:
            raise InputError(
                "NMCGMART(classes=…) finds classes by topic, and the queries of X, y, group have no names.",
                "Name them: fit(Features.from_arrays(X, y, group, topics=[…])).",
            )
        table = {str(t): str(c) for t, c in given.items()} if isinstance(given, Mapping) else read_groups(given)
        source = "classes=" if isinstance(given, Mapping) else str(given)
        user = self.dynamics if isinstance(self.dynamics, str) else "dynamics="
        return given_classes(topics, table, curves, "NMCGMART", source, user)

    def _plain_settings(self) -> dict[str, object]:
        settings = self.get_params()
        if self.dynamics is not None:  # the file may be gone when the ranker is loaded
            settings["dynamics"] = {n: [c.alpha, c.beta, c.gamma] for n, c in self._curves().items()}
        if isinstance(self.classes, Mapping):
            settings["classes"] = {str(topic): str(name) for topic, name in self.classes.items()}
        elif self.classes is not None:
            settings["classes"] = str(self.classes)
        return settings


def query_classes(data: Queries) -> NDArray[np.str_]:
    """The class of each query, by how many of its documents reach grade 3 (or the top grade, if that is lower)."""
    bar = min(3.0, float(np.ceil(data.y.max())) if len(data.y) else 3.0)
    best = np.add.reduceat((np.round(data.y) >= bar).astype(np.int64), data.bounds[:-1])
    return np.where(best == 1, NAVIGATIONAL, INFORMATIONAL)


def _curve(value: Any) -> Dynamic:
    if isinstance(value, Dynamic):
        return value
    if all(hasattr(value, name) for name in ("alpha", "beta", "gamma")):
        return Dynamic(value.alpha, value.beta, value.gamma)
    try:
        alpha, beta, gamma = value
    except (TypeError, ValueError):
        raise InputError(f"{value!r} is not a valid user dynamic.", "Write (α, β, γ): δ(i) = α/i + βi + γ.") from None
    return Dynamic(alpha, beta, gamma)


def _position(names: list[str], wanted: str) -> int:
    return names.index(wanted) if wanted in names else names.index(ANY)
