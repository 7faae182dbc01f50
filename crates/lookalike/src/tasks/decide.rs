//! The decisions on texts to the fate of every document: writes the evidence and the summary, and for each file of the
//! input what becomes of its documents.

use std::collections::HashSet;
use std::io::{BufWriter, Write};
use std::path::Path;

use lookalike_core::bucket::passed_over::PassedOverEstimate;
use lookalike_core::ids::{Document, Number};
use lookalike_io::stored::{Columns, Kind, TableWriter, Values};
use lookalike_io::write::Annotation;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Context;
use super::files::{Outputs, TaskRow, damaged};
use super::gathered::Sparse;
use super::rank::{GROUP_ROWS, Ranked};
use super::resolve::Resolutions;
use super::stage::TaskStage;
use crate::boilerplate::deciding_boilerplate;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::options::{MethodOptions, Output, RowFormat};
use crate::output::evidence::{Decisions, Fates, Verdicts};
use crate::output::kept::targets;
use crate::output::sink::RowWriter;
use crate::report::losses::BySource;
use crate::report::summary::Summary;
use crate::run::find::{Found, estimate_of};

/// A document of a file that is removed; with notes, every document. `note` is JSON, or empty.
pub(super) const FATES: Columns<'_> = &[("ordinal", Kind::Whole), ("is_kept", Kind::Whole), ("note", Kind::Bytes)];

/// Information about the input files for S8.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Targets {
    /// Output path of each file.
    pub(super) names: Vec<String>,
    /// The files that are not written, since nothing of them could be read or they are not data.
    pub(super) refused: HashSet<usize>,
    /// The first row group of each file, and the number of its row groups.
    pub(super) groups: Vec<(usize, usize)>,
    /// Number of documents of each file.
    pub(super) documents: Vec<u32>,
}

/// The notes of a document, as JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct Note {
    cluster: Option<u64>,
    kept_id: Option<String>,
    similarity: Option<f64>,
    cluster_size: Option<u64>,
    copy_count: Option<u64>,
}

impl Note {
    pub(super) fn annotation(self, kept: bool) -> Annotation {
        let Self { cluster, kept_id, similarity, cluster_size, copy_count } = self;
        Annotation { cluster, kept, kept_id, similarity, cluster_size, copy_count }
    }
}

/// Spreads the decisions, and writes all but the documents.
pub(super) fn decide(context: &Context<'_>, attempt: u32) -> Result<TaskRow> {
    let mut outputs = Outputs::new(context.tasks, TaskStage::Decide, 0, attempt);
    let options = context.tasks.options();
    let corpus = context.corpus()?;
    let ranked = Ranked::read(context)?;
    let texts = ranked.texts(context, corpus.len())?;
    let resolutions = Resolutions::read(context)?;
    let count = texts.items.len();
    if resolutions.removed.iter().any(|removal| removal.removed.index().max(removal.kept.index()) >= count) {
        return Err(damaged("S7"));
    }
    let mut decisions = Decisions::new(corpus.len());
    decisions.add(&texts, &corpus.sizes, &resolutions.removed);
    let mut fates = Fates::new(&corpus, &texts, decisions, options.compare_with.scope(), context.scheme);
    let different = resolutions.different_numbers.iter().map(|rank| texts.items[rank.index()]);
    fates.set_different_numbers(different.collect());
    fates.count_sources(options.source)?;
    let by_source = BySource::new(&corpus, options.source, &fates)?;
    options.fail_if_source_loses.map_or(Ok(()), |share| by_source.check(share))?;

    let mut summary = Summary::new(&corpus, options, &*context.method, &fates, &by_source)?;
    summary.set_found(found(context, &ranked, &resolutions, count));
    let read = |wanted: Vec<Document>| Sparse::read(context, &corpus, wanted);
    summary.boilerplate_decides = deciding_boilerplate(&corpus, &fates, options, read)?;
    let skipped: u64 = context.tasks.rows(TaskStage::Sketch)?.iter().map(|row| u64::from(is_skipped(row))).sum();
    outputs.note("skipped_units", skipped);
    outputs.file(".removed.jsonl", |path| {
        let mut rows = RowWriter::new(create(path)?, RowFormat::Jsonl);
        fates.write_removals(options.source, &mut rows, Error::unwritable).map(Some)
    })?;
    outputs.file(".summary.json", |path| {
        let mut writer = create(path)?;
        let written = serde_json::to_writer(&mut writer, &summary).map_err(std::io::Error::from);
        written.and_then(|()| writer.flush()).map_err(Error::unwritable).map(Some)
    })?;
    let mut targets = Targets {
        names: targets(&corpus, options.output),
        refused: (0..corpus.input_files).filter(|file| corpus.kinds[*file].is_refused).collect(),
        groups: Vec::new(),
        documents: Vec::new(),
    };
    outputs.table(".parquet", FATES, |writer| {
        for file in 0..corpus.input_files as u32 {
            write_file(&corpus, &fates, options.output, file, writer, &mut targets)?;
        }
        Ok(())
    })?;
    outputs.file(".targets.json", |path| {
        let bytes = serde_json::to_vec(&targets).expect("names and numbers");
        std::fs::write(path, bytes).map_err(Error::unwritable).map(Some)
    })?;
    outputs.note("removed", summary.found.removed_count);
    outputs.note("largest_family", json!(resolutions.largest_family));
    Ok(outputs.finish())
}

/// True if a unit of input could not be read.
fn is_skipped(row: &TaskRow) -> bool {
    row.counts.contains_key("skipped")
}

fn create(path: &Path) -> Result<BufWriter<std::fs::File>> {
    Ok(BufWriter::with_capacity(1 << 20, std::fs::File::create(path).map_err(Error::unwritable)?))
}

/// The counts of the search.
fn found(context: &Context<'_>, ranked: &Ranked, resolutions: &Resolutions, texts: usize) -> Found {
    let is_small = ranked.is_small();
    // A join counts no pairs, unless what it finds is verified by rules.
    let matching = &context.tasks.options().matching;
    let is_join = is_small || matches!(context.scheme.method(), MethodOptions::Exact);
    if is_join && !matching.has_rules() {
        let passed_over = PassedOverEstimate::default();
        return Found { is_small, sharing: None, largest_family: None, counts: None, passed_over };
    }
    let Resolutions { passed_over, passed_over_matches, counts, sharing, .. } = resolutions;
    let passed_over = estimate_of(texts, passed_over, *counts, *passed_over_matches);
    let largest_family = Some(resolutions.largest_family);
    Found { is_small, sharing: Some(*sharing), largest_family, counts: Some(*counts), passed_over }
}

/// Writes what becomes of the documents of a file.
fn write_file(
    corpus: &Corpus,
    fates: &Fates<'_>,
    output: Output,
    file: u32,
    writer: &mut TableWriter,
    targets: &mut Targets,
) -> Result<()> {
    let (documents, first_group) = (corpus.documents_of_file(file), writer.group_count());
    let first = documents.start;
    targets.documents.push(documents.len() as u32);
    let is_annotated = output == Output::Annotated;
    let wanted: Vec<Document> =
        documents.map(Document).filter(|document| is_annotated || !fates.is_kept(*document)).collect();
    for some in wanted.chunks(GROUP_ROWS) {
        let note = |document: &Document| -> Result<Vec<u8>> {
            if !is_annotated {
                return Ok(Vec::new());
            }
            let Annotation { cluster, kept_id, similarity, cluster_size, copy_count, .. } =
                fates.annotation(*document)?;
            let note = Note { cluster, kept_id, similarity, cluster_size, copy_count };
            Ok(serde_json::to_vec(&note).expect("numbers and texts can be written"))
        };
        writer.write(&[
            Values::Whole(some.iter().map(|document| i64::from(document.0 - first)).collect()),
            Values::Whole(some.iter().map(|document| i64::from(fates.is_kept(*document))).collect()),
            Values::Bytes(some.iter().map(note).collect::<Result<_>>()?),
        ])?;
    }
    targets.groups.push((first_group, writer.group_count() - first_group));
    Ok(())
}
