"""What all runners share: the documents in, the kept ids and what was found out.

Each runner is called as `runner.py CORPUS OUT` and writes into the folder OUT:

    kept/          the documents that stay, as lines of the corpus; a tool that writes documents itself does so instead
    kept.txt       their ids, one per line
    pairs.tsv      two ids a line, if the peer names pairs
    clusters.tsv   an id and a number a line, if it names groups
    library.txt    seconds inside the peer's own calls, over all processes, if they can be told from ours

Words are cut here, once for all peers, so that they compare the same shingles. That is Python, and for the fast ones it
is most of the time; so it is done on all cores, by processes that each take a part of the file.
"""

import multiprocessing
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import orjson

THRESHOLD = 0.8
PERMUTATIONS = 128
PROCESSES = os.cpu_count() or 1

# Small parts, so that no process waits long for the last one.
PARTS = 16 * PROCESSES

Result = TypeVar("Result")

words: Callable[[str], list[str]] = re.compile(r"\w+").findall


def arguments() -> tuple[Path, Path]:
    corpus, out = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    return corpus, out


def shingles(text: str) -> list[str]:
    """Five words in a row; a shorter text is one shingle of all its words."""
    tokens = words(text.lower())
    if len(tokens) < 5:
        return [" ".join(tokens)] if tokens else []
    return list(map(" ".join, zip(tokens, tokens[1:], tokens[2:], tokens[3:], tokens[4:])))


def documents(corpus: Path, start: int, end: int) -> Iterator[tuple[str, str]]:
    """Id and text of the lines that begin within some bytes of the file."""
    for line in lines(corpus, start, end):
        document = orjson.loads(line)
        yield document["id"], document["text"]


def lines(corpus: Path, start: int, end: int) -> Iterator[bytes]:
    """The lines that begin within some bytes of the file."""
    with corpus.open("rb") as file:
        file.seek(start)
        # A line that began before belongs to the part before.
        if start > 0:
            file.seek(start - 1)
            file.readline()
        while file.tell() < end and (line := file.readline()):
            yield line


def by_parts(corpus: Path, work: Callable[[list[tuple[str, str]]], Result]) -> Iterator[Result]:
    """What `work` makes of each part of the file, in the order of the file, on all cores."""
    tasks = [(corpus, start, end, work) for start, end in _bounds(corpus)]
    pool = multiprocessing.get_context("fork").Pool(PROCESSES)
    yield from pool.imap(_run, tasks)
    # Joined, so that the system counts what the processes used.
    pool.close()
    pool.join()


def _bounds(corpus: Path) -> list[tuple[int, int]]:
    size = corpus.stat().st_size
    bounds = [size * part // PARTS for part in range(PARTS + 1)]
    return list(zip(bounds, bounds[1:]))


def _run(task: tuple[Path, int, int, Callable[[list[tuple[str, str]]], Result]]) -> Result:
    corpus, start, end, work = task
    return work(list(documents(corpus, start, end)))


def ids(corpus: Path) -> list[str]:
    return [identity for part in by_parts(corpus, _ids) for identity in part]


def _ids(part: list[tuple[str, str]]) -> list[str]:
    return [identity for identity, _ in part]


def keep_first(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The places that stay when each document goes that has a pair with an earlier one that stays."""
    earlier: dict[int, list[int]] = {}
    for one, other in pairs:
        earlier.setdefault(max(one, other), []).append(min(one, other))
    stays = [True] * count
    for place in sorted(earlier):
        stays[place] = not any(stays[before] for before in earlier[place])
    return [place for place in range(count) if stays[place]]


def write_kept(corpus: Path, out: Path, kept: Iterable[str]) -> None:
    """The documents that stay, on all cores like everything else, and their ids."""
    names = list(kept)
    folder = out / "kept"
    folder.mkdir(exist_ok=True)
    bounds = _bounds(corpus)
    parts = [(corpus, start, end, folder / f"{start:016d}.jsonl", frozenset(names)) for start, end in bounds]
    with multiprocessing.get_context("fork").Pool(PROCESSES) as pool:
        copied = sum(pool.imap_unordered(_copy, parts))
        pool.close()
        pool.join()
    assert copied == len(names), f"{copied} documents were written, and {len(names)} stay"
    write_kept_ids(out, names)


def write_kept_ids(out: Path, kept: Iterable[str]) -> None:
    """The ids alone, for a tool that has written the documents itself."""
    _write(out / "kept.txt", kept)


def _copy(part: tuple[Path, int, int, Path, frozenset[str]]) -> int:
    corpus, start, end, path, names = part
    count = 0
    with path.open("wb") as file:
        for line in lines(corpus, start, end):
            if orjson.loads(line)["id"] in names:
                file.write(line)
                count += 1
    return count


def write_pairs(out: Path, names: list[str], pairs: Iterable[tuple[int, int]]) -> None:
    _write(out / "pairs.tsv", (f"{names[one]}\t{names[other]}" for one, other in pairs))


def write_searched(out: Path, pairs: Iterable[tuple[str, str]], added: float, searched: float) -> None:
    """What an index found for each query, and the seconds that adding and searching took."""
    _write(out / "pairs.tsv", (f"{query}\t{found}" for query, found in pairs))
    (out / "seconds.json").write_bytes(orjson.dumps({"add": added, "search": searched}))


def write_clusters(out: Path, clusters: Iterable[tuple[str, int]]) -> None:
    _write(out / "clusters.tsv", (f"{name}\t{cluster}" for name, cluster in clusters))


def write_library_seconds(out: Path, seconds: float) -> None:
    _write(out / "library.txt", [f"{seconds:.3f}"])


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.open("w") as file:
        file.writelines(f"{line}\n" for line in lines)
