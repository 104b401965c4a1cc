"""Doors: what other tools write, one file each, recognised by keys and never by the file's name.

A door has a `NAME`, `opens(document)`, which tells whether a JSON document is of this tool, and `read(document)`, which
gives its runs, judgments and scores as rows, with notes on what was mapped and dropped.
"""
