#!/bin/bash
# Three gates on the examples, and their exit statuses: 0 pass, 1 fail, 3 cannot tell (2: the input was refused).
gate() {
    dissensus gate "examples/runs/$1.run.gz" "examples/runs/$2.run.gz" -j examples/truth.csv -m nDCG@10 --tolerance 0.01
    echo "exit status $?"
}
gate bm25 splade
gate crossenc bm25
gate bm25 rm3
