"""Benchmarks: dissensus beside its peers in one run, ratios printed. `python -m bench [name …]`."""
