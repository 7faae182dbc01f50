"""datatrove: its MinHash pipeline in its four stages, with its own buckets (14 of 8 hashes) and 64-bit hashes.

It works a file at a time, so the corpus is first cut into a file for each core. Its last stage reads the documents again and
writes those that stay.
"""

import shutil
from itertools import islice
from pathlib import Path

import numpy as np
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import (
    MinhashDedupBuckets,
    MinhashDedupCluster,
    MinhashDedupFilter,
    MinhashDedupSignature,
)
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter
from datatrove.utils.text import TextNormConfig
from datatrove.utils.word_tokenizers import WordTokenizer

import peer

# Forked processes start at once, and the system counts what they used, which it does not of a server's processes.
START = "fork"


class Words(WordTokenizer):
    """The words that the others get, in place of those of a language model."""

    def word_tokenize(self, text: str) -> list[str]:
        return peer.words(text)

    def sent_tokenize(self, text: str) -> list[str]:
        raise NotImplementedError

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        raise NotImplementedError


def cut(corpus: Path, folder: Path) -> list[list[str]]:
    """Writes a file for each core, and says which ids are in each."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    names = peer.ids(corpus)
    share = -(-len(names) // peer.PROCESSES)
    with corpus.open("rb") as lines:
        for part in range(peer.PROCESSES):
            with (folder / f"{part:05d}.jsonl").open("wb") as file:
                file.writelines(islice(lines, share))
    return [names[start : start + share] for start in range(0, len(names), share)]


def main() -> None:
    corpus, out = peer.arguments()
    parts = cut(corpus, out / "parts")
    config = MinhashConfig(
        n_grams=5,
        norm_config=TextNormConfig(
            norm_whitespace=False, remove_punctuation=False, norm_unicode_diacritics=False, norm_numbers=False
        ),
    )
    folder = {stage: str(out / stage) for stage in ("signatures", "buckets", "clusters", "logs")}
    sign = LocalPipelineExecutor(
        [
            JsonlReader(str(out / "parts"), text_key="text", id_key="id"),
            MinhashDedupSignature(folder["signatures"], config, language=Words()),
        ],
        tasks=peer.PROCESSES,
        workers=peer.PROCESSES,
        logging_dir=folder["logs"] + "/1",
        start_method=START,
    )
    bucket = LocalPipelineExecutor(
        [MinhashDedupBuckets(folder["signatures"], folder["buckets"], config=config)],
        tasks=config.num_buckets,
        workers=peer.PROCESSES,
        logging_dir=folder["logs"] + "/2",
        start_method=START,
    )
    cluster = LocalPipelineExecutor(
        [MinhashDedupCluster(folder["buckets"], folder["clusters"], config, save_cluster_id=True)],
        logging_dir=folder["logs"] + "/3",
    )
    write = LocalPipelineExecutor(
        [
            JsonlReader(str(out / "parts"), text_key="text", id_key="id"),
            MinhashDedupFilter(folder["clusters"]),
            JsonlWriter(str(out / "kept"), output_filename="${rank}.jsonl", compression=None),
        ],
        tasks=peer.PROCESSES,
        workers=peer.PROCESSES,
        logging_dir=folder["logs"] + "/4",
        start_method=START,
    )
    for stage in (sign, bucket, cluster, write):
        stage.run()

    clusters: list[tuple[str, int]] = []
    kept: list[str] = []
    for part, names in enumerate(parts):
        stem = out / "clusters" / f"{part:06d}"
        goes = set(read(stem.with_suffix(".remove")).tolist())
        kept += [name for place, name in enumerate(names) if place not in goes]
        clusters += [(names[place], number) for place, number in read(stem.with_suffix(".clusters")).reshape(-1, 2)]
    peer.write_kept_ids(out, kept)
    peer.write_clusters(out, clusters)


def read(path: Path) -> np.ndarray:
    """Numbers of 32 bits; there is no file where there are none."""
    return np.fromfile(path, dtype="<u4") if path.exists() else np.empty(0, dtype="<u4")


if __name__ == "__main__":
    main()
