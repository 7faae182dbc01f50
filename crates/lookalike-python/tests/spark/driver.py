"""A run on a cluster as a program of its own, which a test can kill: `driver.py MASTER ARCHIVE WORK`."""

from __future__ import annotations

import sys

import lookalike.spark
from sessions import classic, frame_of, rows_of


def main(master: str, archive: str, work: str) -> None:
    session = classic(master)
    frame = frame_of(session, rows_of(7, 500))
    options = {"order": "number", "id": "id", "method": "minhash", "partitions": 4, "batch_bytes": 5_000}
    lookalike.spark.dedup(session, frame=frame, work=work, archive=archive, resume=True, **options)


if __name__ == "__main__":
    main(*sys.argv[1:])
