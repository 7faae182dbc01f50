//! Typed rows equal the rows in files: line by line, in the same order.

use std::fs;

use crate::made::{Case, any_corpus, dedup, pairs_request, scheme};
use lookalike::core::measure::criterion::Measure;
use lookalike::core::scheme::MethodName;
use lookalike::{
    Checksum, DedupRows, DocumentRow, PairRow, ReadRequest, Removal, RowFormat, RowWriter, SchemeRequest, Silent,
    Summary,
};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn lines<R: Serialize>(rows: &[R]) -> String {
    rows.iter().map(|row| serde_json::to_string(row).unwrap() + "\n").collect()
}

fn read_back<R: DeserializeOwned>(lines: &str) -> Vec<R> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn rows_of_dedup_are_the_lines_of_its_evidence(texts in any_corpus()) {
        let case = Case::of(&texts);
        let options = case.options("corpus.jsonl", 0.6);
        let (mut removals, mut documents): (Vec<Removal>, Vec<DocumentRow>) = (Vec::new(), Vec::new());
        let rows = DedupRows::default().removals(&mut removals).documents(&mut documents);
        let summary = lookalike::dedup_into(&options, rows, &Silent).unwrap();
        prop_assert_eq!(lines(&removals), fs::read_to_string(case.path("out/removed.jsonl")).unwrap());
        prop_assert_eq!(&read_back::<Removal>(&lines(&removals)), &removals);
        prop_assert_eq!(&read_back::<DocumentRow>(&lines(&documents)), &documents);
        prop_assert_eq!(documents.len(), texts.len());
        prop_assert_eq!(documents.iter().filter(|row| row.kept).count() as u64, summary.found.kept_count);
        for (at, row) in documents.iter().enumerate() {
            prop_assert_eq!(row.position, at as u64 + 1);
            let removal = removals.iter().find(|removal| removal.removed_position == row.position);
            prop_assert_eq!(removal.is_none(), row.kept);
            prop_assert_eq!(removal.map(|removal| &removal.kept_id), row.kept_id.as_ref());
            prop_assert_eq!(removal.map(|removal| removal.similarity), row.similarity);
            if let Some(removal) = removal {
                // The kept document has the number of the cluster.
                let kept = &documents[removal.kept_position as usize - 1];
                prop_assert!(kept.kept && kept.cluster == row.cluster && removal.cluster == row.cluster);
            }
        }
    }

    #[test]
    fn rows_of_pairs_are_its_lines(texts in any_corpus()) {
        let case = Case::of(&texts);
        let request = pairs_request(&ReadRequest::new([case.path("corpus.jsonl")]), &scheme("word:3", 0.5, 1.0));
        let options = request.clone().check().unwrap();
        let mut written = Vec::new();
        lookalike::pairs(&options, &mut written, &Silent).unwrap();
        let mut rows: Vec<PairRow> = Vec::new();
        let report = lookalike::pairs_into(&options, &mut rows, &Silent).unwrap();
        prop_assert_eq!(lines(&rows), String::from_utf8(written).unwrap());
        prop_assert_eq!(&read_back::<PairRow>(&lines(&rows)), &rows);
        prop_assert_eq!(report.pair_count, rows.len() as u64);

        let options = request.format(RowFormat::Tsv).check().unwrap();
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
    let checksum = SchemeRequest::default().method(MethodName::Copies).checksum(Checksum::Crc32);
    for (scheme, measure) in [(SchemeRequest::default(), "jaccard"), (checksum, "checksum")] {
        let mut request = case.request("corpus.jsonl", 0.8);
        request.scheme = scheme;
        let options = request.check().unwrap();
        let mut table = Vec::new();
        let mut writer = RowWriter::new(&mut table, RowFormat::Csv);
        let rows = DedupRows::default().removals(&mut writer);
        lookalike::dedup_into(&options, rows, &Silent).unwrap();
        let table = String::from_utf8(table).unwrap();
        let cells: Vec<usize> = table.lines().map(|line| line.split(',').count()).collect();
        assert!(cells.len() > 1 && cells.iter().all(|count| *count == cells[0]), "{table}");
        assert!(table.lines().next().unwrap().split(',').any(|column| column == measure), "{table}");
    }
}

#[test]
fn a_removal_says_the_similarity_that_decided_and_comes_back_from_its_line() {
    let text = "one two three four five six seven eight nine ten eleven twelve";
    let case = Case::of(&[text, &format!("{text} thirteen fourteen"), "another one altogether"]);
    case.write("reference.jsonl", format!("{}\n", serde_json::json!({ "text": text })));
    let containment = SchemeRequest::default().measure(Measure::Containment).threshold(0.9).shingle("word:2");
    let bits = SchemeRequest::default().method(MethodName::SimHash).bits(12);
    for (scheme, columns) in [
        (containment, &["similarity", "jaccard", "containment_of_removed", "containment_of_kept"][..]),
        (bits, &["similarity", "hamming"]),
    ] {
        let mut request = case.request("corpus.jsonl", 0.8).against([case.path("reference.jsonl")]);
        request.scheme = scheme;
        let options = request.check().unwrap();
        let (mut removals, mut table): (Vec<Removal>, Vec<u8>) = (Vec::new(), Vec::new());
        let rows = DedupRows::default().removals(&mut removals);
        lookalike::dedup_into(&options, rows, &Silent).unwrap();
        let lines = fs::read_to_string(case.path("out/removed.jsonl")).unwrap();
        assert_eq!(read_back::<Removal>(&lines), removals);
        assert!(removals.iter().any(|removal| removal.kept_in.as_deref() == Some("reference")), "{lines}");
        for removal in &removals {
            let decided = match removal.hamming {
                Some(differing) => f64::from(64 - differing) / 64.0,
                None => removal.containment_of_removed.unwrap().max(removal.containment_of_kept.unwrap()),
            };
            assert!((removal.similarity - decided).abs() < 1e-12, "{removal:?}");
        }
        let mut writer = RowWriter::new(&mut table, RowFormat::Csv);
        let rows = DedupRows::default().removals(&mut writer);
        lookalike::dedup_into(&options, rows, &Silent).unwrap();
        let header = String::from_utf8(table).unwrap().lines().next().unwrap().to_owned();
        let expected = format!("removed_id,kept_id,{},exact_copy,same_words,", columns.join(","));
        assert!(header.starts_with(&expected), "{header}");
    }
}

#[test]
fn a_summary_comes_back_from_its_file_as_it_was() {
    let text = "one two three four five six";
    let case = Case::of(&[text, "ONE two three four five six!", "seven eight nine", text]);
    case.write("in/corpus.jsonl", fs::read(case.path("corpus.jsonl")).unwrap());
    case.write("in/broken.jsonl", "{\"text\":\"some words that are alone\"}\nnot an object\n");
    case.write("in/.hidden", text);
    let copies = SchemeRequest::default().method(MethodName::Copies).checksum(Checksum::Crc32);
    for scheme in [SchemeRequest::default(), copies, SchemeRequest::default().method(MethodName::Exact)] {
        let mut request = case.request("in", 0.8);
        request.scheme = scheme;
        let summary = dedup(&request);
        assert_eq!((summary.skipped.len(), summary.input.left_out.hidden.count), (1, 1));
        let written = fs::read_to_string(case.path("out/summary.json")).unwrap();
        assert_eq!(serde_json::from_str::<Summary>(&written).unwrap(), summary);
    }
}
