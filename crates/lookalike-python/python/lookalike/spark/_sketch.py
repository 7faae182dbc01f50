"""``sketch``: sketches as columns of a DataFrame, for pipelines of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import __version__
from .._arguments import no_column, unknown_option
from . import _worker
from ._options import SCHEME, TEXT
from ._session import mapped, ship

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def sketch(frame: DataFrame, *, text: str = "text", **options: Any) -> DataFrame:
    """The rows with columns of :func:`lookalike.sketch`: ``sketch``, ``keys``, ``text_hash``, ``content_hash``, ``token_count``
    and ``feature_count``. Nothing is computed before the result is used.

    :param frame: the rows.
    :param text: the column of the texts. Default: ``"text"``.
    :param options: the options of :func:`lookalike.sketch`.
    """
    for name in options:
        if name not in SCHEME | TEXT:
            raise unknown_option(name, SCHEME | TEXT, "sketch")
    column = options.get("html_field") or text
    if column not in frame.columns:
        raise no_column(column, frame.columns, "text")
    ship()
    schema = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema)
    made = "sketch binary, keys array<long>, text_hash binary, content_hash binary, token_count long, feature_count long"
    return mapped(frame, _worker.sketched(__version__, column, {**options, "text": text}), f"{schema}, {made}")
