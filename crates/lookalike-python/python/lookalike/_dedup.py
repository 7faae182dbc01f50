"""``dedup``: remove near-duplicates, and name the row that is kept for each of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from . import _native
from ._data import Data, existing, select, to_input
from ._errors import LookalikeError, OptionError
from ._progress import Watching, note, note_input
from ._request import (
    RECALL,
    Group,
    Measure,
    Method,
    More,
    Progress,
    Size,
    StrPath,
    columns,
    dumps,
    keep_column,
    resources,
    scheme,
)
from ._table import Table

if TYPE_CHECKING:
    from ._compare import Comparison
    from ._index import Index

T = TypeVar("T")


class Dedup:
    """What was decided about every row.

    >>> import lookalike
    >>> texts = ["the storm hit the coast", "a quiet day", "The storm hit the coast!"]
    >>> result = lookalike.dedup(texts)
    >>> result.kept, result.removed_rows, result.mask
    ([0, 1], [2], [True, True, False])
    >>> result.removed.to_dicts()[0]["kept_row"]
    0
    >>> result.select(texts)
    ['the storm hit the coast', 'a quiet day']
    """

    def __init__(
        self,
        native: _native.Decided | _native.Resolved,
        input: _native.Input | None,
        scheme: dict[str, Any] | None,
        summary: dict[str, Any] | None = None,
    ) -> None:
        self._native = native
        self._input = input
        self._scheme = scheme
        self._summary = summary

    @cached_property
    def kept(self) -> list[int]:
        """The numbers of the rows that are kept."""
        return self._native.kept()

    @cached_property
    def removed_rows(self) -> list[int]:
        """The numbers of the rows that are removed."""
        return self._native.removed_rows()

    @cached_property
    def mask(self) -> list[bool]:
        """For every row, whether it is kept."""
        return [kept == 1 for kept in self._native.mask()]

    @cached_property
    def removed(self) -> Table:
        """The removed rows with their evidence: the kept row, the exact similarity, and both containments."""
        return Table(self._native.removed_table())

    @cached_property
    def rows(self) -> Table:
        """Every row: its cluster, whether it is kept, and if not which row is."""
        return Table(self._native.row_table())

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What came in, what was found, the parameters, and seconds and memory by stage.

        Of :func:`resolve` it has what was found, the parameters and the similarities.
        """
        if isinstance(self._native, _native.Resolved):
            return self._summary or {}
        summary: dict[str, Any] = json.loads(self._native.summary)
        return summary

    def __len__(self) -> int:
        """Number of rows, kept and removed."""
        return self._native.rows

    def select(self, data: T) -> T:
        """The kept rows of the data, as the type that it is: polars, pandas, pyarrow, datasets, a list and others."""
        return select(data, self._native)

    def least_alike(self, count: int = 10) -> Table:
        """The removals that are least alike the kept row: what to doubt first. Exact copies are not among them.

        Of :func:`resolve`, rows with a similarity of 1 are not among them: pairs do not say which of these are exact copies.
        """
        removed = self.removed
        similarities = removed["similarity"]
        knows_copies = "exact_copy" in removed.columns
        is_copy = removed["exact_copy"] if knows_copies else [similarity == 1 for similarity in similarities]
        doubtful = [(similarities[row], row) for row in range(len(removed)) if not is_copy[row]]
        return removed.take([row for _, row in sorted(doubtful)[:count]])

    def explain(self, row: int) -> dict[str, Any]:
        """Why a row is kept or removed; with the two texts compared, if they are at hand."""
        if not 0 <= row < len(self):
            raise OptionError(f"there is no row {row}: there are {len(self)} rows", option="row", value=row)
        found = self.rows.take([row]).to_dicts()[0]
        for evidence in self.removed:
            if evidence["removed_row"] == row:
                found = {**evidence, **found}
                break
        comparison = self._compare(row, found)
        if comparison is not None:
            found["comparison"] = comparison
        return found

    def _compare(self, row: int, found: dict[str, Any]) -> Comparison | None:
        from ._compare import Comparison

        kept = found.get("kept_row")
        if self._input is None or self._scheme is None or kept is None or found.get("kept_in") is not None:
            return None
        left, right = self._input.text(row), self._input.text(kept)
        if left is None or right is None:
            return None
        return Comparison(json.loads(_native.compare(dumps(self._scheme), left, right)))

    def report(self, path: StrPath, *, texts: str = "excerpt", force: bool = False) -> None:
        """Writes the report as one HTML file: what was removed, and whether it is safe.

        ``texts`` is how much of the documents it shows: ``"none"``, ``"excerpt"`` or ``"full"``.
        A result of :func:`resolve` has no report: pairs alone do not have what it shows.
        """
        if isinstance(self._native, _native.Resolved):
            raise LookalikeError(
                "a result of resolve has no report, which shows the texts and the steps of a run: "
                "call dedup on the data with this threshold, and report on its result"
            )
        self._native.report(path, texts, force)

    def __repr__(self) -> str:
        found = self.summary["found"]
        return f"<lookalike.Dedup: {found['kept']:,} kept and {found['removed']:,} removed of {len(self):,} rows>"

    def _repr_html_(self) -> str:
        from ._html import facts, picture

        found, parameters = self.summary["found"], self.summary["parameters"]
        recall = parameters.get("recall_at_threshold")
        numbers: list[tuple[str, Any]] = [("rows", len(self)), ("kept", found["kept"]), ("removed", found["removed"])]
        # Pairs do not say what is an exact copy, nor by which recall they were found.
        if "exact_copies" in found:
            numbers.append(("exact copies", found["exact_copies"]))
        numbers.append(("clusters", found["clusters"]))
        if recall is not None:
            numbers.append(("recall at the threshold", recall))
        shown = facts(numbers)
        if not found["removed"]:
            return shown + "<p>Nothing was removed.</p>"
        bars = [(f"{band['from']:.2f}", band["removed"]) for band in self.summary["similarity"]]
        if "exact_copies" in found:
            bars.append(("exact copies", found["exact_copies"]))
        title = "Removed rows by similarity to the kept one"
        svg = _native.bars(title, f"{found['removed']:,} rows were removed.", "removed", "similarity", bars)
        least = self.least_alike(5)
        doubt = "<p>Least alike, what to doubt first:</p>" + least._repr_html_() if len(least) else ""
        return shown + picture(svg, title) + doubt


def dedup(
    data: Data,
    *,
    text: str = "text",
    id: str | None = None,
    source: str | None = None,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    keep: str = "longest",
    method: Method = "minhash",
    recall: float | None = RECALL,
    bands: int | None = None,
    rows: int | None = None,
    exact: bool = False,
    against: Data | Index | None = None,
    only_against: bool = False,
    group: Group = "independent",
    fail_if_source_loses: float | None = None,
    threads: int | None = None,
    memory: Size | None = None,
    work: StrPath | None = None,
    max_record: Size | None = None,
    progress: Progress = None,
    **more: Unpack[More],
) -> Dedup:
    """Removes near-duplicates.

    Every removal is justified: each removed row has a kept near-duplicate, which ``removed`` names with their exact
    similarity. No duplicates remain: no two kept rows are near-duplicates, up to the recall.

    ``data`` is a data frame of polars or pandas, a table or batches of pyarrow, a duckdb relation, a ``datasets.Dataset``,
    anything else with Arrow's PyCapsule interface, an iterable of batches, or a list of strings. The answer is that of
    ``lookalike dedup`` on the same rows.

    :param text: the column of the texts. A null text is counted and kept.
    :param id: the column of ids, for ``removed``.
    :param source: the column that says where a row comes from, for the summary.
    :param threshold: the minimum similarity of near-duplicates.
    :param shingle: what is compared: ``"word:5"``, ``"char:5"``, ``"stopword"``.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``.
    :param measure: ``"jaccard"``, or ``"containment"`` of the smaller in the larger.
    :param keep: which of several is kept: ``"longest"``, ``"first"``, ``"last"``, ``"max:COLUMN"``, ``"min:COLUMN"``.
    :param method: how near-duplicates are found; ``exact=True`` misses nothing.
    :param recall: the chance to find a pair exactly at the threshold.
    :param against: rows to compare with, which are never removed: data, or an :class:`Index`.
    :param only_against: keep duplicates within the data, and remove only what is like ``against``.
    :param group: ``"components"`` keeps one row of each connected component, however different the others are.
    :param threads: number of threads; by default one per core.
    :param memory: memory limit beside the data, such as ``"2G"``; what does not fit goes to ``work``.
    :param work: folder for what does not fit in memory.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; ``False`` for silence.

    >>> import lookalike
    >>> lookalike.dedup(["the storm hit the coast", "The storm hit the coast!", "a quiet day"]).kept
    [0, 2]
    """
    from ._index import Index

    wanted = scheme(
        threshold=threshold,
        shingle=shingle,
        fold=fold,
        measure=measure,
        method=method,
        recall=recall,
        bands=bands,
        rows=rows,
        exact=exact,
        more=more,
    )
    if only_against and against is None:
        raise OptionError("only_against=True needs against=", option="only_against", value=True)
    if against is not None and against is data:
        raise OptionError(
            "data and against are the same object: each row would be removed for itself", option="against", value=None
        )
    value = keep_column(keep)
    request = {
        "scheme": wanted,
        "resources": resources(threads=threads, memory=memory, work=work, max_record=max_record, force=True),
        "columns": columns(text, id, source, value),
        "keep": keep,
        "group": group,
        "only_against": only_against,
        "against_index": str(against.path) if isinstance(against, Index) else None,
        "fail_if_source_loses": fail_if_source_loses,
    }
    input = to_input(data, columns(text, id, source, value), "data", work)
    reference = None
    if against is not None and not isinstance(against, Index):
        reference = to_input(against, columns(text, existing(against, id)), "against", work)
    with Watching(progress) as told:
        native = _native.dedup(dumps(request), input, reference, told)
    result = Dedup(native, input, wanted)
    _note(result)
    return result


def _note(result: Dedup) -> None:
    counts = result.summary["input"]
    if counts["skipped"] or counts["without_id"] or counts["without_value"]:
        note_input(counts)
    for lost in result.summary["nearly_lost"]:
        note("the source %s lost %d of %d rows", lost.get("source"), lost.get("removed", 0), lost.get("documents", 0))
