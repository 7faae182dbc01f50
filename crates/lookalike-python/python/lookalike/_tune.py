"""``tune`` explains parameters before a run, and ``evaluate`` compares methods on data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Unpack, cast

from . import _native
from ._arguments import arguments, as_path, plain, wrong_type
from ._data import Data, by_row, to_input
from ._progress import Watching
from ._request import (
    RECALL,
    Extract,
    Measure,
    Method,
    More,
    Progress,
    Size,
    StrPath,
    columns,
    given,
    paths,
)


class Tuning:
    """Recall and cost of bands and rows. All results are in ``values``, and are attributes as well.

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
        steps = [[step["similarity"], round(step["pair_count"]["value"])] for step in self.values["sample"]["pairs"]]
        return shown + chart + rows(["similarity of at least", "pairs"], steps)


@arguments
def tune(
    data: Data | None = None,
    *,
    text: str = "text",
    html_field: str | None = None,
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    source: str | None = None,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    ignore_boilerplate: bool | float | StrPath = False,
    method: Method = "minhash",
    recall: float | None = RECALL,
    bands: int | None = None,
    rows: int | None = None,
    budget: Size | None = None,
    labels: StrPath | Iterable[StrPath] | None = None,
    sample_bytes: Size | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    max_record: Size | None = None,
    progress: Progress = None,
    **more: Unpack[More],
) -> Tuning:
    """Computes recall and cost of bands and rows; with data also its pairs by similarity, and a suggested threshold.

    :param data: as for :func:`dedup`. Default: none.
    :param text: the column of the texts. Default: ``"text"``.
    :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
    :param extract: of HTML, ``"article"`` compares the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param source: the column of the sources of rows, for ``ignore_boilerplate``. Default: none.
    :param threshold: the minimum similarity of near-duplicates. Default: 0.8.
    :param shingle: what is compared, such as ``"word:5"`` (default) or ``"char:5"``.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``, ``"links"``; in source code ``"identifiers"``. Default: none.
    :param measure: ``"jaccard"`` (default) or ``"containment"``; only methods with bands can be tuned.
    :param ignore_boilerplate: ignore what a source says on most of its pages: ``True`` for text on more than 30 % of them,
        another share, or a file that ``lookalike boilerplate`` wrote. Default: False.
    :param method: ``"minhash"`` (default) or ``"supershingle"``.
    :param recall: the probability of finding a pair exactly at the threshold. Default: 0.99.
    :param bands: number of bands of a sketch, given with ``rows`` instead of ``recall``. Default: chosen by ``recall``.
    :param rows: rows per band. Default: chosen by ``recall``.
    :param budget: bytes per document that a sketch may take, such as ``"64B"``: bands and rows are chosen by it. Default: none.
    :param labels: files of labels that ``lookalike audit`` made, to show what people say of pairs by similarity. Default: none.
    :param sample_bytes: read at most this much of the data. Default: 1G.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"2G"``. Default: half of the machine's memory.
    :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.
    :param more: parameters of methods that are seldom needed, described in :func:`dedup`. Default: none.
    """
    options = given(locals())
    if labels is not None:
        options["labels"] = paths(labels, "labels")
    input = None if data is None else to_input(data, columns(text, source=source, html_field=html_field, shingle=shingle)).native
    with Watching(progress) as told:
        return Tuning(json.loads(_native.tune(options, input, told)))


class Evaluation:
    """Methods side by side. ``methods`` has a dict for each: recall, precision, seconds and more."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    @property
    def methods(self) -> list[dict[str, Any]]:
        """Results and cost of each method."""
        return cast("list[dict[str, Any]]", self.values["methods"])

    @property
    def true_pairs(self) -> list[dict[str, Any]]:
        """The true pairs, by shingle and threshold."""
        return cast("list[dict[str, Any]]", self.values["true_pairs"])

    def __repr__(self) -> str:
        return f"<lookalike.Evaluation of {len(self.methods)} methods on {self.values['text_count']:,} texts>"

    def _repr_html_(self) -> str:
        from ._html import rows

        names = [
            "name",
            "shingle",
            "threshold",
            "found_count",
            "missed_count",
            "recall",
            "precision",
            "f1",
            "seconds",
            "sketch_bytes",
        ]
        return rows(names, [[method[name] for name in names] for method in self.methods])


DEFAULT_METHODS = ("minhash", "minhash:sketch=classic", "supershingle", "simhash", "simhash:bits=6:verify")


@arguments
def evaluate(
    data: Data,
    *,
    text: str = "text",
    html_field: str | None = None,
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    id: str | None = None,
    source: str | None = None,
    methods: Iterable[str] | Mapping[str, Mapping[str, Any]] = DEFAULT_METHODS,
    thresholds: Iterable[float] = (0.8,),
    shingles: Iterable[str] = ("word:5",),
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    ignore_boilerplate: bool | float | StrPath = False,
    purpose: Literal["web", "news", "code", "short", "chat", "legal"] | None = None,
    tokens: str | None = None,
    count_repeats: bool = False,
    stopwords: Iterable[str] | None = None,
    key: str | None = None,
    labels: StrPath | None = None,
    histograms: bool = False,
    threads: int | None = None,
    memory: Size | None = None,
    max_record: Size | None = None,
    progress: Progress = None,
) -> Evaluation:
    """Compares methods, thresholds and shingles on data by recall, precision, time and memory.

    :param data: as for :func:`dedup`.
    :param text: the column of the texts. Default: ``"text"``.
    :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
    :param extract: of HTML, ``"article"`` compares the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param id: the column of ids, by which ``labels`` name rows. Default: none.
    :param source: the column of the sources of rows, for ``ignore_boilerplate``. Default: none.
    :param methods: methods as the command writes them, such as ``"simhash:bits=6:verify"``, or a dict of names and arguments,
        such as ``{"mine": {"method": "minhash", "bands": 25, "rows": 6}}``. Default: five common ones.
    :param thresholds: the thresholds to compare. Default: 0.8.
    :param shingles: the shingles to compare. Default: ``"word:5"``.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``, ``"links"``; in source code ``"identifiers"``. Default: none.
    :param measure: ``"jaccard"`` (default) or ``"containment"``.
    :param ignore_boilerplate: ignore what a source says on most of its pages: ``True`` for text on more than 30 % of them,
        another share, or a file that ``lookalike boilerplate`` wrote. Default: False.
    :param purpose: the purpose, which stands for settings. Default: none.
    :param tokens: ``"words"`` (default), or ``"code"`` for the tokens of source code.
    :param count_repeats: a shingle that a text repeats counts as often as it occurs. Default: False.
    :param stopwords: your own stop words, for the shingle ``"stopword"``. Default: those of the languages.
    :param key: the key of the sketches, 1 to 16 hexadecimal digits, or ``"random"``. Default: none.
    :param labels: file of the true pairs, or of labels of an audit. Default: the pairs are found by an exact join.
    :param histograms: also count pairs by score and by agreement. Default: False.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit, such as ``"2G"``. Default: half of the machine's memory.
    :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence. Default: automatic.

    >>> import lookalike
    >>> texts = ["a b c d e f g", "a b c d e f g!", "x y z"]
    >>> [method["recall"] for method in lookalike.evaluate(texts, methods=["minhash", "exact"]).methods]
    [1.0, 1.0]
    """
    options = given(locals())
    for name in ("methods", "thresholds", "shingles"):
        if name in options and not isinstance(options[name], Mapping):
            options[name] = [plain(value) for value in _several(options[name], name)]
    if labels is not None:
        options["labels"] = as_path(labels, "labels")
    names = None
    if isinstance(methods, Mapping):
        names, options["methods"] = list(methods), [_written(arguments) for arguments in methods.values()]
    tokens = next((shingle for shingle in options.get("shingles", ()) if str(shingle).startswith("token")), None)
    input = to_input(data, columns(text, id, source, html_field=html_field, shingle=tokens)).native
    with Watching(progress) as told:
        values = json.loads(_native.evaluate(options, input, told))
    by_row(values["skipped"])
    for at, row in enumerate(values["methods"] if names else []):
        row["name"] = names[at % len(names)] if names else row["name"]
    return Evaluation(values)


def _several(values: Any, name: str) -> list[Any]:
    """One value, or several."""
    if isinstance(values, (str, int, float)):
        return [values]
    if not isinstance(values, Iterable):
        raise wrong_type(name, "a list of values", values)
    return list(values)


def _written(arguments: Mapping[str, Any]) -> str:
    """A method with its arguments after colons, as the command takes it."""
    if not isinstance(arguments, Mapping):
        raise wrong_type(
            "methods", 'a list of methods, or a dict of names and arguments such as {"method": "minhash"}', arguments
        )
    given = dict(arguments)
    parts = [str(given.pop("method", "minhash"))]
    parts += [name if value is True else f"{name}={value}" for name, value in given.items() if value not in (None, False)]
    return ":".join(parts)
