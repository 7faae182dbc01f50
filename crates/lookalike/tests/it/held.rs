//! Tables in memory give the same results as files with the same rows.

use crate::made;
use std::borrow::Cow;

use crate::made::{Case, any_corpus, dedup, pairs_request, scheme, similarity};
use lookalike::core::resolve::keep::FieldValue;
use lookalike::io::input::held::{HeldRows, HeldTable, HeldText};
use lookalike::{DedupRequest, DedupRows, Memory, PairRow, ReadRequest, Removal, RowFate, Silent, texts};
use proptest::prelude::*;
use serde_json::json;

/// Rows with everything that a table may have.
#[derive(Clone, Debug)]
struct Rows(Vec<Option<String>>);

impl HeldRows for Rows {
    fn row_count(&self) -> u64 {
        self.0.len() as u64
    }

    fn text(&self, row: u64) -> HeldText<'_> {
        self.0[row as usize].as_deref().map_or(HeldText::Null, HeldText::Text)
    }

    fn id(&self, row: u64) -> Option<Cow<'_, str>> {
        (!row.is_multiple_of(3)).then(|| format!("id-{row}").into())
    }

    fn source(&self, row: u64) -> Option<Cow<'_, str>> {
        Some(format!("source-{}", row % 2).into())
    }

    fn value(&self, row: u64) -> FieldValue {
        FieldValue::number(&(row % 5).to_string())
    }
}

/// The same rows as a file.
fn jsonl(rows: &Rows) -> String {
    let line = |row: u64| {
        let text = rows.0[row as usize].as_ref();
        json!({"text": text, "id": rows.id(row), "source": rows.source(row), "value": row % 5}).to_string() + "\n"
    };
    (0..rows.row_count()).map(line).collect()
}

fn run(request: &DedupRequest) -> (Vec<Removal>, Vec<RowFate>) {
    let (mut removals, mut fates) = (Vec::new(), Vec::new());
    let rows = DedupRows::default().removals(&mut removals).fates(&mut fates);
    lookalike::dedup_into(&request.clone().check().unwrap(), rows, &Silent).unwrap();
    (removals, fates)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_table_is_deduplicated_as_the_file_with_its_rows(
        corpus in any_corpus(), reference in any_corpus(), nulls in prop::collection::vec(any::<bool>(), 300), keep in 0..4_usize,
    ) {
        let rows = Rows(corpus.iter().zip(&nulls).map(|(text, null)| (!null).then(|| text.clone())).collect());
        let case = Case::new();
        case.write("corpus.jsonl", jsonl(&rows));
        case.write("reference.jsonl", made::jsonl(&reference));
        let mut of_file = DedupRequest::new([case.path("corpus.jsonl")])
            .id("id")
            .source("field:source")
            .keep(["longest", "last", "max:value", "min:value"][keep])
            .against([case.path("reference.jsonl")]);
        of_file.scheme = scheme("word:3", 0.5, 0.99);
        let mut of_table = of_file.clone();
        of_table.read.inputs.clear();
        of_table.read.tables_in_memory = vec![HeldTable::new("corpus.jsonl", rows)];
        let expected = run(&of_file);
        prop_assert_eq!(&run(&of_table), &expected);
        // The reference may be in memory as well.
        of_table.against.clear();
        of_table.against_in_memory = vec![HeldTable::new("reference.jsonl", reference)];
        let (removals, fates) = run(&of_table);
        prop_assert_eq!(fates, expected.1);
        let kept = |removals: &[Removal]| removals.iter().map(|row| (row.removed_id.clone(), row.kept_position)).collect::<Vec<_>>();
        prop_assert_eq!(kept(&removals), kept(&expected.0));
    }

    #[test]
    fn pairs_of_a_table_are_those_of_the_file(corpus in any_corpus()) {
        let case = Case::of(&corpus);
        let asked = scheme("word:3", 0.5, 1.0);
        let of_file = pairs_request(&ReadRequest::new([case.path("corpus.jsonl")]), &asked).check().unwrap();
        let (mut expected, mut found): (Vec<PairRow>, Vec<PairRow>) = (Vec::new(), Vec::new());
        let report = lookalike::pairs_into(&of_file, &mut expected, &Silent).unwrap();
        let table = HeldTable::new("corpus.jsonl", corpus.clone());
        let of_table = pairs_request(&ReadRequest::default().tables_in_memory([table]), &asked).check().unwrap();
        let held = lookalike::pairs_into(&of_table, &mut found, &Silent).unwrap();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(&held.lengths, &report.lengths);
        prop_assert_eq!(held.lengths.len(), corpus.len());
    }

    #[test]
    fn pairs_resolved_are_what_dedup_decides(corpus in any_corpus()) {
        use lookalike::core::resolve::keep::{Keep, Ranking, keep_order};
        let scheme = similarity("word:3", 0.5, 1.0).with_method(lookalike::MethodOptions::Exact).unwrap();
        let pairs: Vec<texts::KnownPair> = texts::pairs(&corpus, &scheme)
            .unwrap()
            .iter()
            .map(|pair| {
                texts::KnownPair::new(pair.left, pair.right, pair.likeness.similarity(scheme.criterion()))
            })
            .collect();
        let order = keep_order(&Keep::First, Ranking { token_counts: &vec![0; corpus.len()], field_values: &[], source_ranks: &[] });
        let fates = texts::resolve(&pairs, &order);
        let options = texts::TextOptions::default().keep(Keep::First);
        let decided = texts::dedup_with(&corpus, &scheme, &options, &Silent).unwrap();
        for (fate, decided) in fates.iter().zip(decided) {
            let decided = match decided {
                texts::Fate::Removed { by, likeness, .. } => Some((by, likeness.similarity(scheme.criterion()))),
                _ => None,
            };
            prop_assert_eq!(*fate, decided);
        }
    }
}

#[test]
fn texts_of_all_lengths_are_read_within_the_least_memory() {
    // Almost the longest that fits.
    let long = "a long text ".repeat(90_000);
    let corpus = vec![long.clone(), "short and good".to_owned(), long.to_uppercase(), String::new(), long + "end"];
    let request = DedupRequest::default().tables_in_memory([HeldTable::new("t", corpus)]).memory(Memory::LEAST);
    let removed: Vec<u64> = run(&request).0.iter().map(|removal| removal.removed_position).collect();
    // One in four shingles of the last is its own.
    assert_eq!(removed, [3]);
}

#[test]
fn a_table_is_not_written_as_a_file() {
    let case = Case::new();
    let table = HeldTable::new("news", vec!["a b c"]);
    let request = DedupRequest::default().tables_in_memory([table]).output(case.path("out"));
    let refused = request.clone().check().unwrap_err();
    assert_eq!((refused.name(), refused.why().kind()), ("output", "needs"));
    assert_eq!(refused.to_string(), "output needs dry_run");
    // The evidence can be.
    dedup(&request.dry_run(true));
    assert!(case.path("out/summary.json").exists() && case.path("out/report.html").exists());
}
