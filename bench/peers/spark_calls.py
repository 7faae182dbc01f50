"""Tools on one Spark cluster of two workers of one core each, on the same documents: time with the start of the session, bytes
that are shuffled by Spark's own log, and how right the answers are.

Called as `spark_calls.py FOLDER CORPUS TRUTH COMMAND`; prints a JSON list. The cluster is that of the tests of `lookalike.spark`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import cluster
import judged
import lookalike.spark
from lookalike import tasks

THRESHOLD = 0.8
# One hash per table: a pair at the threshold is found with a probability of 1 - 0.2³ = 0.992.
TABLES = 3

Removed = set[str]


def of_files(spark: Any, corpus: Path, folder: Path) -> Removed:
    lookalike.spark.dedup(spark, corpus, output=folder / "clean", work=folder / "work", id="id", threshold=THRESHOLD)
    return removed_in(folder / "clean")


def of_frame(spark: Any, corpus: Path, folder: Path) -> Removed:
    frame = spark.read.json(corpus.as_uri())
    result = lookalike.spark.dedup(spark, frame=frame, order="id", id="id", work=str(folder / "work"), threshold=THRESHOLD)
    return {row[0] for row in result.removed.select("removed_id").collect()}


def spark_ml(spark: Any, corpus: Path, folder: Path) -> Removed:
    from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
    from pyspark.sql import functions as sql

    words = RegexTokenizer(inputCol="text", outputCol="words", pattern=r"\W+").transform(spark.read.json(corpus.as_uri()))
    shingles = NGram(n=5, inputCol="words", outputCol="shingles").transform(words).where(sql.size("shingles") > 0)
    vectors = (
        HashingTF(inputCol="shingles", outputCol="features", binary=True).transform(shingles).select("id", "features").cache()
    )
    model = MinHashLSH(inputCol="features", outputCol="hashes", numHashTables=TABLES, seed=42).fit(vectors)
    pairs = model.approxSimilarityJoin(vectors, vectors, 1 - THRESHOLD).where("datasetA.id < datasetB.id")
    return {row[0] for row in pairs.select("datasetB.id").distinct().collect()}


def lshbloom(spark: Any, corpus: Path, folder: Path) -> Removed:
    from spark_lshbloom import SparkLSHBloom

    frame = spark.read.json(corpus.as_uri())
    # Of its two modes, `lshbloom` of version 0.1.0 fails on a cluster: it passes an argument that its filter does not have.
    kept = SparkLSHBloom(threshold=THRESHOLD, num_perm=128, mode="minhash_lsh").deduplicate(frame, text_col="text", id_col="id")
    return {row[0] for row in frame.select("id").subtract(kept.select("id")).collect()}


ON_SPARK: dict[str, Callable[[Any, Path, Path], Removed]] = {
    "lookalike.spark, files": of_files,
    "lookalike.spark, frame": of_frame,
    "spark-lshbloom": lshbloom,
    "Spark ML MinHashLSH": spark_ml,
}


def of_tasks(corpus: Path, folder: Path) -> Removed:
    tasks.run(corpus, folder / "clean", folder / "work", processes=2, id="id", threshold=THRESHOLD)
    return removed_in(folder / "clean")


def by_command(command: str, corpus: Path, folder: Path) -> Removed:
    words = ["dedup", corpus, "-o", folder / "clean", "--id", "id", "--threshold", str(THRESHOLD), "-q", "--no-report"]
    subprocess.run([command, *words], check=True)
    return removed_in(folder / "clean")


def removed_in(folder: Path) -> Removed:
    return {json.loads(line)["removed_id"] for line in (folder / "removed.jsonl").open(encoding="utf-8")}


def shuffled(events: Path) -> int:
    """The bytes that tasks wrote for others, in Spark's log of an application."""
    total = 0
    for path in events.iterdir():
        for line in path.open(encoding="utf-8"):
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd":
                total += event.get("Task Metrics", {}).get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def in_session(call: Callable[[Any, Path, Path], Removed], address: str, corpus: Path, folder: Path) -> tuple[Removed, int]:
    from pyspark.sql import SparkSession

    events = folder / "events"
    events.mkdir()
    log = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": events.as_uri(), "spark.eventLog.rolling.enabled": "false"}
    builder = SparkSession.builder.master(address).appName("bench")
    for name, value in cluster.configuration(**log, **{"spark.eventLog.compress": "false"}).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        removed = call(session, corpus, folder)
    finally:
        session.stop()
    return removed, shuffled(events)


def rows_of(corpus: Path) -> dict[str, int]:
    return {json.loads(line)["id"]: row for row, line in enumerate(corpus.open(encoding="utf-8"))}


def main() -> None:
    folder, corpus, truth = (Path(word).resolve() for word in sys.argv[1:4])
    rows = rows_of(corpus)
    near: set[tuple[int, int]] = set()
    for line in truth.read_text().splitlines():
        left, right, _ = line.split("\t")
        near |= {(int(left), int(right)), (int(right), int(left))}
    similar = {row for row, _ in near}
    # As `docs/spark.md` recommends; the tests have less.
    cluster.WORKER_MEMORY, cluster.EXECUTOR_MEMORY = "2g", "1500m"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    measured = []
    with cluster.Cluster(folder / "cluster") as running:

        def measure(tool: str, call: Callable[[Path], tuple[Removed, int]]) -> None:
            own = folder / tool.replace(" ", "-")
            own.mkdir(parents=True)
            start = perf_counter()
            try:
                ids, shuffle_bytes = call(own)
            except Exception as error:
                print(f"{tool} is not measured: {str(error)[:2000]}", file=sys.stderr)
                return
            seconds = perf_counter() - start
            removed = {rows[id] for id in ids}
            pairs_left = sum(left not in removed and right not in removed for left, right in near)
            measured.append(
                {
                    "tool": tool,
                    "seconds": seconds,
                    "bytes": corpus.stat().st_size,
                    "documents": len(rows),
                    "shuffle_bytes": shuffle_bytes,
                    "removed": len(removed),
                    "lost": judged.lost(removed, near),
                    "recall": 1 - pairs_left / max(1, len(near)),
                    "precision": len(removed & similar) / max(1, len(removed)),
                }
            )

        measure("lookalike dedup", lambda own: (by_command(sys.argv[4], corpus, own), 0))
        measure("lookalike.tasks, 2 processes", lambda own: (of_tasks(corpus, own), 0))
        for tool, call in ON_SPARK.items():
            measure(tool, lambda own, call=call: in_session(call, running.address, corpus, own))
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
