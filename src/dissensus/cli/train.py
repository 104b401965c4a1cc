"""`dissensus train`: train a ranker on a LETOR / SVMlight file, or cross-validate it on a folder with folds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.messages import say
from dissensus.errors import InputError, OutputError
from dissensus.learning.training import train
from dissensus.measures.policies import DEFAULT_MEASURES


def command(
    features: Annotated[
        Path, argument(metavar="FEATURES", help="LETOR / SVMlight file (also .gz), or a folder Fold1, Fold2, …")
    ],
    ranker: Annotated[
        str,
        option(
            "--ranker",
            "-r",
            metavar="NAME",
            help="PRank, GBDT, RankSVM, RankBoost, ListNet, AdaRank, LambdaMART or NMCGMART.",
        ),
    ] = "LambdaMART",
    validation: Annotated[
        Path | None, option("--validation", metavar="FILE", help="Stop early where this file is ranked best.")
    ] = None,
    model: Annotated[
        Path | None, option("--model", metavar="FILE", help="Where the ranker is written, as JSON.")
    ] = None,
    setting: Annotated[
        list[str] | None, option("--set", "-s", metavar="NAME=VALUE", help="A setting of the ranker; repeatable.")
    ] = None,
    folds: Annotated[
        int | None, option("--folds", metavar="N", help="Cross-validate a single file in N folds.", min=3)
    ] = None,
    measures: Annotated[
        list[str] | None,
        option(
            "--measures", "-m", metavar="NAME", help=f"What to report; repeatable. Else {', '.join(DEFAULT_MEASURES)}."
        ),
    ] = None,
    queries: opt.QueriesOption = None,
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
) -> None:
    """Train a ranker on a feature file.

    Beside the ranker's scores stand those of a random ranking and of the best single feature: a ranker that does not
    beat them has learned nothing. A folder with folds (or --folds) is cross-validated instead.

    Examples:
        dissensus train train.txt --ranker LambdaMART --validation vali.txt --model model.json
        dissensus train MQ2008/ --ranker RankSVM
    """
    shown.check()
    _check_model(model)
    if (features.is_dir() or folds is not None) and (model is not None or validation is not None):
        raise InputError("folds have parts of their own: --model and --validation are for a single file.")
    result = train(
        features, ranker, validation=validation, setting=setting or (), folds=folds,
        measures=measures or DEFAULT_MEASURES, queries=queries, seed=seed,
    )  # fmt: skip
    if model is not None:
        result.ranker.save(model)
        say("note", f"wrote {model}")
    shown.show(result)


def _check_model(path: Path | None) -> None:
    """A model that cannot be written is refused before it is trained."""
    if path is not None and path.is_dir():
        raise OutputError(f"--model {path} is a folder.", f"Name a file in it: {path / 'model.json'}")
    if path is not None and not path.absolute().parent.is_dir():
        raise OutputError(f"--model {path}: the folder {path.parent} does not exist.", f"mkdir -p {path.parent}")
