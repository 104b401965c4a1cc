"""Loops that are longer than the file they serve has room for, or that nobody needs until numba is loaded anyway; the
others stand beside their measure. All walk the hits of segments `lo … hi − 1` and write `out[segment, assessor]`."""
