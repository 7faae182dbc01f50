"""``compare``: two texts by every measure, with what they share."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Unpack

from . import _native
from ._arguments import arguments, as_text
from ._request import RECALL, Measure, Method, More, given


class Comparison:
    """Two texts compared. Every measure is an attribute, and ``measures`` has all of them.

    >>> import lookalike
    >>> compared = lookalike.compare("the storm hit the coast", "The storm hit the coast!")
    >>> compared.verdict, compared.jaccard
    ('same_words', 1.0)
    """

    def __init__(self, measures: dict[str, Any]) -> None:
        self.measures = measures

    def __getattr__(self, name: str) -> Any:
        if name != "measures" and name in self.measures:
            return self.measures[name]
        raise AttributeError(name)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self.measures]

    def __repr__(self) -> str:
        return f"<lookalike.Comparison: {self.verdict}, jaccard {self.jaccard:.4f}>"

    def _repr_html_(self) -> str:
        from ._html import facts, marked, page, plain

        def side(name: str) -> str:
            passages = self.measures[name]["passages"]
            return "".join((plain if passage["shared"] else marked)(passage["text"]) for passage in passages)

        shown = facts(
            [
                ("verdict", self.verdict.replace("_", " ")),
                ("jaccard", self.jaccard),
                ("containment of the left", self.containment_of_left),
                ("containment of the right", self.containment_of_right),
                ("threshold", self.threshold),
            ]
        )
        return shown + page("What only one of them has is marked.", side("left"), side("right"))


@arguments
def compare(
    left: str,
    right: str,
    *,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    method: Method = "minhash",
    recall: float | None = RECALL,
    bands: int | None = None,
    rows: int | None = None,
    exact: bool = False,
    **more: Unpack[More],
) -> Comparison:
    """Two texts by every measure, and what they share. In a notebook, what only one of them has is marked.

    :param left: a text.
    :param right: another text.
    :param threshold: the minimum similarity of near-duplicates, above 0 and at most 1. Default: 0.8.
    :param shingle: the runs of text that are compared: ``"word:5"`` (default), ``"char:5"``, ``"stopword"``, ``"token:5"``.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``, ``"links"``; in source code ``"identifiers"``. Default: none.
    :param measure: ``"jaccard"`` (default), or ``"containment"`` of the smaller in the larger.
    :param method: how near-duplicates are found: ``"minhash"`` (default), ``"simhash"``, ``"supershingle"``, ``"exact"`` or
        ``"copies"``.
    :param recall: the probability of finding a pair exactly at the threshold. Default: 0.99.
    :param bands: number of bands of a sketch, given with ``rows`` instead of ``recall``. Default: chosen by ``recall``.
    :param rows: rows per band. Default: chosen by ``recall``.
    :param exact: miss nothing, the same as ``method="exact"``. Default: False.
    :param more: parameters of methods that are seldom needed, described in :func:`dedup`. Default: none.

    >>> import lookalike
    >>> round(lookalike.compare("a b c d e f", "a b c d e x", shingle="word:2").jaccard, 2)
    0.67
    """
    options = given(locals())
    return Comparison(json.loads(_native.compare(options, as_text(left, "left"), as_text(right, "right"))))
