"""Loops that their own file has no room for, or that call each other; the others stand beside the measure they serve.

All walk the hits of segments `lo … hi − 1` and write `out[segment, assessor]`, assessors innermost.
"""
