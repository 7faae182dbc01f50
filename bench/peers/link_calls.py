"""Records of two tables linked by a call from Python: how long it takes, how right it is, and how many lines it takes to say.

Called as `link_calls.py TOOL FIRST SECOND`, with CSV files in which the same customer has the ids a1 and b1; prints one JSON
object. What is timed starts with two data frames and ends with the ids of matches. Lines are those of the function that calls
the tool, without its first line, blank lines and comments.
"""

import inspect
import json
import sys
from collections.abc import Callable, Iterable
from time import perf_counter

import polars

Matches = Iterable[tuple[str, str]]


def lookalike(first: polars.DataFrame, second: polars.DataFrame) -> Matches:
    import lookalike

    linked = lookalike.link(first, second, id="id", progress=False)
    return zip(linked.matches["left_id"], linked.matches["right_id"], strict=True)


def splink(first: polars.DataFrame, second: polars.DataFrame) -> Matches:
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    settings = SettingsCreator(
        link_type="link_only",
        unique_id_column_name="id",
        comparisons=[
            cl.NameComparison("given_name"),
            cl.NameComparison("family_name"),
            cl.LevenshteinAtThresholds("street", [1, 3]),
            cl.ExactMatch("city").configure(term_frequency_adjustments=True),
            cl.ExactMatch("postcode"),
            cl.LevenshteinAtThresholds("phone", [1, 2]),
            cl.DateOfBirthComparison("birth_date", input_is_string=True),
            cl.EmailComparison("email"),
        ],
        blocking_rules_to_generate_predictions=[
            block_on("phone"),
            block_on("email"),
            block_on("birth_date"),
            block_on("family_name", "postcode"),
            block_on("given_name", "street"),
        ],
    )
    api = DuckDBAPI()
    tables = [api.register(table.to_arrow()) for table in (first, second)]
    linker = Linker(tables, settings)
    linker.training.estimate_probability_two_random_records_match([block_on("email"), block_on("phone")], recall=0.8)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6)
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("family_name", "given_name"))
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("birth_date"))
    found = linker.inference.predict(threshold_match_probability=0.9).as_record_list()
    return ((row["id_l"], row["id_r"]) for row in found)


TOOLS: dict[str, Callable[[polars.DataFrame, polars.DataFrame], Matches]] = {"lookalike": lookalike, "splink": splink}


def main() -> None:
    tool = sys.argv[1]
    first, second = (polars.read_csv(path, infer_schema=False) for path in sys.argv[2:4])
    start = perf_counter()
    # A tool may name the two records of a match in either order.
    found = {tuple(sorted(pair)) for pair in TOOLS[tool](first, second)}
    seconds = perf_counter() - start
    numbers = {id.removeprefix("a") for id in first["id"]} & {id.removeprefix("b") for id in second["id"]}
    right = sum(left[1:] == right[1:] for left, right in found)
    lines = [line.strip() for line in inspect.getsource(TOOLS[tool]).splitlines()[1:]]
    print(
        json.dumps(
            {
                "tool": tool,
                "seconds": seconds,
                "rows": [len(first), len(second)],
                "matches": len(found),
                "precision": right / max(len(found), 1),
                "recall": right / len(numbers),
                "f1": 2 * right / (len(found) + len(numbers)),
                "lines": sum(bool(line) and not line.startswith("#") for line in lines),
            }
        )
    )


if __name__ == "__main__":
    main()
