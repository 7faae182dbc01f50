"""Lists, dicts of columns and lists of dicts, to what the native part reads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _native
from ._errors import ColumnError, OptionError

# What stands for a blank inside of a token: it looks like one, and ends no token.
BLANK = "\u00a0"
SHOWN_COLUMNS = 30


def check_columns(wanted: Iterable[str], existing: Sequence[Any]) -> None:
    """Every column that is asked for is there, once."""
    for column in wanted:
        count = sum(1 for name in existing if name == column)
        if count == 0:
            shown = ", ".join(str(name) for name in existing[:SHOWN_COLUMNS])
            known = f"the columns are {shown}" if existing else "the data has no columns"
            raise ColumnError(f"there is no column '{column}': {known}", column=column, columns=list(existing))
        if count > 1:
            raise ColumnError(f"{count} columns are called '{column}': rename all but one", column=column, columns=list(existing))


def of_table(data: Mapping[Any, Any], columns: dict[str, Any], name: str) -> _native.Input:
    """A dict of columns."""
    if any(isinstance(column, (str, bytes)) or column is None or not _is_column(column) for column in data.values()):
        raise OptionError(
            f'{name}= is a dict, and a dict is a table: its values must be columns, as in {{"text": ["...", "..."]}}; '
            "of a dict of texts, give list(data.values())",
            option=name,
            kind="wrong_type",
        )
    names = [column for role in ("text", "id", "source", "value") if (column := columns[role]) is not None]
    check_columns(names, list(data))
    check_lengths(data, name)
    return of_lists({column: as_list(data[column]) for column in names}, columns, name)


def of_records(data: Sequence[Mapping[str, Any] | None], columns: dict[str, Any], name: str) -> _native.Input:
    """A list of dicts, which are rows. What a row does not have is missing."""
    names = [column for role in ("text", "id", "source", "value") if (column := columns[role]) is not None]
    for row, record in enumerate(data):
        if record is not None and not isinstance(record, Mapping):
            raise OptionError(
                f"row {row} of {name}= is of the type {type(record).__name__}, and the rows before it are dicts",
                option=name,
                kind="wrong_type",
            )
    known = dict.fromkeys(key for record in data for key in record or ())
    check_columns(names, list(known))
    return of_lists(
        {column: [None if record is None else record.get(column) for record in data] for column in names}, columns, name
    )


def of_lists(lists: Mapping[str, Sequence[Any]], columns: dict[str, Any], name: str) -> _native.Input:
    """Columns as lists."""
    for role in ("id", "source", "value"):
        if columns[role] is not None and columns[role] not in lists:
            raise ColumnError(
                f"a list of texts has no column '{columns[role]}': give a data frame, or leave out the name",
                column=columns[role],
                columns=[],
            )

    def values(role: str) -> list[Any] | None:
        column = columns[role]
        return None if column is None else [_value(value) for value in lists[column]]

    texts = lists[columns["text"]]
    plain = texts if isinstance(texts, list) else list(texts)
    others = (values("id"), values("source"), values("value"), name)
    try:
        return _native.Input.of_lists(plain, *others)
    except TypeError:
        # Something in it is no text.
        pass
    return _native.Input.of_lists([_text(row, text, columns) for row, text in enumerate(plain)], *others)


def _text(row: int, text: Any, columns: dict[str, Any]) -> str | None:
    column = columns["text"]
    if text is None or isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if is_missing(text):
        return None
    if is_tokens(text):
        if columns["tokens"]:
            return " ".join(word for token in text if (word := BLANK.join(str(token).split(" "))))
        raise ColumnError(
            f"row {row} of '{column}' is a list of tokens: give shingle=\"token:5\" to compare runs of five tokens as they are",
            column=column,
            columns=[],
            row=row,
        )
    raise ColumnError(
        f"row {row} of '{column}' has the type {type(text).__name__}, and texts are needed",
        column=column,
        columns=[],
        row=row,
    )


def is_tokens(value: Any) -> bool:
    """Whether this is a list of texts or of numbers."""
    is_list = isinstance(value, (list, tuple)) or (hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1)
    return is_list and all(isinstance(token, str) or hasattr(token, "__index__") for token in value)


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas calls NA and NaT."""
    return value is None or (isinstance(value, float) and math.isnan(value)) or type(value).__name__ in ("NAType", "NaTType")


def _value(value: Any) -> Any:
    if is_missing(value):
        return None
    return value.item() if hasattr(value, "item") else value


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, Mapping)


def as_list(column: Any) -> list[Any]:
    """The values of a column of any library."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            values: list[Any] = getattr(column, method)()
            return values
    return list(column)


def check_lengths(data: Mapping[Any, Any], name: str) -> int:
    """The number of rows of a dict of columns."""
    lengths = {key: len(column) for key, column in data.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        raise OptionError(f"the columns of {name}= must have one length: {shown}", option=name, kind="out_of_range")
    return next(iter(lengths.values()), 0)
