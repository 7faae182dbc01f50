"""Pieces of HTML for notebooks. Every text is escaped, and charts are pictures, so that no style leaks into the notebook."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import Any


def cell(value: Any) -> str:
    """A value as a person reads it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    text = str(value)
    return escape(text if len(text) <= 200 else text[:200] + "…")


def rows(names: Sequence[str], values: Sequence[Sequence[Any]]) -> str:
    """A table."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in values)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def picture(svg: str, title: str) -> str:
    """A chart."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{escape(title)}" style="max-width: 640px; width: 100%" src="data:image/svg+xml;base64,{data}">'


def facts(values: Sequence[tuple[str, Any]]) -> str:
    """A few numbers with their names."""
    return rows([name for name, _ in values], [[f"{value:,}" if isinstance(value, int) else value for _, value in values]])
