"""``python -m lookalike.spark pack``: the archive for workers on which lookalike is not installed."""

from __future__ import annotations

import argparse
import sys

from .._errors import LookalikeError
from ._pack import pack


def main(words: list[str] | None = None) -> int:
    """Makes the archive, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lookalike.spark", description=__doc__, allow_abbrev=False)
    jobs = parser.add_subparsers(dest="job", required=True)
    packing = jobs.add_parser("pack", help="make an archive of the installed package", allow_abbrev=False)
    packing.add_argument("-o", "--output", required=True, help="the file, whose name ends in .zip")
    packing.add_argument("--force", action="store_true", help="replace the file if it exists")
    given = parser.parse_args(words)
    try:
        print(pack(given.output, given.force))
    except LookalikeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
