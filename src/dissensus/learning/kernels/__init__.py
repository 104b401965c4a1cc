"""Numba kernels of the rankers, one module each, imported when a ranker is trained."""
