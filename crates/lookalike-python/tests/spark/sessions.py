"""Sessions and rows for the tests of ``lookalike.spark``."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import cluster
import lookalike
import pyarrow as pa

TYPES = {
    "number": pa.int64(),
    "id": pa.string(),
    "text": pa.string(),
    "host": pa.string(),
    "score": pa.int64(),
    "rare": pa.int64(),
    "none": pa.int64(),
}


WORDS = [
    f"{start}{end}"
    for start in ("ka", "lo", "mi", "ru", "te", "so", "pa", "ne")
    for end in ("ra", "lin", "dor", "mas", "vek", "tun")
]


def rows_of(seed: int, count: int, words: int = 60) -> list[dict[str, Any]]:
    """Rows of which about a third are like others: copies, edits, other punctuation, no text, no words."""
    draw = random.Random(seed)
    texts: list[str] = []
    rows: list[dict[str, Any]] = []
    for number in range(count):
        kind = draw.random()
        text: str | None
        if texts and kind < 0.1:
            text = draw.choice(texts)
        elif texts and kind < 0.35:
            changed = draw.choice(texts).split()
            changed[draw.randrange(len(changed))] = draw.choice(WORDS)
            text = " ".join(changed) + draw.choice(["", "!", " é", "\n"])
        elif kind < 0.37:
            text = draw.choice([None, "", "...", "一二三四五六七八九十"])
        else:
            text = " ".join(draw.choices(WORDS, k=draw.randint(1, words)))
        if text and text.split():
            texts.append(text)
        rare = number if number % 40 == 0 else None
        rows.append(
            {
                "number": number,
                "id": f"n{number}",
                "text": text,
                "host": f"h{number % 3}",
                "score": number * 7919 % 13,
                "rare": rare,
                "none": None,
            }
        )
    return rows


def classic(master: str) -> Any:
    """A classic session on a cluster."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("lookalike")
    for name, value in cluster.configuration().items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def frame_of(session: Any, rows: list[dict[str, Any]]) -> Any:
    """The rows in any order, as a DataFrame."""
    shuffled = random.Random(1).sample(rows, len(rows))
    values = [tuple(row.get(name) for name in TYPES) for row in shuffled]
    schema = "number long, id string, text string, host string, score long, rare long, none long"
    return session.createDataFrame(values, schema)


def table_of(rows: list[dict[str, Any]]) -> pa.Table:
    """The rows in their order, as a table of Arrow."""
    return pa.table({name: pa.array([row.get(name) for row in rows], kind) for name, kind in TYPES.items()})


def check(result: Any, expected: lookalike.Dedup) -> None:
    """All removals and all rows are equal, in their order, to those of one machine."""
    removed = [row.asDict() for row in result.removed.collect()]
    assert removed == expected.removed.to_dicts()
    assert removed, "a test that removes nothing shows nothing"
    mine = [row.asDict() for row in result.rows.collect()]
    for own, other in zip(mine, expected.rows.to_dicts(), strict=True):
        for name in ("row", "cluster", "kept", "kept_row", "similarity", "copy_count", "cluster_size"):
            assert own[name] == other[name], (name, own, other)
    found, known = result.summary["found"], expected.summary["found"]
    for name in ("removed_count", "kept_count", "exact_copy_count", "same_words_count", "near_duplicate_count", "cluster_count"):
        assert found[name] == known[name], name


def wait_for(path: Path) -> None:
    """Waits until a file or a folder exists."""
    end = time.monotonic() + 300
    while not path.exists():
        if time.monotonic() > end:
            raise TimeoutError(f"{path} did not appear")
        time.sleep(0.01)
