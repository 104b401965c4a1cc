"""C/W/L users whose next step depends on what they have read, for every ranking and every assessor at once.

Nothing changes between two documents that are worth something, so only these are visited (`start`, `who`: the assessors
to whom an item is worth something), and the weights in between are summed in closed form.
"""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def normalised_cascade(lo, hi, first, last, hit_rank, hit_item, start, who, labels, table, running, total, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ f_r·Π(1 − v)·v / Σ f_r·Π(1 − v); running[r] = f_1 + … + f_r, `total` all of them."""
    n_assessors = out.shape[1]
    going_on = np.empty(n_assessors)
    read = np.empty(n_assessors)
    before = np.empty(n_assessors)
    for s in range(lo, hi):
        going_on[:] = 1.0
        read[:] = 0.0
        before[:] = 0.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            rank = hit_rank[h]
            here = running[rank]
            weight = here - running[rank - 1]
            for j in range(start[item], start[item + 1]):
                a = who[j]
                v = table[np.int64(labels[item, a]) + 128]
                read[a] += going_on[a] * (here - before[a])
                before[a] = here
                out[s, a] += going_on[a] * weight * v
                going_on[a] *= 1.0 - v
        for a in range(n_assessors):
            out[s, a] /= read[a] + going_on[a] * (total - before[a])


@compiled
def bpm_scores(lo, hi, first, last, hit_rank, hit_item, start, who, labels, table, wanted, end, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ v / documents read; reading ends where Σ v reaches `wanted`, or at rank `end`."""
    n_assessors = out.shape[1]
    stopped = np.empty(n_assessors, np.int64)
    for s in range(lo, hi):
        stopped[:] = 0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            for j in range(start[item], start[item + 1]):
                a = who[j]
                if stopped[a] == 0:
                    out[s, a] += table[np.int64(labels[item, a]) + 128]
                    if out[s, a] >= wanted:
                        stopped[a] = hit_rank[h]
        for a in range(n_assessors):
            out[s, a] /= stopped[a] if stopped[a] > 0 else end


@compiled
def inst_scores(lo, hi, first, last, hit_rank, hit_item, start, who, labels, table, wanted, depth, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ w·v / Σ w of INST; depth 0: over all ranks.

    After rank a with c = 2T − Σv, w_r = w_a·((a − 1 + c)/(r − 1 + c))², and Σ 1/x² over x, x+1, … is the trigamma
    function: an asymptotic series above 8, the recurrence ψ₁(x) = ψ₁(x + 1) + 1/x² below.
    """
    n_assessors = out.shape[1]
    weight = np.empty(n_assessors)  # w at the rank last visited, times (rank − 1 + c)²
    read = np.empty(n_assessors)
    c = np.empty(n_assessors)
    place = np.empty(n_assessors)
    for s in range(lo, hi):
        weight[:] = 4.0 * wanted * wanted
        read[:] = 0.0
        c[:] = 2.0 * wanted
        place[:] = 0.0
        for h in range(first[s], last[s] + 1):
            over = h == last[s]
            rank = depth if over else hit_rank[h]
            item = 0 if over else hit_item[h]
            begin = 0 if over else start[item]
            for j in range(begin, n_assessors if over else start[item + 1]):
                a = j if over else who[j]
                # Σ w over ranks place + 1 … rank
                total = 0.0
                for side in range(2):
                    if side == 1 and over and depth == 0:
                        continue
                    x = (place[a] if side == 0 else np.float64(rank)) + c[a]
                    part = 0.0
                    while x < 8.0:
                        part += 1.0 / (x * x)
                        x += 1.0
                    y = 1.0 / (x * x)
                    part += (
                        1.0 / x
                        + 0.5 * y
                        + y / x * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y * (1.0 / 30.0 - y * 5.0 / 66.0))))
                    )
                    total += part if side == 0 else -part
                read[a] += weight[a] * total
                if not over:
                    v = table[np.int64(labels[item, a]) + 128]
                    x = rank - 1.0 + c[a]
                    w = weight[a] / (x * x)
                    out[s, a] += w * v
                    c[a] -= v
                    x = rank - 1.0 + c[a]
                    weight[a] = w * x * x
                    place[a] = rank
        for a in range(n_assessors):
            out[s, a] /= read[a]
