"""Linear rankers: score = w·z, z the features standardised with the training data's mean and deviation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import ConvergenceWarning, InputError
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.model_file import numbers
from dissensus.learning.rankers.ranker import Ranker, Watch
from dissensus.work.progress import Progress


class LinearRanker(Ranker):
    """Learns `coef_`, one weight per standardised feature; features that never vary weigh nothing."""

    coef_: Floats
    mean_: Floats
    scale_: Floats

    def _standardise(self, data: Queries) -> Floats:
        """Learn mean and deviation from the training data, and apply them."""
        self.mean_ = data.X.mean(axis=0)
        with np.errstate(over="ignore", invalid="ignore"):
            deviation = data.X.std(axis=0)
        huge = np.flatnonzero(~np.isfinite(deviation))
        if len(huge):
            raise InputError(
                f"column {huge[0]} of X reaches {np.abs(data.X[:, huge[0]]).max():g}, too far to be standardised.",
                "Divide it by some large number first.",
            )
        constant = deviation <= 1e-12 * np.maximum(np.abs(self.mean_), 1e-300)
        self.scale_ = np.where(constant, 1.0, deviation)
        if constant.any():
            self.notes_ += (f"{int(constant.sum()):,} features never vary in the training data and weigh nothing",)
        return self._scaled(data.X)

    def _scaled(self, X: Floats) -> Floats:
        return (X - self.mean_) / self.scale_

    def _score(self, X: Floats) -> Floats:
        return self._scaled(X) @ self.coef_

    def _model(self) -> dict[str, object]:
        return {"coef": self.coef_.tolist(), "mean": self.mean_.tolist(), "scale": self.scale_.tolist()}

    def _restore(self, model: dict[str, object]) -> None:
        self.coef_, self.mean_, self.scale_ = (
            numbers(model, name, length=self.n_features_in_) for name in ("coef", "mean", "scale")
        )
        if not (self.scale_ > 0).all():
            raise ValueError("scale holds a number that is not above 0")

    def _descend(
        self,
        objective: Callable[[Floats], tuple[float, Floats]],
        size: int,
        *,
        rounds: int,
        watch: Watch | None,
        validation: Queries | None,
        label: str | None,
    ) -> None:
        """Minimise a smooth convex objective by L-BFGS; with validation data, keep the iterate that ranks them best."""
        from scipy.optimize import minimize

        held_out = None if validation is None else self._scaled(validation.X)
        with Progress(label, rounds) as bar:

            def after_round(intermediate_result: Any) -> None:
                bar.advance()
                if watch is not None and held_out is not None:
                    w = np.array(intermediate_result.x)
                    if watch.see(held_out @ w, lambda: w):
                        raise StopIteration

            found = minimize(
                objective,
                np.zeros(size),
                jac=True,
                method="L-BFGS-B",
                callback=after_round,
                options={"maxiter": rounds, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-7},
            )
        kept = watch is not None and watch.best is not None
        self.coef_ = watch.best if watch is not None and kept else np.asarray(found.x)
        self.objective_ = float(found.fun)
        self.converged_ = bool(found.success) or found.status == 99
        self._stopped(watch, int(found.nit))
        if not self.converged_ and not kept and found.status == 1:
            warnings.warn(
                f"{type(self).__name__} stopped after {rounds} rounds before it settled; raise rounds.",
                ConvergenceWarning,
                stacklevel=5,
            )
