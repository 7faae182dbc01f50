"""``tune`` explains parameters before a run, and ``evaluate`` compares methods on data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Unpack, cast

from . import _native
from ._data import Data, to_input
from ._errors import OptionError
from ._progress import Watching
from ._request import (
    RECALL,
    Measure,
    Method,
    More,
    Progress,
    Size,
    StrPath,
    columns,
    dumps,
    resources,
    scheme,
    size,
)


class Tuning:
    """What bands and rows find and cost. Everything is in ``values``, and is an attribute as well.

    >>> import lookalike
    >>> tuning = lookalike.tune(threshold=0.8, recall=0.99)
    >>> tuning.bands, tuning.rows, tuning.recall_at_threshold > 0.99
    (20, 7, True)
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def __getattr__(self, name: str) -> Any:
        if name != "values" and name in self.values:
            return self.values[name]
        raise AttributeError(name)

    @property
    def suggested_threshold(self) -> float | None:
        """The threshold that the data suggests; None without data."""
        sample = self.values["sample"]
        return None if sample is None else sample["suggestion"]["threshold"]

    def __repr__(self) -> str:
        suggested = self.suggested_threshold
        suggestion = "" if suggested is None else f", suggested threshold {suggested}"
        return f"<lookalike.Tuning: {self.bands} bands of {self.rows} rows{suggestion}>"

    def _repr_html_(self) -> str:
        from ._html import facts, picture, rows

        shown = facts(
            [
                ("bands", self.bands),
                ("rows", self.rows),
                ("bytes per document", self.sketch_bytes),
                ("recall at the threshold", self.recall_at_threshold),
                ("half of the pairs are found at", self.half_found_at),
                ("suggested threshold", self.suggested_threshold),
            ]
        )
        title = f"{self.bands} bands of {self.rows} rows"
        description = f"The chance that a pair is found, by its similarity: {self.recall_at_threshold:.4f} at {self.threshold}."
        points = [(point["similarity"], point["found"]) for point in self.curve]
        chart = picture(_native.curve(title, description, points, self.threshold, self.recall_at_threshold), title)
        if self.values["sample"] is None:
            return shown + chart
        steps = [[step["similarity"], round(step["pairs"]["value"])] for step in self.values["sample"]["pairs"]]
        return shown + chart + rows(["similarity of at least", "pairs"], steps)


def tune(
    data: Data | None = None,
    *,
    text: str = "text",
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    method: Method = "minhash",
    recall: float | None = RECALL,
    bands: int | None = None,
    rows: int | None = None,
    sample_bytes: Size | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    progress: Progress = None,
    **more: Unpack[More],
) -> Tuning:
    """What bands and rows find and cost; with data also how many pairs it has by similarity, and a suggested threshold."""
    wanted = scheme(
        threshold=threshold,
        shingle=shingle,
        fold=fold,
        measure="jaccard",
        method=method,
        recall=recall,
        bands=bands,
        rows=rows,
        exact=False,
        more=more,
    )
    request = {
        "scheme": wanted,
        "resources": resources(threads=threads, memory=memory),
        "columns": columns(text),
        "sample_bytes": size("sample_bytes", sample_bytes),
    }
    input = None if data is None else to_input(data, columns(text))
    with Watching(progress) as told:
        return Tuning(json.loads(_native.tune(dumps(request), input, told)))


class Evaluation:
    """Methods side by side. ``methods`` has a dict for each: recall, precision, seconds and more."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    @property
    def methods(self) -> list[dict[str, Any]]:
        """What each method found, and what it cost."""
        return cast("list[dict[str, Any]]", self.values["methods"])

    @property
    def truth(self) -> list[dict[str, Any]]:
        """The true pairs, by shingle and threshold."""
        return cast("list[dict[str, Any]]", self.values["truth"])

    def __repr__(self) -> str:
        return f"<lookalike.Evaluation of {len(self.methods)} methods on {self.values['texts']:,} texts>"

    def _repr_html_(self) -> str:
        from ._html import rows

        names = [
            "name",
            "shingle",
            "threshold",
            "found",
            "missed",
            "recall",
            "precision",
            "f1",
            "seconds",
            "sketch_bytes",
        ]
        return rows(names, [[method[name] for name in names] for method in self.methods])


DEFAULT_METHODS = ("minhash", "minhash:sketch=classic", "supershingle", "simhash", "simhash:bits=6:verify")


def evaluate(
    data: Data,
    *,
    text: str = "text",
    id: str | None = None,
    methods: Iterable[str] | Mapping[str, Mapping[str, Any]] = DEFAULT_METHODS,
    thresholds: Iterable[float] = (0.8,),
    shingles: Iterable[str] = ("word:5",),
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    truth: StrPath | None = None,
    histograms: bool = False,
    threads: int | None = None,
    memory: Size | None = None,
    progress: Progress = None,
) -> Evaluation:
    """Compares methods, thresholds and shingles on data by recall, precision, time and memory.

    Methods are written as for the command, such as ``"simhash:bits=6:verify"``, or given as a dict of names and arguments, such
    as ``{"mine": {"method": "minhash", "bands": 25, "rows": 6}}``. The truth is found by an exact join.

    >>> import lookalike
    >>> texts = ["a b c d e f g", "a b c d e f g!", "x y z"]
    >>> [method["recall"] for method in lookalike.evaluate(texts, methods=["minhash", "exact"]).methods]
    [1.0, 1.0]
    """
    named = methods if isinstance(methods, Mapping) else {written: _method(written) for written in methods}
    schemes = []
    for shingle in shingles:
        for threshold in thresholds:
            for name, arguments in named.items():
                given = {"method": "minhash", "recall": None, "bands": None, "rows": None, **arguments}
                method, recall, bands, rows = (given.pop(key) for key in ("method", "recall", "bands", "rows"))
                wanted = scheme(
                    threshold=threshold,
                    shingle=shingle,
                    fold=fold,
                    measure=measure,
                    method=method,
                    recall=recall,
                    bands=bands,
                    rows=rows,
                    exact=False,
                    more=cast(More, given),
                )
                schemes.append((name, wanted))
    request = {
        "schemes": schemes,
        "resources": resources(threads=threads, memory=memory),
        "columns": columns(text, id),
        "truth": None if truth is None else str(truth),
        "histograms": histograms,
    }
    with Watching(progress) as told:
        return Evaluation(json.loads(_native.evaluate(dumps(request), to_input(data, columns(text, id)), told)))


def _method(written: str) -> dict[str, Any]:
    """A method with parameters after colons."""
    name, *parts = written.split(":")
    arguments: dict[str, Any] = {"method": name}
    for part in parts:
        key, equals, value = part.partition("=")
        key = key.replace("-", "_")
        if not equals:
            arguments[key] = True
            continue
        try:
            arguments[key] = int(value)
        except ValueError:
            try:
                arguments[key] = float(value)
            except ValueError:
                arguments[key] = value
    unknown = set(arguments) - More.__optional_keys__ - {"method", "recall", "bands", "rows"}
    if unknown:
        raise OptionError(
            f"{written!r} is not a method: it has no {sorted(unknown)[0]!r}; write it such as 'simhash:bits=6:verify'",
            option="methods",
            value=written,
        )
    return arguments
