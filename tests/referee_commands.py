"""The referee's commands: each with a name that stays when its words change (tools/referee.py)."""

from __future__ import annotations

import shlex
from pathlib import Path

from referee_files import FILES

from tools.referee import DATA, ROOT, Case, command

E = ROOT / "examples"
STUDY = f"'{E}/runs/*' -j {E}/labels.csv"
AUDITED = f"{STUDY} -a llm --audit {E}/audit.csv"
MANY = (
    "Success,Judged,Rprec,SetP,SetR,SetF,AP,NCP,GAP,infAP,CG,NCG,DCG,nDCG,RBP(p=0.8),RR,ERR@10,ESL,Bpref,Compat(p=0.8),"
    "MP,SetAP,SetRelP,Accuracy,NumRet,NumRelRet,GMAP,IPrecAvg,Utility,binG,G,nDCG_rel,P@5,R@20"
)

# {collection: {name of the case: words}}; FOLDER is a folder for what is written
COMMANDS = {
    "examples": {
        "evaluate": f"evaluate {STUDY}",
        "evaluate many": f"evaluate {STUDY} -a ann -m '{MANY}'",
        "evaluate per topic": f"evaluate {STUDY} -a llm -m 'P(rel=2)@10,nDCG@10' -q",
        "evaluate by agreement": f"evaluate {STUDY} -m nDCG@10 --by agreement",
        "evaluate bounds": f"evaluate {STUDY} -a ben -m P@10,AP --unjudged bounds",
        "evaluate condensed": f"evaluate {STUDY} -a ben --unjudged condense --empty zero --topics shared",
        "evaluate ties": f"evaluate {STUDY} -a ben --ties expected --topics own",
        "evaluate trec": f"evaluate '{E}/runs/bm25*' -j {E}/truth.csv --trec-eval",
        "check": f"check '{E}/runs/*' -j {E}/labels.csv",
        "compare": f"compare {STUDY} -a llm -m nDCG@10,P@10",
        "compare tukey": f"compare {STUDY} -a ann -m AP --test tukey",
        "compare randomization": f"compare {STUDY} -a ann -m AP --test randomization --correction holm",
        "compare bootstrap": f"compare {STUDY} -a ann -m AP --test bootstrap --correction bh",
        "compare welch": f"compare {STUDY} -a ann -m AP --test welch --correction bonferroni",
        "compare wilcoxon": f"compare {STUDY} -a ann -m AP --test wilcoxon --correction none",
        "compare baseline": f"compare {STUDY} -a dee -m nDCG@10 --baseline bm25 --difference 0.02",
        "compare anova": f"compare {STUDY} -m nDCG@10 --anova",
        "compare audited": f"compare {AUDITED} -m 'P(rel=2)@10' --difference 0.02",
        "compare audited nDCG": f"compare {AUDITED} -m nDCG@10 --target these_topics",
        "compare audited matrix": f"compare {AUDITED} -m 'P(rel=2)@10' --method confusion --judge separate",
        "compare audited bootstrap": f"compare {AUDITED} -m 'P(rel=2)@10' --bootstrap --no-pooled",
        "gate": f"gate {E}/runs/bm25.run.gz {E}/runs/dense.run.gz -j {E}/labels.csv -a ann --tolerance 0.02",
        "gate audited": f"gate {E}/runs/splade.run.gz {E}/runs/llm-rerank.run.gz -j {E}/labels.csv -a llm"
        f" --audit {E}/audit.csv -m 'P(rel=2)@10' --tolerance 0.02",
        "gate scores": "gate bm25 dense --score-table JUDGESCORES -m nDCG@10 --tolerance 0.05",
        "agree": f"agree {E}/labels.csv --per-topic --pairs",
        "agree binary": f"agree {E}/labels.csv --binary 2 --replicates 199",
        "agree confusion": f"agree {E}/labels.csv --confusion ann llm",
        "judges": f"judges {E}/labels.csv --gold ann --runs '{E}/runs/*'",
        "judges llm": f"judges {E}/labels.csv --gold ann --judge llm --before ben --documents {E}/documents.jsonl.gz"
        f" --topic-texts {E}/topics.tsv --runs '{E}/runs/*' --rel 2",
        **{
            f"merge {method}": f"merge {E}/labels.csv --method {method} --no-compare"
            for method in ("majority", "wawa", "one-coin", "mace", "glad", "em-mv", "em-neu", "ordinal")
        },
        "merge compared": f"merge {E}/labels.csv --method em-mv --per-topic",
        "aware": f"aware {STUDY} -m nDCG@10 --replicates 200",
        "aware topics": f"aware {STUDY} -m P@10 --estimator tpc_tau_md --replicates 100",
        "weights": f"weights {E}/labels.csv",
        "weights top": f"weights {E}/labels.csv --top 2 --at-least 2 --of 4 --runs '{E}/runs/*' --depth 10 --lists top",
        "correct": f"correct {AUDITED}",
        "correct matrix": f"correct {AUDITED} -m 'P(rel=2)@10,DCG@10' --method confusion",
        "correct bootstrap": f"correct {AUDITED} -m 'P(rel=2)@10' --bootstrap --no-pooled",
        "correct scores": "correct --score-table SCORES --gold ann -m nDCG@10",
        "plan": f"plan {STUDY} -a llm --budget 200",
        "plan pair": f"plan {AUDITED} -m 'P(rel=2)@10' --difference 0.03 --between splade llm-rerank",
        "plan pooled": f"plan {STUDY} -a llm --for pooled --budget 150 -m nDCG@10",
        "plan order": f"plan {E}/runs/splade.run.gz {E}/runs/llm-rerank.run.gz -j {E}/labels.csv -a llm --order",
        "ceiling": f"ceiling {E}/labels.csv -m nDCG@10,P@10 --runs '{E}/runs/*'",
        "ceiling normal": f"ceiling {E}/labels.csv -m nDCG@10 --method normal --per-topic",
        "ceiling simulated": f"ceiling {E}/labels.csv -m ERR@10 --method simulate --replicates 200 --order posterior",
        "noise": f"noise {E}/labels.csv -a ann --levels 0.1,0.3 --profile uniform --profile distance --replicates 5",
        "noise against": f"noise {E}/truth.csv --against {E}/truth.csv",
        "order": "order '0 1 1 2 2' '0 1 1 1 3' --by set --ratio",
        "balance": "balance AP nDCG 'RBP(p=0.8)' ERR P@10 --length 200 --curve 10",
        "balance axioms": "balance \"MP(model='GL_AD_ID')\" AP --axioms --length 5",
        "audit new": f"audit new FOLDER/study.db {STUDY} -a llm -m 'P(rel=2)@10' --documents {E}/documents.jsonl.gz"
        f" --topic-texts {E}/topics.tsv --between splade llm-rerank --expert ann",
        "correct given matrix": f"correct {STUDY} -a llm --confusion MATRIX -m 'P(rel=2)@10'",
        "compare scores": "compare --score-table JUDGESCORES -m nDCG@10",
        "train": "train FEATURES --ranker RankSVM --folds 3",
        "train trees": "train FEATURES --ranker GBDT --set trees=10 --folds 3",
        "clicks": "clicks CLICKS --replicates 20",
        "report": f"report {AUDITED} --truth {E}/truth.csv -m 'P(rel=2)@10,nDCG@10' -o FOLDER/report.html",
        "experiment balancing": "experiment balancing --set trials=50 --set length=40 --set steps=4"
        " --set measures=AP,ERR",
        "experiment sequential": "experiment sequential --set paths=2",
        "experiment disagreement": f"experiment disagreement {E}/labels.csv --set draws=5",
    },
    "trec-dl21-passage": {
        "evaluate": "evaluate 'DL21/runs/*' -j DL21/qrels.nist.txt -m 'nDCG@10,AP(rel=2),RR(rel=2)@10,R@10'",
        "evaluate judges": "evaluate 'DL21/runs/p_*' -j DL21/qrels.nist.txt -j 'DL21/qrels.umbrela*' -m nDCG@10,P@10",
        "compare": "compare 'DL21/runs/p_*' -j DL21/qrels.nist.txt -m nDCG@10",
        "agree": "agree DL21/qrels.nist.txt 'DL21/qrels.umbrela*' --replicates 199",
        "judges": "judges DL21/qrels.nist.txt 'DL21/qrels.umbrela*' --gold qrels.nist --runs 'DL21/runs/p_*'",
        "correct": "correct 'DL21/runs/p_*' -j 'DL21/qrels.umbrela-gpt4o*' --audit DL21AUDIT -m 'nDCG@10,P(rel=2)@10'",
        "compare audited": "compare 'DL21/runs/p_*' -j 'DL21/qrels.umbrela-gpt4o*' --audit DL21AUDIT -m 'P(rel=2)@10'",
        "plan": "plan 'DL21/runs/p_*' -j 'DL21/qrels.umbrela-gpt4o*' --budget 300 -m 'P(rel=2)@10'",
        "ceiling": "ceiling DL21/qrels.nist.txt 'DL21/qrels.umbrela-gpt4o*' -m nDCG@10",
        "preferences": "agree PREFERENCES",
    },
    "trec-robust03": {
        "evaluate": "evaluate 'ROBUST/runs/*' -j ROBUST/qrels.robust03.txt.gz -m AP,P@10,nDCG,Bpref,RR,Rprec",
        "evaluate per topic": "evaluate ROBUST/runs/input.apl*.gz -j ROBUST/qrels.robust03.txt.gz -m AP,nDCG@10 -q",
        "compare": "compare 'ROBUST/runs/*' -j ROBUST/qrels.robust03.txt.gz -m AP",
        "noise": "noise ROBUST/qrels.robust03.txt.gz --levels 0.2 --replicates 3",
    },
    "diku-relevance-credibility": {
        "agree": "agree CROWD --per-topic",
        "merge em-mv": "merge CROWD --method em-mv",
        "merge ordinal": "merge CROWD --method ordinal --no-compare",
        "weights": "weights CROWD",
        "ceiling": "ceiling CROWD -m nDCG@5",
    },
    "trec-rf10-crowd": {
        "agree": "agree CROWD --scale 0..2 --gold gold --replicates 99",
        "merge em-mv": "merge CROWD --scale 0..2 --method em-mv --gold gold --no-compare",
        "merge mace": "merge CROWD --scale 0..2 --method mace --gold gold --no-compare",
        "weights": "weights CROWD --repeats others",
    },
    "snow2008": {
        "agree": "agree CROWD --gold gold --replicates 99",
        **{
            f"merge {method}": f"merge CROWD --method {method} --gold gold --no-compare"
            for method in ("majority", "kos", "glad", "em-mv")
        },
        "merge compared": "merge CROWD --method one-coin --gold gold",
    },
}  # fmt: skip


def _case(collection: str, name: str, line: str) -> Case:
    def run(seed: int, folder: Path) -> object:
        words = []
        for word in shlex.split(line):
            if word in FILES:
                words.append(str(FILES[word](collection, folder)))
                continue
            word = word.replace("DL21/", f"{DATA}/trec-dl21-passage/").replace("ROBUST/", f"{DATA}/trec-robust03/")
            words.append(word.replace("FOLDER", str(folder)))
        return command([*words, "--seed", str(seed)])

    return Case(collection, name, line.split()[0], run)


def cases() -> list[Case]:
    return [_case(c, name, line) for c, lines in COMMANDS.items() for name, line in lines.items()]
