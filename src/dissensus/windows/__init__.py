"""Windows that show any result: terminal, notebook, JSON, LaTeX, Markdown, and files.

    result.tables ─► terminal   aligned text, at most forty lines unless all rows are asked for
                  ─► notebook   HTML, what a column means as its tooltip
                  ─► json       one object with a schema number
                  ─► latex      booktabs, what the columns mean below the table
                  ─► markdown   the same for Markdown
                  ─► files      .csv .tsv .parquet .json .tex .md, whole or absent

No window knows a method and no method knows a window: a result declares tables, columns, claims, notes and facts
(`dissensus.results`). `words` writes single cells. Every text from data is escaped there or in the window.
"""
