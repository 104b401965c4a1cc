"""One module per file format: from bytes to columns, with the line of every row."""
