"""Pieces of HTML for notebooks. Every text is escaped, colors go with any theme, and nothing is wider than the page."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from html import escape
from typing import Any

# A see-through color is readable on any background.
MARK = "background: rgba(255, 150, 0, 0.35); color: inherit; border-radius: 2px; padding: 0 1px"
SIDE = "vertical-align: top; text-align: left; white-space: pre-wrap; overflow-wrap: anywhere; width: 50%"
WIDE = "overflow-x: auto; max-width: 100%"
# Shared text around a difference, in characters.
AROUND = 60
# Texts with more words are compared by lines of shingles elsewhere; here it would take too long.
MOST_WORDS = 20_000


def cell(value: Any) -> str:
    """A value as a person reads it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    text = str(value)
    return escape(text if len(text) <= 200 else text[:200] + "…")


def rows(names: Sequence[str], values: Sequence[Sequence[Any]]) -> str:
    """A table, which scrolls by itself if it is wider than the page."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in values)
    return f'<div style="{WIDE}"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def picture(svg: str, title: str) -> str:
    """A chart. It has the colors of the page around it, whatever theme that has."""
    return f'<div role="img" aria-label="{escape(title)}" style="max-width: 640px; width: 100%">{svg}</div>'


def facts(values: Sequence[tuple[str, Any]]) -> str:
    """A few numbers with their names."""
    return rows([name for name, _ in values], [[f"{value:,}" if isinstance(value, int) else value for _, value in values]])


def page(title: str, left: str, right: str) -> str:
    """Two texts side by side."""
    return (
        f"<p>{escape(title)}</p>"
        f'<table style="width: 100%; table-layout: fixed"><tr><td style="{SIDE}">{left}</td>'
        f'<td style="{SIDE}">{right}</td></tr></table>'
    )


def marked(text: str) -> str:
    """Text that the other side does not have."""
    return f'<mark style="{MARK}">{escape(text)}</mark>' if text.strip() else escape(text)


def plain(text: str) -> str:
    """Text that both sides have; of a long run only its ends."""
    if len(text) <= 3 * AROUND:
        return escape(text)
    middle = len(text) - 2 * AROUND
    return (
        f"{escape(text[:AROUND])}"
        f'<span style="opacity: 0.6"> ⋯ {middle:,} characters that both have ⋯ </span>'
        f"{escape(text[-AROUND:])}"
    )


def differing(left: str | None, right: str | None, most: int | None) -> tuple[str, str]:
    """Two texts with what differs marked. Of long texts, at most this many characters of each side are shown."""
    if left is None or right is None:
        return escape((left or "")[:most]), escape((right or "")[:most])
    words: list[list[str]] = [re.findall(r"\s+|\w+|[^\w\s]", text) for text in (left, right)]
    if max(len(side) for side in words) > MOST_WORDS:
        return escape(left[:most]), escape(right[:most])
    matcher = difflib.SequenceMatcher(None, words[0], words[1], autojunk=False)
    sides: tuple[list[str], list[str]] = ([], [])
    shown = [0, 0]
    for kind, *places in matcher.get_opcodes():
        for side, (start, end) in enumerate((places[:2], places[2:])):
            text = "".join(words[side][start:end])
            if most is not None and shown[side] > most:
                if sides[side][-1] != "…":
                    sides[side].append("…")
                continue
            sides[side].append(plain(text) if kind == "equal" else marked(text))
            shown[side] += min(len(text), 3 * AROUND) if kind == "equal" else len(text)
    return "".join(sides[0]), "".join(sides[1])
