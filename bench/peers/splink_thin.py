"""splink on the tables with few duplicates, by its quick start: `splink_thin.py FOLDER`.

FOLDER is what `cargo xtask quality --keep FOLDER` left: a folder per table, with its one or two tables and `answer.csv`.

Every column is compared by Jaro-Winkler at 0.9 and 0.7, candidates share a column, and the parameters are estimated as the quick
start does: the odds by an exact rule of the first two columns with a recall of 0.7, the others by expectation maximisation, blocked on
the same two columns and then on the column with the most different values among the others. From a probability of 0.95 on pairs are
matches, and matches within one table are joined into clusters. Cells are not standardised first. A training step that fails, mostly
since its rule finds no pair, is named on standard error and left out: splink's defaults stay.
"""

import csv
import itertools
import logging
import sys
from collections import defaultdict
from pathlib import Path

import duckdb
import splink.comparison_library as cl
from splink import Linker, SettingsCreator, block_on
from splink.backends.duckdb import DuckDBAPI

THRESHOLD = 0.95

# Not a property of what is recorded: the file that a record came from.
NOT_COMPARED = {"Source"}


def link(paths: list[Path]) -> set[tuple[str, str]]:
    connection = duckdb.connect()
    api = DuckDBAPI(connection)
    tables = []
    for number, path in enumerate(paths):
        connection.sql(f"create table t{number} as select * from read_csv('{path}', all_varchar=true, nullstr='')")
        tables.append(api.register(f"t{number}", dataset_display_name=f"t{number}"))
    names = [row[0] for row in connection.sql("describe t0").fetchall()]
    unique_id, columns = names[0], [name for name in names[1:] if name not in NOT_COMPARED]
    different = {
        name: connection.sql(f'select count(distinct "{name}") from t0').fetchall()[0][0] for name in columns
    }
    rest = max(columns[2:], key=lambda name: different[name])
    settings = SettingsCreator(
        link_type="dedupe_only" if len(paths) == 1 else "link_only",
        unique_id_column_name=unique_id,
        comparisons=[cl.JaroWinklerAtThresholds(name, [0.9, 0.7]) for name in columns],
        blocking_rules_to_generate_predictions=[block_on(name) for name in columns if different[name] > 20],
    )
    linker = Linker(tables if len(tables) > 1 else tables[0], settings, log_level=logging.ERROR)
    # Without a pair that the exact rule finds, the odds would be zero: splink's default stays.
    same = " and ".join(f'a."{name}" = b."{name}"' for name in columns[:2])
    second = "t1" if len(paths) == 2 else "t0"
    other = "true" if len(paths) == 2 else f'a."{unique_id}" < b."{unique_id}"'
    exact = connection.sql(f"select count(*) from t0 a, {second} b where {same} and {other}").fetchall()[0][0]
    steps = [
        lambda: exact
        and linker.training.estimate_probability_two_random_records_match([block_on(*columns[:2])], recall=0.7),
        lambda: linker.training.estimate_u_using_random_sampling(max_pairs=1e6),
        lambda: linker.training.estimate_parameters_using_expectation_maximisation(block_on(*columns[:2])),
        lambda: linker.training.estimate_parameters_using_expectation_maximisation(block_on(rest)),
    ]
    for step in steps:
        try:
            step()
        except Exception as error:  # noqa: BLE001
            print(f"  a step of training failed: {str(error).splitlines()[0][:100]}", file=sys.stderr)
    predictions = linker.inference.predict(threshold_match_probability=THRESHOLD)
    if len(paths) == 2:
        left, right = f"{unique_id}_l", f"{unique_id}_r"
        rows = predictions.as_duckdbpyrelation().select(f'"{left}", "{right}", source_dataset_l').fetchall()
        return {(one, other) if source == "t0" else (other, one) for one, other, source in rows}
    clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(predictions, THRESHOLD)
    members = defaultdict(list)
    for record, cluster in clusters.as_duckdbpyrelation().select(f'"{unique_id}", cluster_id').fetchall():
        members[cluster].append(record)
    return {pair for ids in members.values() for pair in itertools.combinations(sorted(ids), 2)}


def main() -> None:
    print("table\trecords\ttrue\tfound\tright\tF1\trecords in a wrong pair")
    for folder in sorted(Path(sys.argv[1]).iterdir()):
        paths = sorted(path for path in folder.glob("*.csv") if path.name != "answer.csv")
        with (folder / "answer.csv").open() as file:
            answer = {(left, right) for left, right in itertools.islice(csv.reader(file), 1, None)}
        if len(paths) == 1:
            answer = {(min(pair), max(pair)) for pair in answer}
        records = 0
        for path in paths:
            with path.open() as file:
                records += sum(1 for _ in csv.reader(file)) - 1
        print(folder.name, file=sys.stderr, flush=True)
        found = link(paths)
        right = len(found & answer)
        total = len(found) + len(answer)
        f1 = 2 * right / total if total else 1.0
        wrong = len({record for pair in found - answer for record in pair}) / records
        print(f"{folder.name}\t{records}\t{len(answer)}\t{len(found)}\t{right}\t{f1:.4f}\t{wrong:.4f}", flush=True)


main()
