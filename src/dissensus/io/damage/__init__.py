"""What a damaged Parquet or Arrow file states that cannot be right: sizes, places and counts in its headers.

Polars trusts these numbers and asks for the memory they imply. A damaged one asks for 2⁶¹ bytes and the process is
gone, which no `except` can catch. So footers and the headers of pages and blocks are read here first. They are small.
Pages and buffers themselves are skipped. Parquet writes headers in Thrift's compact protocol, Arrow as FlatBuffers.

`python -m bench.damage` read 20,000 damaged files. Polars alone ended the process 36 times. Polars behind these checks
and pyarrow never did. pyarrow in the place of this file would take 170 MB. It would cost each command that reads such a
file a tenth of a second more at its start, and large files twice Polars' time.
"""
