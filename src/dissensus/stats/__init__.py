"""Statistics on plain arrays, with no rankings in sight; public, and documented on the page Statistics.

    >>> from dissensus.stats import anova, holm, kendall_tau, one_way, topic_interval
    >>> holm([0.01, 0.04, 0.03]).round(2).tolist()
    [0.03, 0.06, 0.06]

Names are imported on first use.
"""

from __future__ import annotations

from dissensus.work.on_use import on_use

_HOME = {
    # analysis of variance
    "anova": "analysis_of_variance",
    "Anova": "analysis_of_variance",
    "TukeyGroups": "analysis_of_variance",
    "tukey_groups": "analysis_of_variance",
    "omega_squared": "analysis_of_variance",
    "all_interactions": "analysis_of_variance",
    "one_way": "unequal_groups",
    "tukey_kramer": "unequal_groups",
    # correlation and overlap of rankings
    "kendall_tau": "correlation",
    "tau_ap": "correlation",
    "rbo": "overlap",
    "order_interval": "orders",
    # intervals
    "Interval": "intervals",
    "Region": "intervals",
    "t_interval": "intervals",
    "wilson": "intervals",
    "wald": "intervals",
    "lang_reiczigel": "intervals",
    "fieller_set": "intervals",
    "ratio_interval": "intervals",
    # resampling
    "topic_interval": "resampling",
    "jackknife": "resampling",
    "resample": "resampling",
    "parametric_bootstrap": "resampling",
    "sign_flip": "randomization",
    # many tests
    "adjust": "multiplicity",
    "bonferroni": "multiplicity",
    "holm": "multiplicity",
    "benjamini_hochberg": "multiplicity",
    "randomized_tukey": "multiplicity",
    "max_t_quantile": "simultaneous",
    "max_t_p_values": "simultaneous",
    # sets that hold at every look
    "betting_set": "anytime",
    "mixture_scale": "anytime",
    "mixture_multiplier": "anytime",
}

_THERE = {"fieller_set": "fieller"}  # what a public name is called where it lives

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    homes = {public: f"stats.{home}" for public, home in _HOME.items()}
    return on_use(__name__, name, homes, _THERE.get(name))


def __dir__() -> list[str]:
    return list(__all__)
