"""Compiled inner loops of the judges room; one module per kernel, imported on use."""
