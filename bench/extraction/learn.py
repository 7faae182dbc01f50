#!/usr/bin/env python3
"""Learn the tables of `--extract article`: words.txt and trees.txt.

    zstd -dc pages.warc.zst | python3 score.py --unpack PAGES
    gunzip -c gold.jsonl.gz > GOLD
    cargo build --release --example blocks -p lookalike-io
    python3 bench/extraction/learn.py target/release/examples/blocks PAGES GOLD crates/lookalike-io/src/web/html/article

PAGES and GOLD come from the collection web-pages. With --cross-validate, nothing is written: the pages are split into five parts by their domain, each part is
extracted by tables learned from the other four, and the mean F1 of each kind of page is printed. Needs numpy and lightgbm.
"""
import argparse
import collections
import itertools
import json
import math
import pathlib
import re
import subprocess
import tempfile
import zlib

import lightgbm
import numpy

PARTS = 5
# A word counts if pages of this many domains have it. Otherwise it is the name of a site.
LEAST_DOMAINS = 12
# The weight of a word is the logarithm of the odds that text under it is main content; within these bounds a word says nothing.
NEUTRAL = (-1.2, 0.2)
ROUNDS = 100
PARAMETERS = dict(
    objective="cross_entropy", learning_rate=0.1, num_leaves=20, min_data_in_leaf=60, lambda_l2=5.0, feature_fraction=0.4, bagging_fraction=0.7,
    bagging_freq=1, max_bin=63, min_sum_hessian_in_leaf=1e-3, num_threads=1, deterministic=True, force_row_wise=True, seed=1, verbose=-1,
)


def shares_of_words(paths, counts):
    """For each word around blocks of a page, the share of main content in the text under it."""
    sums = collections.defaultdict(lambda: [0, 0])
    for path, (count, main) in zip(paths, counts):
        for word in set(path):
            sums[word][0] += count
            sums[word][1] += main
    return {word: main / count for word, (count, main) in sums.items() if count}


class Pages:
    """The pages, and for each of their blocks the number of its words, and of those that are main content."""

    def __init__(self, tool, folder, gold):
        self.call = [tool, folder, gold]
        domains = {row["id"]: row["domain"] for row in map(json.loads, open(gold, encoding="utf-8"))}
        self.ids, self.domains, self.shares, self.has_gold, counts, sizes = [], [], [], [], [], []
        output = subprocess.run(self.call, check=True, stdout=subprocess.PIPE).stdout
        for page in map(json.loads, output.splitlines()):
            self.ids.append(page["id"])
            self.domains.append(domains[page["id"]])
            self.has_gold.append(page["counts"] is not None)
            self.shares.append(shares_of_words(page["paths"], page["counts"] or []))
            sizes.append(len(page["texts"]))
            counts += page["counts"] or [(0, 0)] * len(page["texts"])
            self.features = page["features"]
        counts = numpy.array(counts, float)
        self.word_counts, self.main_counts = counts[:, 0], counts[:, 1]
        self.page = numpy.repeat(numpy.arange(len(sizes)), sizes)
        self.starts = numpy.concatenate([[0], numpy.cumsum(sizes)])
        self.part = numpy.array([zlib.crc32(domain.encode()) % PARTS for domain in self.domains])
        # Each page counts the same, as F1 is a mean over pages.
        gold = numpy.bincount(self.page, self.main_counts, len(sizes))
        self.weight = numpy.minimum(self.word_counts / numpy.maximum(gold, 50)[self.page], 1.0)

    def words(self, without):
        """The table of words that pages outside some parts give."""
        seen = collections.defaultdict(lambda: [set(), 0.0, 0])
        for page, shares in enumerate(self.shares):
            if self.part[page] not in without:
                for word, share in shares.items():
                    entry = seen[word]
                    entry[0].add(self.domains[page])
                    entry[1] += share
                    entry[2] += 1
        lines = []
        for word, (domains, share, count) in sorted(seen.items()):
            if len(domains) < LEAST_DOMAINS - 2 * len(without) or (len(word) < 3 and word != "ad"):
                continue
            share = (share + 1) / (count + 2)
            odds = max(-3, min(3, math.log(share / (1 - share))))
            if not NEUTRAL[0] < odds < NEUTRAL[1]:
                lines.append(f"{word} {round(100 * (odds - NEUTRAL[0 if odds < 0 else 1]))}\n")
        return "".join(lines)

    def rows(self, words):
        """The features of all blocks, with the weights of a table of words."""
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as table:
            table.write(words)
            table.flush()
            output = subprocess.run([*self.call, table.name], check=True, stdout=subprocess.PIPE).stdout
        return numpy.frombuffer(output, "<f4").reshape(-1, len(self.features))

    def rows_for_learning(self, without=()):
        """The features of all blocks. Those of a part have the weights of words of the other parts, as new pages will."""
        rows = numpy.empty((len(self.page), len(self.features)), numpy.float32)
        for part in range(PARTS):
            of_part = self.part[self.page] == part
            rows[of_part] = self.rows(self.words({part, *without}))[of_part]
        return rows

    def learn(self, rows, blocks):
        # Blocks of little weight are drawn, and those drawn count for the others.
        chance = numpy.minimum(1, self.weight / 0.004 + 0.05)
        blocks = blocks & (self.word_counts > 0) & (numpy.random.default_rng(7).random(len(chance)) < chance)
        share = self.main_counts[blocks] / self.word_counts[blocks]
        weight = (self.weight / chance)[blocks]
        data = lightgbm.Dataset(rows[blocks], share, weight=weight * len(weight) / weight.sum())
        return lightgbm.train(PARAMETERS, data, ROUNDS)


def written(node, names):
    """A tree in the form of trees.txt."""
    if "leaf_value" in node:
        return f"{node['leaf_value']:.4f}"
    # LightGBM writes a tiny number for zero.
    threshold = 0 if 0 < node["threshold"] < 1e-30 else float(numpy.float32(node["threshold"]))
    split = f"{names[node['split_feature']]}<={threshold:.7g}"
    return " ".join([split, written(node["left_child"], names), written(node["right_child"], names)])


def best_cut(shares, weights):
    """The blocks with the largest expected F1, as cut.rs has it."""
    order = numpy.argsort(-shares, kind="stable")
    right, kept = numpy.cumsum((shares * weights)[order]), numpy.cumsum(weights[order])
    is_kept = numpy.zeros(len(shares), bool)
    if len(shares):
        is_kept[order[: numpy.argmax(right / (kept + right[-1] + 1e-9)) + 1]] = True
    return is_kept


def cross_validate(pages, folder, gold):
    scores = collections.defaultdict(list)
    rows_of_gold = {row["id"]: row for row in map(json.loads, open(gold, encoding="utf-8"))}
    output = map(json.loads, subprocess.run(pages.call, check=True, stdout=subprocess.PIPE).stdout.splitlines())
    texts = [page["texts"] for page in output]
    length = pages.features.index("length")
    tokens = lambda text: collections.Counter(re.findall(r"\w+", text.lower()))
    for part in range(PARTS):
        rows = pages.rows_for_learning({part})
        is_tested = pages.part[pages.page] == part
        model = pages.learn(rows, ~is_tested)
        for page in numpy.flatnonzero((pages.part == part) & pages.has_gold):
            blocks = slice(pages.starts[page], pages.starts[page + 1])
            kept = best_cut(model.predict(rows[blocks], num_threads=1), rows[blocks, length]) if len(rows[blocks]) else []
            row = rows_of_gold[pages.ids[page]]
            found, wanted = tokens("\n".join(itertools.compress(texts[page], kept))), tokens(row["gold_text"])
            shared = 2 * sum((found & wanted).values()) / max(1, sum(found.values()) + sum(wanted.values()))
            for kind in ("all", row["page_type"]):
                scores[kind].append(shared)
    for kind, values in sorted(scores.items(), key=lambda entry: -len(entry[1])):
        print(f"{kind:16} {len(values):4} pages  F1 {sum(values) / len(values):.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("pages")
    parser.add_argument("gold")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cross-validate", action="store_true")
    arguments = parser.parse_args()
    pages = Pages(arguments.tool, arguments.pages, arguments.gold)
    if arguments.cross_validate:
        return cross_validate(pages, arguments.pages, arguments.gold)
    model = pages.learn(pages.rows_for_learning(), numpy.array(pages.has_gold)[pages.page])
    trees = [written(tree["tree_structure"], pages.features) for tree in model.dump_model()["tree_info"]]
    (arguments.folder / "words.txt").write_text(pages.words(set()))
    (arguments.folder / "trees.txt").write_text("\n".join(trees) + "\n")


if __name__ == "__main__":
    main()
