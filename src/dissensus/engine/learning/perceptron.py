"""One pass of the perceptron for ordered grades over all documents."""

from __future__ import annotations

from dissensus.engine.machine_code import jit


@jit(nogil=True)
def perceptron_pass(X, level, order, w, b, w_sum, b_sum):  # type: ignore[no-untyped-def]
    """Update weights w and ascending thresholds b on every mistake, add both to the running sums; mistakes made.

    A document of level y should score above the thresholds 0…y−1 and below the others. Every threshold on the wrong
    side moves by one step towards the score, and the weights move the score towards the thresholds.
    """
    n_features = X.shape[1]
    n_thresholds = len(b)
    mistakes = 0
    for at in range(len(order)):
        row = order[at]
        score = 0.0
        for f in range(n_features):
            score += w[f] * X[row, f]
        step = 0
        for r in range(n_thresholds):
            wanted = 1 if level[row] > r else -1
            if (score - b[r]) * wanted <= 0.0:
                step += wanted
                b[r] -= wanted
        if step != 0:
            mistakes += 1
            for f in range(n_features):
                w[f] += step * X[row, f]
        for f in range(n_features):
            w_sum[f] += w[f]
        for r in range(n_thresholds):
            b_sum[r] += b[r]
    return mistakes
