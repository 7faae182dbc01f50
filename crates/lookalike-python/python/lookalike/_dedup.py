"""``dedup``: remove near-duplicates, and name the row that is kept for each of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from . import _native
from ._arguments import arguments, as_count, as_flag, as_path, as_text
from ._column import Column
from ._data import Data, Given, by_row, existing, to_input
from ._errors import LookalikeError, OptionError
from ._progress import Watching, note, note_input
from ._removals import Explanation, Removals, with_texts
from ._request import (
    Extract,
    Group,
    Measure,
    Method,
    More,
    Progress,
    Size,
    StrPath,
    columns,
    given,
    keep_column,
)
from ._select import select
from ._table import Table

if TYPE_CHECKING:
    from ._compare import Comparison
    from ._index import Index

T = TypeVar("T")


class Dedup:
    """Decisions about every row.

    >>> import lookalike
    >>> texts = ["the storm hit the coast", "a quiet day", "The storm hit the coast!"]
    >>> result = lookalike.dedup(texts)
    >>> list(result.kept), list(result.removed_rows), list(result.mask)
    ([0, 1], [2], [True, True, False])
    >>> result.removed.to_dicts()[0]["kept_row"]
    0
    >>> result.select(texts)
    ['the storm hit the coast', 'a quiet day']
    """

    def __init__(
        self,
        native: _native.Decided | _native.Resolved,
        given: Given | None,
        compare: Callable[[str, str], str] | None,
        summary: dict[str, Any] | None = None,
        reference: Given | Index | None = None,
    ) -> None:
        # None in a result that was pickled, which has its tables only.
        self._native: _native.Decided | _native.Resolved | None = native
        self._given = given
        self._reference = reference
        # By what a removed text is compared with the kept one; None where the texts are not at hand.
        self._compare_texts = compare
        if summary is not None:
            self.summary = summary

    @property
    def _decided(self) -> _native.Decided | _native.Resolved:
        assert self._native is not None, "a result that was pickled has all of its tables"
        return self._native

    @cached_property
    def kept(self) -> Column[int]:
        """The numbers of the rows that are kept."""
        return Column(self._decided.kept())

    @cached_property
    def removed_rows(self) -> Column[int]:
        """The numbers of the rows that are removed."""
        return Column(self._decided.removed_rows())

    @cached_property
    def mask(self) -> Column[bool]:
        """For every row, whether it is kept."""
        return Column(self._decided.mask())

    @cached_property
    def removed(self) -> Table:
        """The removed rows with their evidence: the kept row, the exact similarity, and both containments."""
        return Table(self._decided.removed_table())

    @cached_property
    def rows(self) -> Table:
        """Every row: its cluster, whether it is kept, and if not which row is."""
        return Table(self._decided.row_table())

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Input counts, results, parameters, and seconds and memory by stage.

        Of :func:`resolve` it has what was found, the parameters and the similarities.
        """
        decided = self._decided
        assert isinstance(decided, _native.Decided), "resolve makes a summary"
        summary: dict[str, Any] = json.loads(decided.summary)
        by_row(summary["skipped"])
        return summary

    def __len__(self) -> int:
        """Number of rows, kept and removed."""
        return len(self.mask)

    @arguments
    def select(self, data: T) -> T:
        """The kept rows of the data, as the type that it is: polars, pandas, pyarrow, datasets, a dict, a list and others.

        A relation of duckdb and a ``LazyFrame`` are computed anew each time, and may have their rows in another order then. They
        are read once, by :func:`dedup`, and the rows that they had are selected.

        :param data: what was deduplicated.
        """
        return select(data, self.kept, self.mask, self._given)

    @arguments
    def least_similar(self, count: int = 10) -> Removals:
        """The removals that are least similar to the kept row, with both texts: what to check first. Exact copies are not among
        them.

        :param count: number of removals at most. Default: 10.

        Of :func:`resolve`, rows with a similarity of 1 are not among them: pairs do not say which of these are exact copies.
        """
        removed = self.removed
        similarities = removed["similarity"].to_list()
        knows_copies = "exact_copy" in removed.columns
        is_copy = removed["exact_copy"].to_list() if knows_copies else [similarity == 1 for similarity in similarities]
        doubtful = [(similarities[row], row) for row in range(len(removed)) if not is_copy[row]]
        least = removed.take([row for _, row in sorted(doubtful)[: as_count(count, "count")]])
        return with_texts(least, *self._texts(least.to_dicts()))

    def _texts(self, removals: list[dict[str, Any]]) -> tuple[list[str | None], list[str | None]]:
        """The texts of removed rows, and of those that are kept in their place; None where they are not at hand."""
        from ._index import Index

        removed: list[str | None] = [None] * len(removals)
        kept = list(removed)
        if self._given is not None:
            removed = self._given.native.texts([removal["removed_row"] for removal in removals])
        for at, table in ((None, self._given), ("reference", self._reference)):
            rows = [row for row, removal in enumerate(removals) if removal.get("kept_in") == at]
            if isinstance(table, Index):
                documents = [table.document(removals[row]["kept_id"]) for row in rows]
                texts: list[str | None] = [None if document is None else document["text"] for document in documents]
            elif table is not None:
                texts = table.native.texts([removals[row]["kept_row"] for row in rows])
            else:
                continue
            for row, text in zip(rows, texts, strict=True):
                kept[row] = text
        return removed, kept

    @arguments
    def explain(self, row: int) -> Explanation:
        """Explains why a row is kept or removed: a dict that prints as a sentence, with the two texts if available.

        :param row: the number of the row, the first of which is 0.
        """
        row = as_count(row, "row", least=-len(self) - 1) if hasattr(row, "__index__") else as_count(row, "row")
        if not 0 <= row < len(self):
            raise IndexError(f"there is no row {row}: there are {len(self)} rows, the first of which is 0")
        found = self.rows.take([row]).to_dicts()[0]
        at = next((at for at, removed in enumerate(self.removed["removed_row"]) if removed == row), None)
        if at is not None:
            found = {**self.removed.take([at]).to_dicts()[0], **found}
        comparison = None if found["kept"] else self._compare(found)
        if comparison is not None:
            found["comparison"] = comparison
        return Explanation(found)

    def _compare(self, found: dict[str, Any]) -> Comparison | None:
        from ._compare import Comparison

        (left,), (right,) = self._texts([found])
        if self._compare_texts is None or left is None or right is None:
            return None
        return Comparison(json.loads(self._compare_texts(left, right)))

    @arguments
    def report(self, path: StrPath, *, texts: str = "excerpt", force: bool = False) -> None:
        """Writes the report as one HTML file: what was removed, and whether it is safe.

        :param path: the file.
        :param texts: how much of the documents it shows: ``"none"``, ``"excerpt"`` (default) or ``"full"``.
        :param force: replace the file if it exists. Default: False.

        A result of :func:`resolve` has no report: pairs alone do not have what it shows.
        """
        if self._native is None:
            raise LookalikeError("a result that was pickled has no report: write it before, or call dedup again")
        if isinstance(self._native, _native.Resolved):
            raise LookalikeError(
                "a result of resolve has no report, which shows the texts and the steps of a run: "
                "call dedup on the data with this threshold, and report on its result"
            )
        self._native.report(as_path(path, "path"), as_text(texts, "texts"), as_flag(force, "force"))

    def __getstate__(self) -> dict[str, Any]:
        tables = {name: getattr(self, name) for name in ("kept", "removed_rows", "mask", "removed", "rows", "summary")}
        return {**tables, "_compare_texts": None, "_native": None, "_given": None, "_reference": None}

    def __repr__(self) -> str:
        found = self.summary["found"]
        return f"<lookalike.Dedup: {found['kept_count']:,} kept and {found['removed_count']:,} removed of {len(self):,} rows>"

    def _repr_html_(self) -> str:
        from ._html import facts, picture

        found, parameters = self.summary["found"], self.summary["parameters"]
        recall = parameters.get("recall_at_threshold")
        numbers: list[tuple[str, Any]] = [("rows", len(self)), ("kept", found["kept_count"]), ("removed", found["removed_count"])]
        # Pairs do not say what is an exact copy, nor by which recall they were found.
        if "exact_copy_count" in found:
            numbers.append(("exact copies", found["exact_copy_count"]))
        numbers.append(("clusters", found["cluster_count"]))
        if recall is not None:
            numbers.append(("recall at the threshold", recall))
        shown = facts(numbers)
        if not found["removed_count"]:
            return shown + "<p>Nothing was removed.</p>"
        bars = [(f"{band['from']:.2f}", band["removed_count"]) for band in self.summary["similarity"]]
        copies = [("copies", found["exact_copy_count"])] if "exact_copy_count" in found else []
        title = "Removed rows by similarity to the kept one"
        svg = _native.bars(title, f"{found['removed_count']:,} rows were removed.", "removed", "similarity", bars, copies)
        least = self.least_similar(5)
        doubt = "<p>Least similar, what to check first:</p>" + least._repr_html_() if len(least) else ""
        return shown + picture(svg, title) + doubt


@arguments
def dedup(
    data: Data,
    *,
    text: str = "text",
    html_field: str | None = None,
    extract: Extract = "text",
    alt: bool = False,
    links: bool = False,
    id: str | None = None,
    source: str | None = None,
    threshold: float = 0.8,
    shingle: str = "word:5",
    fold: str | Iterable[str] = (),
    measure: Measure = "jaccard",
    ignore_boilerplate: bool | float | StrPath = False,
    keep: str = "longest",
    method: Method | None = None,
    recall: float | None = None,
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
    anything else with Arrow's PyCapsule interface, an iterable of batches, a dict of columns, a list of dicts, or a list of
    strings. The answer is that of ``lookalike dedup`` on the same rows. A relation or a ``LazyFrame`` is computed once, and its
    rows are held for ``select``.

    :param data: the rows.
    :param text: the column of the texts. A null text is counted and kept. Several columns become one text (``"title,body"``),
        and so do the elements of a list (``"messages[].content"``). Default: ``"text"``.
    :param html_field: the column of the texts if they are HTML, instead of ``text``. Default: none.
    :param extract: of HTML, ``"article"`` compares the article of a page; the default ``"text"`` all its visible text.
    :param alt: descriptions of images are part of the text of a page. Default: False.
    :param links: targets of links are part of the text of a page. Default: False.
    :param id: the column of ids, for ``removed``. Default: none.
    :param source: the column of the sources of rows, for the summary and ``ignore_boilerplate``. Default: none.
    :param threshold: the minimum similarity of near-duplicates, above 0 and at most 1. Default: 0.8.
    :param shingle: the runs of text that are compared: ``"word:5"`` (default), ``"char:5"``, ``"stopword"``, or ``"token:5"`` for
        tokens of your own: lists of them, or texts with blanks between them.
    :param fold: differences to ignore: ``"accents"``, ``"digits"``, ``"links"``; in source code ``"identifiers"``. Default: none.
    :param measure: ``"jaccard"`` (default), or ``"containment"`` of the smaller in the larger.
    :param ignore_boilerplate: ignore what a source says on most of its pages: ``True`` for text on more than 30 % of them,
        another share, or a file that ``lookalike boilerplate`` wrote. Default: False.
    :param keep: which of several is kept: ``"longest"`` (default), ``"first"``, ``"last"``, ``"max:COLUMN"``, ``"min:COLUMN"``,
        ``"source:A>B>*"``, or several with commas between them, which decide one after the other.
    :param method: how near-duplicates are found: ``"minhash"``, ``"simhash"``, ``"supershingle"``, ``"exact"`` or ``"copies"``.
        Default: ``"exact"`` for small data unless a parameter of a method is given, otherwise ``"minhash"``.
    :param recall: the probability of finding a pair exactly at the threshold. Default: 1 for small data, otherwise 0.99.
    :param bands: number of bands of a sketch, given with ``rows`` instead of ``recall``. Default: chosen by ``recall``.
    :param rows: rows per band. Default: chosen by ``recall``.
    :param exact: miss nothing, the same as ``method="exact"``. Default: False.
    :param against: rows to compare with, which are never removed: data, or an :class:`Index`. Default: none.
    :param only_against: keep duplicates within the data, and remove only near-duplicates of ``against``. Default: False.
    :param group: ``"independent"`` (default) removes a row only for a kept near-duplicate of its own; ``"components"`` keeps one
        row of each connected component, however different the others are.
    :param fail_if_source_loses: fail if a source loses this share of its rows, or more. Default: none.
    :param threads: number of threads. Default: one per core.
    :param memory: memory limit beside the data, such as ``"2G"``; what does not fit goes to ``work``. Default: half of the
        machine's memory.
    :param work: folder for what does not fit in memory. Default: the system's temporary folder.
    :param max_record: texts longer than this are skipped. Default: 256M, or a sixteenth of ``memory``.
    :param progress: a callable gets stage, bytes done, bytes in all, and documents; a class of tqdm shows its bar; ``False`` for
        silence. Default: automatic.

    The parameters of methods that are seldom needed:

    :param purpose: what near-duplicates are looked for in: ``"web"``, ``"news"``, ``"code"``, ``"short"``, ``"chat"`` or
        ``"legal"``. It stands for settings, of which those that are given win (the command's ``--for``). Default: none.
    :param tokens: ``"words"``, or ``"code"`` for the identifiers, numbers and operators of source code (``"code:python"`` if the
        texts do not tell their language). Default: ``"words"``; of files, ``"code"`` where most are source code by their names.
    :param count_repeats: a shingle that a text repeats counts as often as it occurs. Default: False.
    :param each_field: with several columns in ``text``, every one of them must be similar by itself. Default: False.
    :param within: compare only rows with the same value in this column. Default: none.
    :param different_numbers: rows that differ in nothing but numbers: ``"remove"`` (default) them like others, or ``"keep"``
        both.
    :param stopwords: your own stop words, for the shingle ``"stopword"``. Default: those of the languages.
    :param key: the key of the sketches, 1 to 32 hexadecimal digits, or ``"random"``. Default: none.
    :param rows_random: minhash: draw the rows of each band at random. Default: False.
    :param slots: minhash: number of slots that random rows are drawn from. Default: 128.
    :param sketch: minhash, supershingle: how slots are filled, ``"fast"`` (default) or ``"classic"``.
    :param agree: minhash, supershingle: number of bands in which candidates agree. Default: 1.
    :param bits: simhash: number of bits in which near-duplicates may differ. Default: 3.
    :param sketch_bits: simhash: bits per sketch, 64 (default) or 128.
    :param shingle_weights: simhash: the weight of a shingle, ``"count"`` (default), ``"idf"`` or ``"none"``.
    :param tables: simhash: how sketches are looked up, ``"blocks"`` (default) or ``"bands"``.
    :param verify: simhash: keep only pairs that reach the threshold, measured exactly. Default: False.
    :param checksum: copies: what exact copies share, ``"text"`` (default), ``"md5"``, ``"crc32"`` or ``"sum"``.

    >>> import lookalike
    >>> lookalike.dedup(["the storm hit the coast", "The storm hit the coast!", "a quiet day"]).kept
    <lookalike.Column of 2 values: 0, 2>
    """
    from ._index import Index

    options = given(locals())
    if against is not None and against is data:
        raise OptionError(
            "data and against are the same object: each row would be removed for itself", option="against", kind="not_with"
        )
    if isinstance(against, Index):
        options["against_index"] = str(against.path)
    given_data = to_input(
        data, columns(text, id, source, keep_column(keep), html_field=html_field, shingle=shingle, more=more), "data", work
    )
    reference: Given | Index | None = against if isinstance(against, Index) else None
    if against is not None and not isinstance(against, Index):
        reference = to_input(
            against,
            columns(
                text,
                existing(against, id),
                existing(against, source) if options.get("ignore_boilerplate") else None,
                html_field=html_field,
                shingle=shingle,
                more=more,
            ),
            "against",
            work,
        )
    with Watching(progress) as told:
        tables = reference.native if isinstance(reference, Given) else None
        try:
            native = _native.dedup({**options, "force": True}, given_data.native, tables, told)
        except OptionError as error:
            raise _of_dedup(error) from None
    # The text of a page is not at hand to be compared again.
    result = Dedup(native, given_data, native.compare if html_field is None else None, reference=reference)
    _note(result)
    return result


def _of_dedup(error: OptionError) -> OptionError:
    """A refusal by the name that the argument has here: an index is given as ``against``."""
    if error.option != "against_index":
        return error
    return OptionError(error.message.replace("against_index=", "against="), **{**error.fields, "option": "against"})


def _note(result: Dedup) -> None:
    counts = result.summary["input"]
    if counts["skipped_count"] or counts["without_id_count"] or counts["without_value_count"]:
        note_input(counts)
    for lost in result.summary["nearly_lost"]:
        note("the source %s lost %d of %d rows", lost["source"], lost["removed_count"], lost["document_count"])
