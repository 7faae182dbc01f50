"""Texts for all tests, corpora that are hard for a run in tasks, and the output of the command to compare with."""

from __future__ import annotations

import gzip
import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]

WORDS = [
    f"{start}{end}"
    for start in ("ka", "lo", "mi", "ru", "te", "so", "pa", "ne")
    for end in ("ra", "lin", "dor", "mas", "vek", "tun")
]


def texts_of(seed: int, count: int) -> list[str]:
    """Texts of which about a third are like others: copies, edits, other letters."""
    draw = random.Random(seed)
    texts: list[str] = []
    for _ in range(count):
        kind = draw.random()
        if texts and kind < 0.1:
            texts.append(draw.choice(texts))
        elif texts and kind < 0.35:
            words = draw.choice(texts).split()
            for _ in range(draw.randint(0, 2)):
                if words:
                    words[draw.randrange(len(words))] = draw.choice(WORDS)
            texts.append(" ".join(words) + draw.choice(["", "!", " é", "\n"]))
        else:
            texts.append(" ".join(draw.choices(WORDS, k=draw.randint(0, 60))))
    return texts


# Units and batches that are so small that a small corpus has several.
SIZES: dict[str, Any] = {"unit_bytes": 4_000, "batch_bytes": 2_000}

MINHASH: dict[str, Any] = {"method": "minhash"}


def lines_of(texts: Iterable[str]) -> str:
    return "".join(json.dumps({"id": f"d{at}", "text": text}, ensure_ascii=False) + "\n" for at, text in enumerate(texts))


def tree(folder: Path) -> dict[str, Any]:
    """Everything in a folder, without what differs between equal runs."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.name == "summary.json":
            summary = json.loads(path.read_text(encoding="utf-8"))
            for differs in ("stages", "seconds", "peak_memory_bytes", "command", "working_folder"):
                summary.pop(differs, None)
            # That of a task, or of the whole machine.
            summary["parameters"].pop("threads")
            found[path.name] = summary
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def by_command(command: Path, inputs: Path, **options: Any) -> dict[str, Any]:
    """The output of the command, in the working folder."""
    flags = []
    for name, value in options.items():
        flags += ["--" + name.replace("_", "-"), *([] if value is True else [str(value)])]
    subprocess.run([command, "dedup", inputs, "-o", "command", "-q", "--no-report", *flags], check=True)
    return tree(Path("command"))


def _examples(folder: Path) -> None:
    for name in ("news", "code"):
        shutil.copytree(ROOT / "examples" / name, folder / name)
    for name in ("crawl.jsonl", "five.jsonl", "quiz.jsonl"):
        if "text" in (ROOT / "examples" / name).read_text(encoding="utf-8"):
            shutil.copy(ROOT / "examples" / name, folder)


def _mixed(folder: Path) -> None:
    for at in range(3):
        (folder / f"{at}.jsonl").write_text(lines_of(texts_of(3, 400)[at::3]), encoding="utf-8")


def _one_file(texts: Callable[[], Iterable[str]]) -> Callable[[Path], None]:
    return lambda folder: (folder / "a.jsonl").write_text(lines_of(texts()), encoding="utf-8") and None


def _words(start: int, end: int) -> str:
    return " ".join(f"word{at}" for at in range(start, end))


def _boilerplate() -> list[str]:
    # All share a bucket, and none is similar enough: more than 256 of its members are kept.
    return [f"{_words(0, 57)} {_words(1000 * at + 1000, 1000 * at + 1003)}" for at in range(320)]


def _chinese() -> list[str]:
    return ["".join(chr(0x4E00 + (word * 7 + at // 3) % 900) for word in range(50)) for at in range(60)]


def _gzip(folder: Path) -> None:
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(lines_of(texts_of(4, 300)).encode()))


def _parquet(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = texts_of(5, 300)
    table = pa.table({"id": [f"d{at}" for at in range(len(texts))], "text": texts})
    pq.write_table(table, folder / "a.parquet", row_group_size=40)


def _warc(folder: Path) -> None:
    records = []
    for at, text in enumerate(texts_of(6, 200)):
        page = f"<html><head><title>{at}</title></head><body><p>{text}</p></body></html>"
        answer = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}".encode()
        head = (
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
            f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{at:012}>\r\nWARC-Date: 2026-11-01T00:00:00Z\r\n"
            f"WARC-Target-URI: http://site{at % 4}.org/{at}\r\nContent-Length: {len(answer)}\r\n\r\n"
        )
        records.append(gzip.compress(head.encode() + answer + b"\r\n\r\n"))
    (folder / "a.warc.gz").write_bytes(b"".join(records))


def _large() -> list[str]:
    draw = random.Random(9)
    texts: list[str] = []
    for _ in range(20_000):
        words = draw.choice(texts[-50:]).split() if texts and draw.random() < 0.3 else draw.choices(range(5_000), k=20)
        words = [str(word) for word in words]
        words[draw.randrange(len(words))] = "changed"
        texts.append(" ".join(words))
    return texts


#: What makes each corpus in a folder, and the options to use.
CORPORA: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "mixed": (_mixed, {**MINHASH, "threshold": 0.6}),
    "examples": (_examples, {}),
    "exact copies": (_one_file(lambda: [_words(0, 40)] * 400), MINHASH),
    "one template": (_one_file(lambda: (f"{_words(0, 60)} {at}" for at in range(300))), MINHASH),
    "a chain": (_one_file(lambda: (_words(at * 2, at * 2 + 60) for at in range(150))), MINHASH),
    "boilerplate": (_one_file(_boilerplate), {"threshold": 0.95, "shingle": "word:1", "bands": 6, "rows": 1, "keep": "first"}),
    "empty": (_one_file(list), {}),
    "cjk": (_one_file(_chinese), {**MINHASH, "threshold": 0.6, "shingle": "char:5"}),
    "many units of one file": (_one_file(lambda: texts_of(8, 500)), MINHASH),
    "gzip in one piece": (_gzip, MINHASH),
    "parquet": (_parquet, MINHASH),
    "warc": (_warc, MINHASH),
}

#: Those that take longer, for the cluster.
LARGE: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "20,000 documents": (_one_file(_large), MINHASH),
    "10,000 exact copies": (_one_file(lambda: [_words(0, 40)] * 10_000), MINHASH),
    "5,000 of one template": (_one_file(lambda: (f"{_words(0, 60)} {at}" for at in range(5_000))), MINHASH),
}
