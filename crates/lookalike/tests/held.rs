//! Tables in memory give what files with the same rows give.

mod made;

use std::borrow::Cow;

use lookalike::core::decision::Scope;
use lookalike::core::resolve::keep::FieldValue;
use lookalike::io::input::held::{HeldRows, HeldTable, HeldText};
use lookalike::io::read::Fields;
use lookalike::{
    Against, DedupOptions, DedupRows, Error, Memory, Output, PairRow, PairsOptions, ReadOptions, Removal, RowFate,
    Silent, SourceBy, texts,
};
use made::{Case, any_corpus, similarity};
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

fn fields() -> Fields {
    let name = |name: &str| Some(name.to_owned());
    Fields { id: name("id"), source: name("source"), value: name("value"), ..Fields::default() }
}

fn run(options: &DedupOptions) -> (Vec<Removal>, Vec<RowFate>) {
    let (mut removals, mut fates) = (Vec::new(), Vec::new());
    let rows = DedupRows { removals: Some(&mut removals), fates: Some(&mut fates), ..DedupRows::default() };
    lookalike::dedup_into(options, rows, &Silent).unwrap();
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
        let mut of_file = DedupOptions {
            scheme: similarity("word:3", 0.5, 0.99),
            keep: ["longest", "last", "max:value", "min:value"][keep].parse().unwrap(),
            source: SourceBy::Field,
            against: Some(Against { references: vec![case.path("reference.jsonl")], scope: Scope::Everything }),
            ..DedupOptions::new([case.path("corpus.jsonl")])
        };
        of_file.read.settings.fields = fields();
        let mut of_table = of_file.clone();
        of_table.read.inputs.clear();
        of_table.read.held.tables = vec![HeldTable::new("corpus.jsonl", rows)];
        let expected = run(&of_file);
        prop_assert_eq!(&run(&of_table), &expected);
        // The reference may be in memory as well.
        of_table.against = Some(Against { references: Vec::new(), scope: Scope::Everything });
        of_table.read.held.references = vec![HeldTable::new("reference.jsonl", reference)];
        let (removals, fates) = run(&of_table);
        prop_assert_eq!(fates, expected.1);
        let kept = |removals: &[Removal]| removals.iter().map(|row| (row.removed_id.clone(), row.kept_position)).collect::<Vec<_>>();
        prop_assert_eq!(kept(&removals), kept(&expected.0));
    }

    #[test]
    fn pairs_of_a_table_are_those_of_the_file(corpus in any_corpus()) {
        let case = Case::of(&corpus);
        let mut options = PairsOptions::new([case.path("corpus.jsonl")]);
        options.scheme = similarity("word:3", 0.5, 1.0);
        let (mut expected, mut found): (Vec<PairRow>, Vec<PairRow>) = (Vec::new(), Vec::new());
        let report = lookalike::pairs_into(&options, &mut expected, &Silent).unwrap();
        options.read = ReadOptions::of_tables([HeldTable::new("corpus.jsonl", corpus.clone())]);
        let held = lookalike::pairs_into(&options, &mut found, &Silent).unwrap();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(&held.lengths, &report.lengths);
        prop_assert_eq!(held.lengths.len(), corpus.len());
    }

    #[test]
    fn pairs_resolved_are_what_dedup_decides(corpus in any_corpus()) {
        use lookalike::core::resolve::keep::{Keep, Ranking, keep_order};
        let scheme = similarity("word:3", 0.5, 1.0).with_method(lookalike::MethodOptions::Exact);
        let pairs: Vec<texts::KnownPair> = texts::pairs(&corpus, &scheme)
            .unwrap()
            .iter()
            .map(|pair| texts::KnownPair {
                left: pair.left,
                right: pair.right,
                similarity: pair.likeness.similarity(scheme.criterion),
            })
            .collect();
        let order = keep_order(&Keep::First, Ranking { token_counts: &vec![0; corpus.len()], field_values: &[] });
        let fates = texts::resolve(&pairs, &order);
        let options = texts::TextOptions { keep: Keep::First, ..texts::TextOptions::default() };
        let decided = texts::dedup_with(&corpus, &scheme, &options, &Silent).unwrap();
        for (fate, decided) in fates.iter().zip(decided) {
            let decided = match decided {
                texts::Fate::Removed { by, likeness, .. } => Some((by, likeness.similarity(scheme.criterion))),
                texts::Fate::Kept => None,
            };
            prop_assert_eq!(*fate, decided);
        }
    }
}

#[test]
fn texts_of_all_lengths_are_read_within_the_least_memory() {
    let long = "a long text ".repeat(300_000);
    let corpus = vec![long.clone(), "short and good".to_owned(), long.to_uppercase(), String::new(), long + "end"];
    let mut options =
        DedupOptions { read: ReadOptions::of_tables([HeldTable::new("t", corpus)]), ..DedupOptions::new([""; 0]) };
    options.memory = Memory::new(Memory::LEAST).unwrap();
    let removed: Vec<u64> = run(&options).0.iter().map(|removal| removal.removed_position).collect();
    // The last has one shingle in four of its own.
    assert_eq!(removed, [3]);
}

#[test]
fn a_table_is_not_written_as_a_file() {
    let case = Case::new();
    let table = HeldTable::new("news", vec!["a b c"]);
    let mut options = DedupOptions { read: ReadOptions::of_tables([table]), ..DedupOptions::new([""; 0]) };
    options = options.to_folder(case.path("out"));
    let error = lookalike::dedup(&options, &Silent).unwrap_err();
    assert!(matches!(&error, Error::TableIsNoFile { table } if table == "news"), "{error}");
    // The evidence can be.
    options.output = Output::DryRun;
    lookalike::dedup(&options, &Silent).unwrap();
    assert!(case.path("out/summary.json").exists() && case.path("out/report.html").exists());
}
