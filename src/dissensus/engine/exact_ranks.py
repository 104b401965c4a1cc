"""The exact ceiling's kernel: expected rank weights when another judge's labels order the documents.

One document is above another if the other judge gives it a higher label, or the same label and a luckier tie-break.
Given a label j and a tie-break u ∈ (0, 1), a document of reference grade k is above with probability

    q_k(u) = Σ_{l>j} c_kl + u·c_kj

independently of the rest, so the number above is a sum of binomials. For one grade i the n_i documents contribute
n_i v_i c_ij ∫ E[w(1 + number above among the others)] du. With generating functions all grades share one convolution:

    Σ_i a_i Π_k (1 − q_k + q_k z)^{n_k − [k=i]}  =  Π_k (1 − q_k + q_k z)^{n_k − 1} · Σ_i a_i Π_{k≠i} (1 − q_k + q_k z)

where the second factor is a polynomial of degree (grades − 1). Binomials are built outwards from their mode by the
ratio of neighbours and normalised by their sum, which keeps them accurate to rounding; terms below 1e-19 of the mode
are dropped, and nothing is computed beyond the last rank that has a weight.
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.machine_code import jit

_TINY = 1e-19
TIED = 60.0  # tied documents that one panel of nodes copes with


@jit(nogil=True)
def _binomial(n, q, inverse, out):  # type: ignore[no-untyped-def]
    """Write P(Bin(n, q) = start … start + length − 1) to `out`; return (start, length)."""
    if n == 0 or q <= 0.0:
        out[0] = 1.0
        return 0, 1
    if q >= 1.0:
        out[0] = 1.0
        return n, 1
    odds = q / (1.0 - q)
    mode = min(int((n + 1) * q), n)
    low = mode
    p = 1.0
    below = 1.0 / odds
    while low > 0:
        p *= low * inverse[n - low + 1] * below
        if p < _TINY:
            break
        low -= 1
    high = mode
    p = 1.0
    while high < n:
        p *= (n - high) * inverse[high + 1] * odds
        if p < _TINY:
            break
        high += 1
    length = high - low + 1
    out[mode - low] = 1.0
    total = 1.0
    p = 1.0
    for b in range(mode, low, -1):
        p *= b * inverse[n - b + 1] * below
        out[b - 1 - low] = p
        total += p
    p = 1.0
    for b in range(mode, high):
        p *= (n - b) * inverse[b + 1] * odds
        out[b + 1 - low] = p
        total += p
    scale = 1.0 / total
    for b in range(length):
        out[b] *= scale
    return low, length


@jit(nogil=True)
def _convolve(a, a_length, b, b_length, room, out):  # type: ignore[no-untyped-def]
    """The first `room` terms of a ∗ b; returns their number."""
    length = min(a_length + b_length - 1, room)
    for h in range(length):
        out[h] = 0.0
    for i in range(min(a_length, length)):
        x = a[i]
        stop = min(b_length, length - i)
        for k in range(stop):
            out[i + k] += x * b[k]
    return length


@jit(nogil=True)
def _leave_one_out(share, present, q, mixture, product):  # type: ignore[no-untyped-def]
    """Σ_i a_i Π_{k≠i} (1 − q_k + q_k z) over the present grades, as coefficients in `mixture`; returns their number.

    Both Π and Σ grow by one grade at a time: with f = 1 − q + q z, (Σ, Π) becomes (Σ·f + a·Π, Π·f).
    """
    degree = 0
    product[0] = 1.0
    mixture[0] = 0.0
    for k in range(len(present)):
        if present[k] == 0:
            continue
        p = q[k]
        product[degree + 1] = 0.0
        mixture[degree + 1] = 0.0
        for h in range(degree + 1, -1, -1):
            shifted = mixture[h - 1] * p if h > 0 else 0.0
            mixture[h] = mixture[h] * (1.0 - p) + shifted + share[k] * product[h]
        for h in range(degree + 1, -1, -1):
            product[h] = product[h] * (1.0 - p) + (product[h - 1] * p if h > 0 else 0.0)
        degree += 1
    return max(degree, 1)


@jit(nogil=True)
def _integrand(  # type: ignore[no-untyped-def]
    u, j, above, counts, matrix, weights, share, inverse, q, mixture, product, buffer, current, following
):
    """Σ_i a_i E[w(1 + documents above)] for label j and tie-break u."""
    grades = len(counts)
    room = len(weights)
    start = 0
    length = 1
    current[0] = 1.0
    for k in range(grades):
        q[k] = min(above[k] + u * matrix[k, j], 1.0)
        if counts[k] > 1:
            low, width = _binomial(counts[k] - 1, q[k], inverse, buffer)
            start += low
            if start >= room:
                return 0.0
            length = _convolve(buffer, width, current, length, room - start, following)
            current, following = following, current
    terms = _leave_one_out(share, counts, q, mixture, product)
    total = 0.0
    for m in range(terms):
        stop = min(length, room - start - m)
        dot = 0.0
        for h in range(stop):
            dot += current[h] * weights[start + h + m]
        total += mixture[m] * dot
    return total


@jit(nogil=True)
def expected_score(counts, matrix, weights, values, nodes, node_weights, refine, inverse):  # type: ignore[no-untyped-def]
    """Σ_i n_i v_i Σ_j c_ij ∫ E[w(rank)] du for one topic.

    `counts` documents per reference grade, `matrix` reference grade × label (labels from worst to best),
    `weights` by rank up to the last that is not 0, `values` by grade, Gauss–Legendre `nodes` and `node_weights`
    on (0, 1), `inverse[b]` = 1/b for b = 1 … documents.

    `refine` < 0 takes the nodes once over (0, 1). From 0 on, (0, 1) is cut into panels that halve towards u = 0 until
    the innermost expects at most `TIED` tied documents above (what happens first happens there), each panel into
    2^refine parts, and the nodes are taken over every part.
    """
    grades, labels = matrix.shape
    documents = 0
    for k in range(grades):
        documents += counts[k]
    buffer = np.empty(documents + 2)
    current = np.empty(documents + 2)
    following = np.empty(documents + 2)
    mixture = np.empty(grades + 2)
    product = np.empty(grades + 2)
    share = np.empty(grades)
    above = np.zeros(grades)
    q = np.empty(grades)

    score = 0.0
    for j in range(labels - 1, -1, -1):
        busy = False
        tied = 0.0
        for k in range(grades):
            share[k] = counts[k] * values[k] * matrix[k, j]
            tied += counts[k] * matrix[k, j]
            if share[k] != 0.0:
                busy = True
        if busy:
            inner = 1.0
            parts = 1
            if refine >= 0:
                parts = 2**refine
                while inner * tied > TIED:
                    inner *= 0.5
            left, right = 0.0, inner
            while left < 1.0:
                width = (right - left) / parts
                for part in range(parts):
                    for t in range(len(nodes)):
                        u = left + (part + nodes[t]) * width
                        score += (
                            node_weights[t]
                            * width
                            * _integrand(
                                u, j, above, counts, matrix, weights, share, inverse,
                                q, mixture, product, buffer, current, following,
                            )
                        )  # fmt: skip
                left, right = right, 2.0 * right
        for k in range(grades):
            above[k] += matrix[k, j]
    return score


@jit(nogil=True)
def expected_scores(  # type: ignore[no-untyped-def]
    counts, matrices, matrix_of, weights, lengths, values, nodes, node_weights, refine, inverse, first, last, out
):
    """`expected_score` of topics first … last − 1 into `out`, all with the same nodes.

    Topic t has the matrix `matrices[matrix_of[t]]`, weights `weights[t, :lengths[t]]` and values `values[t]`.
    """
    for t in range(first, last):
        out[t] = expected_score(
            counts[t],
            matrices[matrix_of[t]],
            weights[t, : lengths[t]],
            values[t],
            nodes,
            node_weights,
            refine,
            inverse,
        )
