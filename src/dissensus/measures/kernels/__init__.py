"""The hot loops, compiled on first use and cached.

Every kernel walks the hits of segments `lo … hi − 1` and writes `out[segment, assessor]`, assessors innermost. They
release the interpreter's lock, so plain threads share the segments (`measures.linear.walk`).
"""
