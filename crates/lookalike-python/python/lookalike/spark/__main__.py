"""``python -m lookalike.spark``: ``dedup`` with the flags of the command, and ``pack``, which makes the archive for workers on
which lookalike is not installed.

``spark-submit`` runs this file as a program of its own: its imports are absolute.
"""

from __future__ import annotations

import argparse
import os
import sys

try:
    import lookalike
except ImportError:
    # The driver is a machine of the cluster, which has only the archive.
    sys.path.insert(0, os.path.abspath("lookalike"))
    import lookalike

import lookalike.spark
from lookalike.tasks import add_options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lookalike.spark", description="Deduplicate on Apache Spark.")
    jobs = parser.add_subparsers(dest="job", required=True)
    packing = jobs.add_parser("pack", help="make an archive of the installed package", allow_abbrev=False)
    packing.add_argument("-o", "--output", required=True, help="the file, whose name ends in .zip")
    packing.add_argument("--force", action="store_true", help="replace the file if it exists")
    what = "remove near-duplicates from files, as `lookalike dedup` does"
    job = jobs.add_parser("dedup", help=what, description=what, allow_abbrev=False)
    job.add_argument("inputs", nargs="+", metavar="INPUT")
    job.add_argument("-o", "--output", required=True, metavar="FOLDER")
    job.add_argument("--work", required=True, metavar="FOLDER", help="a folder that all machines reach at the same path")
    job.add_argument("--resume", action="store_true", help="go on with the run in the work folder")
    job.add_argument("--archive", metavar="FILE", help="what `pack` made, if spark-submit has no --archives")
    job.add_argument("--master", metavar="URL", help="the cluster, if this is not run by spark-submit")
    job.add_argument("--conf", action="append", default=[], metavar="NAME=VALUE", help="a setting of Spark")
    for name in ("unit", "batch", "family"):
        job.add_argument(f"--{name}-bytes", type=int, metavar="BYTES")
    add_options(job.add_argument_group("options of lookalike dedup"))
    return parser


def main(words: list[str] | None = None) -> int:
    """Runs the command line, and returns the exit code."""
    given = vars(_parser().parse_args(words))
    try:
        if given.pop("job") == "pack":
            print(lookalike.spark.pack(given["output"], given["force"]))
        else:
            _dedup(**{name: value for name, value in given.items() if value is not None})
    except lookalike.LookalikeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _dedup(inputs: list[str], conf: list[str], master: str | None = None, **given: object) -> None:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("lookalike")
    if master is not None:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    for setting in conf:
        name, sign, value = setting.partition("=")
        if not sign:
            raise lookalike.LookalikeError(f"--conf must be NAME=VALUE, not {setting}")
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        found = lookalike.spark.dedup(session, inputs, **given).summary["found"]  # type: ignore[call-overload]
    finally:
        session.stop()
    print(f"{found['kept_count']:,} documents kept, {found['removed_count']:,} removed")


if __name__ == "__main__":
    sys.exit(main())
