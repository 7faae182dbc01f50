"""Shared 13-grams, as lm-evaluation-harness looks for contamination: thirteen_grams.py CORPUS ITEMS OUT

Its `Janitor` turns ASCII capitals into small letters, deletes ASCII punctuation, and splits at white space; an item is
contaminated if a document has any of its 13-grams. The harness reads sorted files of the n-grams of a whole corpus; here
the items are in memory and the corpus streams past, which gives the same overlaps. OUT gets a line for each item and
document: `item_id`, `document_id`.
"""

import string
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import orjson

N = 13
TABLE = str.maketrans(string.ascii_uppercase, string.ascii_lowercase, string.punctuation)


def grams(text: str) -> Iterator[str]:
    words = text.translate(TABLE).split()
    return map(" ".join, zip(*(words[at:] for at in range(N))))


def main() -> None:
    corpus, items, out = map(Path, sys.argv[1:])
    known: dict[str, set[str]] = defaultdict(set)
    with items.open("rb") as lines:
        for line in lines:
            item = orjson.loads(line)
            for gram in grams(f"{item['question']}\n{item['answer']}"):
                known[gram].add(item["id"])
    with corpus.open("rb") as lines, out.open("wb") as hits:
        for line in lines:
            document = orjson.loads(line)
            found: set[str] = set()
            for gram in grams(document["text"]):
                if gram in known:
                    found |= known[gram]
            for item_id in sorted(found):
                hits.write(orjson.dumps({"item_id": item_id, "document_id": document["id"]}) + b"\n")


if __name__ == "__main__":
    main()
