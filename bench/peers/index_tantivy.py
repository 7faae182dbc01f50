"""tantivy as an index of bands: the keys of datasketch's sketches are terms, and a query is one of any of its own.

Called as `index_tantivy.py CORPUS QUERIES OUT`. A search engine has no notion of similarity, so this is what it would take to use one:
bands as terms, and what shares one is found. Writes OUT/pairs.tsv (query and what was found, as it comes: nothing is measured) and
OUT/seconds.json.
"""

import shutil
import sys
from pathlib import Path
from time import perf_counter

import tantivy
from datasketch import MinHash, MinHashLSH

import peer
from index_datasketch import sketches


def terms(sketch: MinHash, ranges: list[tuple[int, int]]) -> list[str]:
    return [f"{at}:{sketch.hashvalues[start:end].tobytes().hex()}" for at, (start, end) in enumerate(ranges)]


def main() -> None:
    corpus, queries, out = map(Path, sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    folder = out / "tantivy"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    # The same bands as datasketch's index has.
    ranges = MinHashLSH(threshold=peer.THRESHOLD, num_perm=peer.PERMUTATIONS).hashranges
    start = perf_counter()
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("bands", stored=False, tokenizer_name="raw", index_option="basic")
    schema = builder.build()
    index = tantivy.Index(schema, path=str(folder))
    writer = index.writer(heap_size=256_000_000, num_threads=2)
    for identity, sketch in sketches(corpus):
        document = tantivy.Document(id=identity)
        for term in terms(sketch, ranges):
            document.add_text("bands", term)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    added = perf_counter() - start
    index.reload()
    searcher = index.searcher()
    start = perf_counter()
    pairs = []
    for identity, sketch in sketches(queries):
        query = tantivy.Query.term_set_query(schema, "bands", terms(sketch, ranges))
        hits = searcher.search(query, limit=100_000, count=False).hits
        pairs.extend((identity, searcher.doc(address)["id"][0]) for _, address in hits)
    searched = perf_counter() - start
    peer.write_searched(out, pairs, added, searched)


if __name__ == "__main__":
    main()
