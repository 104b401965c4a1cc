"""Small files with something wrong in them, and command lines that stumble over them: one per line."""

from __future__ import annotations

import json
from pathlib import Path


def write_wrong_files(folder: Path) -> None:
    """Runs, judgments, audits, matrices, logs and features, most of them broken in one way."""

    def put(name: str, *lines: str) -> None:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    for system, step in (("A", -1), ("B", 1)):
        put(f"{system}.run", *(f"{t} Q0 d{d} {d} {step * d + 9} {system}" for t in (1, 2, 3) for d in range(1, 6)))
    put("other/A.run", "1 Q0 d1 1 2 A", "1 Q0 d2 2 1 A")
    put("one.run", "1 Q0 d1 1 2 A", "1 Q0 d2 2 1 A")
    put("one2.run", "1 Q0 d2 1 2 A", "1 Q0 d1 2 1 A")
    put("tagged.run", "1 Q0 d1 1 2 A")
    put("tied.run", *(f"1 Q0 d{d} {d} 1 T" for d in range(12)))
    put("bad.run", "1 Q0 d1 1 1_000 A")
    labels = [f"{t} 0 d{d} {(t + d) % 2}" for t in (1, 2, 3) for d in range(1, 6)]
    put("ann.qrels", *labels)
    put("one.qrels", "1 0 d1 1", "1 0 d2 0")
    put("twice.qrels", *labels, "1 0 d1 1", "1 0 d2 0")
    put("words.qrels", "1 0 d1 no", "1 0 d2 yes")
    put("mixed.qrels", "1 0 d1 0", "1 0 d2 yes")
    put("fractions.qrels", "1 0 d1 0.5", "1 0 d2 1")
    put("high.qrels", "1 0 d1 0", "1 0 d2 300")
    put("none.qrels", "1 0 d1 0", "1 0 d2 0", "2 0 d1 0")
    put("from1.qrels", "1 0 d1 1", "1 0 d2 2")
    put("empty.csv", "topic,doc,assessor,grade")
    crowd = [
        f"{t},d{d},{a},{(t + d) % k % 2}" for t in (1, 2, 3) for d in range(1, 6) for a, k in (("ann", 2), ("bob", 3))
    ]
    put("crowd.csv", "topic,doc,assessor,grade", *crowd)
    put("negative.csv", "topic,doc,assessor,grade", "1,d1,ann,-1", "1,d1,bob,-2")
    put("scores.csv", "topic,doc,score", "1,d1,0.5")
    put("gold.csv", "topic,doc,grade,inclusion", *(f"{t},d{d},{(t + d) % 2},0.5" for t in (1, 2, 3) for d in (1, 2, 3)))
    put("gold-twice.csv", "topic,doc,grade", "1,d1,0", "1,d1,1")
    put("gold-two.csv", "topic,doc,assessor,grade", "1,d1,x,0", "1,d2,y,1")
    put("gold-high.csv", "topic,doc,grade", "1,d1,7")
    put("gold-chance.csv", "topic,doc,grade,inclusion", "1,d1,1,2.5")
    put("gold-none.csv", "topic,doc,grade", "1,d1,")
    put("judge.json", '{"counts": [[160, 40], [30, 170]]}')
    put("three.json", '{"counts": [[9, 1, 0], [1, 8, 1], [0, 1, 9]]}')
    put("rows.json", '{"matrix": [[0.9, 0.3], [0.2, 0.8]]}')
    put("coin.json", '{"counts": [[10, 10], [10, 10]]}')
    put("noise.json", "not json")
    put("walk.json", json.dumps({"walk": {"transition": [[1.0, 0.0], [0.0, 1.0]]}}))
    put("clicks.tsv", "session\tquery\trank\ttime", "s1\tq1\t1\t1", "s1\tq1\t2\t2")
    put("train.txt", *(f"{d % 2} qid:{q} 1:{d / 10} 2:{q}" for q in (1, 2, 3) for d in range(4)))
    put("wide.txt", "1 qid:1 1:0.5 9:1", "0 qid:1 1:0.1")
    put("bare.txt", "1 1:0.5", "0 1:0.1")
    put("documents.csv", "topic,doc", "1,a", "1,b")
    put("nodoc.csv", "topic,name", "1,a")
    put("answers.jsonl", json.dumps({"documents": "else.csv", "seed": 1, "shuffle": True, "assessor": "me"}))
    put("gains.json", '{"0": 0, "1": 0.5}')
    put("pairs.csv", "topic,doc,snippet,page", "1,a,no,yes")


WRONG = """
convert A.run -j ann.qrels
convert twice.qrels -o data
audit new s.db A.run B.run -j ann.qrels --stop soon
audit new s.db A.run B.run -j ann.qrels -m AP
audit new s.db A.run B.run -j crowd.csv -m P@2
audit new s.db A.run B.run -j ann.qrels -m P@2 --documents none.jsonl
audit new s.db A.run B.run -j ann.qrels -m P@2 --second 2
audit serve none.db
audit status ann.qrels
audit export none.db
evaluate A.run -j twice.qrels
evaluate A.run -j words.qrels
evaluate A.run -j mixed.qrels
evaluate A.run -j fractions.qrels
evaluate A.run -j high.qrels
evaluate A.run -j ann.qrels --scale 5..9
evaluate A.run -j nothing.qrels
evaluate nothing.run -j ann.qrels
evaluate A.run other/A.run -j ann.qrels
evaluate A.run tagged.run -j ann.qrels --system tag
evaluate ann.qrels -j A.run
evaluate scores.csv -j scores.csv
evaluate crowd.csv -j crowd.csv
evaluate A.run -j A.run
evaluate bad.run -j ann.qrels
evaluate . -j ann.qrels
evaluate A.run B.run -j ann.qrels -m NDCG@ten
evaluate A.run B.run -j ann.qrels -m RBP(p=2)
evaluate A.run B.run -j ann.qrels -m nope
evaluate A.run B.run -j ann.qrels -m RBP(0.8)
evaluate A.run B.run -j ann.qrels --ties expected --unjudged condense
evaluate A.run B.run -j ann.qrels --ties expected --unjudged bounds
evaluate A.run B.run -j ann.qrels --seed -1
evaluate A.run B.run -j ann.qrels -m GAP --gains gains.json
evaluate A.run B.run -j ann.qrels --gains noise.json
evaluate A.run B.run -j ann.qrels -m MP(walk='walk.json')
evaluate A.run B.run -j ann.qrels -m nMCG@10
evaluate A.run B.run -j ann.qrels -m nMCG(dynamic='walk.json')@10
evaluate A.run B.run -j ann.qrels -o table.doc
evaluate A.run B.run -j ann.qrels --cluster local:none
evaluate A.run B.run -j ann.qrels --repeated maybe
evaluate A.run -j empty.csv
evaluate one.run -j clicks.tsv
check
check A.run -j twice.qrels
check tied.run -j none.qrels
check A.run one.run -j from1.qrels
check A.run -j words.qrels
check A.run -j mixed.qrels
check A.run other/A.run -j ann.qrels
check ann.qrels -j A.run
check nothing.run
check tied.run -j none.qrels --json
check A.run -j twice.qrels --repeated first
compare A.run B.run -j crowd.csv
compare A.run B.run -j ann.qrels --judge shared
compare A.run B.run -j ann.qrels --correction max-t
compare A.run B.run -j ann.qrels --audit gold.csv --correction bh
compare A.run B.run -j crowd.csv --merge majority --assessor ann
compare A.run B.run -j ann.qrels --assessor zoe
compare A.run B.run -j ann.qrels --audit gold.csv --confusion judge.json
compare one.run one2.run -j one.qrels --audit one.qrels -m P@2
compare one.run one2.run -j one.qrels -m P@2
compare A.run B.run -j ann.qrels --confusion A=judge.json --confusion B=coin.json --judge shared -m P@2
compare A.run B.run -j ann.qrels --confusion judge.json --method rectified -m P@2
compare A.run B.run -j ann.qrels --level 7
compare A.run -j twice.qrels
agree twice.qrels --repeated error
agree ann.qrels
agree crowd.csv --gold zoe
agree crowd.csv --confusion ann zoe
agree crowd.csv --level 7
agree crowd.csv --replicates 3
agree mixed.qrels
agree A.run
agree crowd.csv --scale 4..5
agree negative.csv
merge twice.qrels --repeated error
merge crowd.csv --gold zoe
merge crowd.csv --method em-mv --max-rounds 0
merge negative.csv
merge crowd.csv --method em-neu --max-rounds 1
merge mixed.qrels
merge crowd.csv -o table.doc
merge crowd.csv --method em
aware A.run B.run -j crowd.csv --estimator best
aware A.run B.run -j crowd.csv --replicates 0
aware A.run B.run -j crowd.csv --gold zoe
aware A.run B.run -j ann.qrels --estimator best
aware A.run -j twice.qrels --repeated error
aware A.run -j words.qrels
weights ann.qrels
weights crowd.csv --top 9
weights crowd.csv --at-least 4 --of 3
weights crowd.csv --depth 3
weights crowd.csv --zero 9
weights pairs.csv --label snippet
weights pairs.csv --label snippet --label nothing
weights words.qrels
weights pairs.csv --label snippet --label page --scale 0..1
weights crowd.csv --runs nothing.run
weights crowd.csv --groups noise.json
weights twice.qrels --repeated error
weights crowd.csv --runs A.run --runs other/A.run
correct A.run B.run -j ann.qrels
correct A.run B.run -j crowd.csv --audit gold.csv
correct A.run B.run -j ann.qrels --audit nothing.csv
correct A.run B.run -j ann.qrels --audit gold-twice.csv
correct A.run B.run -j ann.qrels --audit gold-two.csv
correct A.run B.run -j ann.qrels --audit gold-high.csv
correct A.run B.run -j ann.qrels --audit gold-chance.csv
correct A.run B.run -j ann.qrels --audit gold-none.csv
correct A.run B.run -j ann.qrels --audit twice.qrels
correct A.run B.run -j ann.qrels --audit crowd.csv
correct A.run B.run -j ann.qrels --confusion three.json
correct A.run B.run -j ann.qrels --confusion rows.json
correct A.run B.run -j ann.qrels --confusion coin.json -m P@2
correct A.run B.run -j ann.qrels --confusion noise.json
correct A.run B.run -j ann.qrels --confusion judge.json --method rectified
correct A.run B.run -j ann.qrels --confusion A=judge.json
correct A.run B.run -j ann.qrels --confusion judge.json --confusion coin.json
correct one.run -j one.qrels --audit one.qrels -m P@2
correct A.run B.run -j ann.qrels --audit gold.csv --merge best
correct A.run B.run -j ann.qrels --audit gold.csv --level 7
correct A.run B.run -j ann.qrels --audit gold.csv --assessor zoe
correct A.run -j twice.qrels --audit gold.csv
plan A.run B.run -j crowd.csv
plan A.run B.run -j ann.qrels --budget 0
plan A.run B.run -j ann.qrels --difference -1
plan A.run B.run -j ann.qrels --power 7
plan A.run B.run -j ann.qrels --between A Z
plan A.run B.run -j ann.qrels --between A A
plan A.run -j ann.qrels
plan A.run B.run -j ann.qrels -m AP
plan A.run B.run -j ann.qrels --audit gold-two.csv
plan A.run -j twice.qrels
ceiling ann.qrels
ceiling crowd.csv --assessor zoe
ceiling ann.qrels --confusion three.json
ceiling ann.qrels --confusion nothing.json
ceiling ann.qrels --confusion nowhere
ceiling ann.qrels --confusion judge.json -m AP
ceiling train.txt ann.qrels --letor
ceiling . --letor
ceiling bare.txt --letor --confusion judge.json
ceiling twice.qrels --repeated error --confusion judge.json
ceiling words.qrels --confusion judge.json
ceiling crowd.csv --runs A.run --runs other/A.run
noise twice.qrels
noise ann.qrels --levels 1:0
noise ann.qrels --levels 7
noise ann.qrels --profile nothing.json
noise words.qrels
noise ann.qrels --against words.qrels
noise ann.qrels --against crowd.csv
noise crowd.csv --against gold-two.csv
noise ann.qrels --profile three.json
noise ann.qrels --scale 0..1 --profile three.json --inject noisy.csv
noise ann.qrels --against from1.qrels
train bare.txt
train nothing.txt
train train.txt --ranker Nope
train train.txt --set nope=1
train train.txt --set leaves=many
train train.txt --ranker GBDT --set leaves=1
train train.txt --validation wide.txt
train train.txt --folds 9
train train.txt --folds 3 --model m.json
train train.txt
train train.txt --ranker NMCGMART
train train.txt --ranker ListNet --set rounds=1
train .
rank judge.json train.txt
rank nothing.json train.txt
rank noise.json train.txt
label nothing.csv
label nodoc.csv
label documents.txt
label documents.csv --answers answers.jsonl
label documents.csv --answers .
label documents.csv --answers new.jsonl --seed -1
clicks nothing.tsv
clicks clicks.tsv --judgments crowd.csv
clicks clicks.tsv --judgments twice.qrels
clicks clicks.tsv --ranks 0
clicks clicks.tsv --judgments ann.qrels --class-file gold.csv
clicks clicks.tsv --judgments ann.qrels
clicks gold.csv
clicks clicks.tsv --class-file noise.json
clicks clicks.tsv -o user.json
clicks clicks.tsv --judgments crowd.csv --assessor zoe
order 1 1,x
order 1,0 1,0,1
balance nope
balance AP --low 3 --high 2
balance RBP(p=2)
balance ERR --axioms
balance AP --axioms --scale 3..1
balance nDCG --length 0
report A.run -j twice.qrels
report A.run B.run -j crowd.csv --assessor zoe
report A.run B.run -j ann.qrels -o page.txt
report A.run B.run -j ann.qrels --audit gold-twice.csv
report A.run B.run -j ann.qrels --truth twice.qrels
report A.run B.run -j ann.qrels --truth words.qrels
report A.run B.run -j ann.qrels --audit gold-two.csv
figures A.run -j twice.qrels
figures A.run B.run -j ann.qrels --format gif
figures A.run B.run -j ann.qrels -o ann.qrels
figures A.run B.run -j crowd.csv --assessor zoe
experiment nothing
experiment balancing --set trials=0
experiment balancing --set nope=1
experiment balancing --set trials=many
experiment balancing --set trials
experiment ceiling
experiment markov --runs A.run
experiment coverage --judgments twice.qrels --runs A.run
experiment aware --runs A.run --judgments ann.qrels
experiment disagreement crowd.csv --scale 4..5
measures nope
check nothing.csv
gate A.run B.run -j ann.qrels -m P@2 --tolerance -1
gate A.run nothing.run -j ann.qrels -m P@2 --tolerance 0.01
judges nothing.csv --gold ann
multiverse A.run B.run -j ann.qrels
judges crowd.csv --gold zoe
run nothing.toml
run ann.qrels
demo --folder ann.qrels
demo --folder .
demo --topics 0
""".strip().splitlines()
