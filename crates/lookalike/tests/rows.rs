//! Typed rows say what the files say: line by line, in the same order.

mod made;

use std::fs;

use lookalike::{
    Checksum, DedupRows, DocumentRow, MethodOptions, PairRow, PairsOptions, Removal, RowFormat, RowWriter, Silent,
    Summary,
};
use made::{Case, any_corpus, similarity};
use proptest::prelude::*;
use serde::Serialize;

fn lines<R: Serialize>(rows: &[R]) -> String {
    rows.iter().map(|row| serde_json::to_string(row).unwrap() + "\n").collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn rows_of_dedup_are_the_lines_of_its_evidence(texts in any_corpus()) {
        let case = Case::of(&texts);
        let options = case.options("corpus.jsonl", 0.6);
        let (mut removals, mut documents): (Vec<Removal>, Vec<DocumentRow>) = (Vec::new(), Vec::new());
        let rows = DedupRows { removals: Some(&mut removals), documents: Some(&mut documents), fates: None };
        let summary = lookalike::dedup_into(&options, rows, &Silent).unwrap();
        prop_assert_eq!(lines(&removals), fs::read_to_string(case.path("out/removed.jsonl")).unwrap());
        prop_assert_eq!(documents.len(), texts.len());
        prop_assert_eq!(documents.iter().filter(|row| row.kept).count() as u64, summary.found.kept);
        for (at, row) in documents.iter().enumerate() {
            prop_assert_eq!(row.position, at as u64 + 1);
            let removal = removals.iter().find(|removal| removal.removed_position == row.position);
            prop_assert_eq!(removal.is_none(), row.kept);
            prop_assert_eq!(removal.map(|removal| &removal.kept_id), row.kept_id.as_ref());
            prop_assert_eq!(removal.map(|removal| removal.similarity), row.similarity);
            if let Some(removal) = removal {
                // One who is kept shares the number of the cluster.
                let kept = &documents[removal.kept_position as usize - 1];
                prop_assert!(kept.kept && kept.cluster == row.cluster && removal.cluster == row.cluster);
            }
        }
    }

    #[test]
    fn rows_of_pairs_are_its_lines(texts in any_corpus()) {
        let case = Case::of(&texts);
        let mut options = PairsOptions::new([case.path("corpus.jsonl")]);
        options.scheme = similarity("word:3", 0.5, 1.0);
        let mut written = Vec::new();
        lookalike::pairs(&options, &mut written, &Silent).unwrap();
        let mut rows: Vec<PairRow> = Vec::new();
        let report = lookalike::pairs_into(&options, &mut rows, &Silent).unwrap();
        prop_assert_eq!(lines(&rows), String::from_utf8(written).unwrap());
        prop_assert_eq!(report.pairs, rows.len() as u64);

        options.format = RowFormat::Tsv;
        let (mut tsv, mut csv) = (Vec::new(), Vec::new());
        lookalike::pairs(&options, &mut tsv, &Silent).unwrap();
        lookalike::pairs_into(&options, &mut RowWriter::new(&mut csv, RowFormat::Csv), &Silent).unwrap();
        // No id or file here has a tab or a comma in it.
        prop_assert_eq!(String::from_utf8(tsv).unwrap().replace('\t', ","), String::from_utf8(csv).unwrap());
    }
}

#[test]
fn a_table_has_as_many_cells_as_columns_whatever_was_compared() {
    let text = "one two three four five six";
    let case = Case::of(&[text, "ONE two three four five six", text, "seven eight nine"]);
    let checksum = MethodOptions::Copies(Checksum::Crc32);
    for (method, measure) in [(None, "jaccard"), (Some(checksum), "checksum")] {
        let mut options = case.options("corpus.jsonl", 0.8);
        options.scheme.method = method.unwrap_or(options.scheme.method);
        let mut table = Vec::new();
        let mut writer = RowWriter::new(&mut table, RowFormat::Csv);
        let rows = DedupRows { removals: Some(&mut writer), ..DedupRows::default() };
        lookalike::dedup_into(&options, rows, &Silent).unwrap();
        let table = String::from_utf8(table).unwrap();
        let cells: Vec<usize> = table.lines().map(|line| line.split(',').count()).collect();
        assert!(cells.len() > 1 && cells.iter().all(|count| *count == cells[0]), "{table}");
        assert!(table.lines().next().unwrap().split(',').any(|column| column == measure), "{table}");
    }
}

#[test]
fn a_summary_comes_back_from_its_file_as_it_was() {
    let text = "one two three four five six";
    let case = Case::of(&[text, "ONE two three four five six!", "seven eight nine", text]);
    case.write("in/corpus.jsonl", fs::read(case.path("corpus.jsonl")).unwrap());
    case.write("in/broken.jsonl", "{\"text\":\"some words that are alone\"}\nnot an object\n");
    case.write("in/.hidden", text);
    for method in [None, Some(MethodOptions::Copies(Checksum::Crc32)), Some(MethodOptions::Exact)] {
        let mut options = case.options("in", 0.8);
        options.scheme.method = method.unwrap_or(options.scheme.method);
        let summary = lookalike::dedup(&options, &Silent).unwrap();
        assert_eq!((summary.skipped.len(), summary.input.left_out.hidden.count), (1, 1));
        let written = fs::read_to_string(case.path("out/summary.json")).unwrap();
        assert_eq!(serde_json::from_str::<Summary>(&written).unwrap(), summary);
    }
}
