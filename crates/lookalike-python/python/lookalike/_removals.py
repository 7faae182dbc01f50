"""Explanations of why a row is kept or removed, and the removals to check first, with their texts."""

from __future__ import annotations

from typing import Any

from . import _native
from ._table import Table

SHOWN_CHARACTERS = 400


class Removals(Table):
    """Removals with the texts of both rows, where these are at hand. In a notebook, what differs is marked."""

    def _repr_html_(self) -> str:
        from ._html import differing, page

        if "removed_text" not in self.columns:
            return super()._repr_html_()
        parts = []
        for row in self:
            left, right = row["removed_text"], row["kept_text"]
            numbers = f"row {row['removed_row']:,} was removed for {_kept(row)}: similarity {row['similarity']:.4f}"
            parts.append(page(numbers, *differing(left, right, SHOWN_CHARACTERS)))
        return "".join(parts)


def _kept(row: dict[str, Any]) -> str:
    if row.get("kept_row") is None:
        return f"{row.get('kept_id')} of the index"
    return f"row {row['kept_row']:,}" + (" of the reference" if row.get("kept_in") else "")


def with_texts(removed: Table, removed_texts: list[str | None], kept_texts: list[str | None]) -> Removals:
    """A table of removals with the texts of both rows, unless no text is at hand."""
    columns: list[tuple[str, _native.Column]] = [(name, removed[name]._native) for name in removed.columns]
    if any(text is not None for text in removed_texts):
        columns.append(("removed_text", _native.Column.of_list("large_string", removed_texts)))
        columns.append(("kept_text", _native.Column.of_list("large_string", kept_texts)))
    return Removals(_native.Columns.of_columns(columns))


class Explanation(dict[str, Any]):
    """Evidence for keeping or removing a row: a dict that prints as a sentence and both texts.

    >>> import lookalike
    >>> result = lookalike.dedup(["the storm hit the coast", "The storm hit the coast!", "a quiet day"])
    >>> print(result.explain(1))
    Row 1 is removed for row 0: same words, similarity 1.0000.
      removed: The storm hit the coast!
      kept:    the storm hit the coast
    >>> result.explain(1)["kept_row"], result.explain(2)["kept"]
    (0, True)
    """

    @property
    def sentence(self) -> str:
        """The reason in one sentence."""
        row = f"Row {self['row']:,}"
        if not self["kept"]:
            kind = "exact copy" if self.get("exact_copy") else "same words" if self.get("same_words") else "near-duplicate"
            return f"{row} is removed for {_kept(self)}: {kind}, similarity {self['similarity']:.4f}."
        others = (self.get("cluster_size") or 1) - 1
        if others <= 0:
            return f"{row} is kept: no other row is a near-duplicate of it."
        noun = "row is" if others == 1 else "rows are"
        return f"{row} is kept: {others:,} {noun} removed for it."

    def _sides(self) -> list[tuple[str, str]]:
        comparison = self.get("comparison")
        if comparison is None:
            return []
        return [("removed", _joined(comparison.left)), ("kept", _joined(comparison.right))]

    def __str__(self) -> str:
        lines = [self.sentence]
        for name, text in self._sides():
            short = " ".join(text.split())
            short = short if len(short) <= SHOWN_CHARACTERS else short[:SHOWN_CHARACTERS] + "…"
            lines.append(f"  {name + ':':8} {short}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from html import escape

        from ._html import differing, page

        sides = self._sides()
        if not sides:
            return f"<p>{escape(self.sentence)}</p>"
        return page(self.sentence, *differing(sides[0][1], sides[1][1], None))


def _joined(side: dict[str, Any]) -> str:
    return "".join(passage["text"] for passage in side["passages"])
