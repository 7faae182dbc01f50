//! `dedup` on data of Python: every row decided, every removal with its evidence.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt32Array, UInt64Array};
use lookalike::core::decision::Scope;
use lookalike::core::measure::criterion::Criterion;
use lookalike::core::resolve::keep::Keep;
use lookalike::index::Index;
use lookalike::{
    Against, AgainstIndex, DedupOptions, DedupRows, Group, Output, ReadOptions, Removal, RemovalMeasures,
    ReportOptions, ReportTexts, RowFate, RowWriter, Scheme, Share, Sink, SourceBy, Summary,
};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::error;
use crate::input::{Columns, Input, held_options, read_options};
use crate::settings::{Resources, SchemeRequest, parse, unknown};
use crate::table::{self, table};

/// What a call of `dedup` asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DedupRequest {
    pub(crate) scheme: SchemeRequest,
    #[serde(default)]
    pub(crate) resources: Resources,
    pub(crate) columns: Columns,
    pub(crate) keep: String,
    pub(crate) group: String,
    #[serde(default)]
    pub(crate) only_against: bool,
    /// The folder of a saved index.
    #[serde(default)]
    pub(crate) against_index: Option<PathBuf>,
    #[serde(default)]
    pub(crate) add_kept: bool,
    #[serde(default)]
    pub(crate) fail_if_source_loses: Option<f64>,
}

/// What was decided.
#[pyclass(frozen, module = "lookalike._native")]
pub(crate) struct Decided {
    summary: Summary,
    row_count: u64,
    fates: Vec<RowFate>,
    removals: Vec<Removal>,
    has_ids: bool,
    has_sources: bool,
    /// What texts are read from again.
    read: ReadOptions,
    mask: OnceLock<Vec<u8>>,
}

/// Decides about all rows.
#[pyfunction]
#[pyo3(signature = (request, data, reference=None, progress=None))]
pub(crate) fn dedup(
    py: Python<'_>,
    request: &str,
    data: &Input,
    reference: Option<&Input>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Decided> {
    let request: DedupRequest = parse(py, request)?;
    let runner = request.resources.runner(py, progress)?;
    let (read, references) = read_options(py, data, reference, &request.columns, &request.resources)?;
    let mut options = DedupOptions { read, ..DedupOptions::new(Vec::<PathBuf>::new()) };
    request.apply(py, &mut options)?;
    options.output = Output::DryRun;
    options.memory = runner.memory;
    options.work = request.resources.work();
    if reference.is_some() {
        let scope = if request.only_against { Scope::References } else { Scope::Everything };
        options.against = Some(Against { references, scope });
    }
    let (mut fates, mut removals) = (Vec::new(), Vec::new());
    let summary = runner.run(py, |progress| {
        let rows = DedupRows { fates: Some(&mut fates), removals: Some(&mut removals), ..DedupRows::default() };
        lookalike::dedup_into(&options, rows, progress)
    })?;
    Ok(Decided {
        summary,
        row_count: data.row_count,
        fates,
        removals,
        has_ids: request.columns.id.is_some(),
        has_sources: request.columns.source.is_some(),
        read: held_options(data, reference),
        mask: OnceLock::new(),
    })
}

impl DedupRequest {
    /// What does not depend on where documents come from.
    pub(crate) fn apply(&self, py: Python<'_>, options: &mut DedupOptions) -> PyResult<()> {
        options.scheme = self.scheme.scheme(py)?;
        options.keep = self.keep.parse().map_err(|cause| error::raise_core(py, &cause))?;
        options.group = match &*self.group {
            "independent" => Group::Independent,
            "components" => Group::Components,
            other => return Err(unknown(py, "group", other, "'independent' or 'components'")),
        };
        if matches!(options.scheme.criterion, Criterion::Containment(_)) && options.keep != Keep::Longest {
            let message = "measure=\"containment\" removes the shorter of two documents: leave out keep=";
            return Err(error::option(py, "keep", message));
        }
        if options.group == Group::Components && (self.only_against || self.against_index.is_some()) {
            let with = if self.only_against { "only_against=True" } else { "an index to compare with" };
            let message = format!("group=\"components\" cannot be combined with {with}: leave out one of them");
            return Err(error::option(py, "group", &message));
        }
        if let Some(folder) = &self.against_index {
            options.scheme = scheme_of_index(py, folder, &options.scheme)?;
            let scope = if self.only_against { Scope::References } else { Scope::Everything };
            options.against_index = Some(AgainstIndex { folder: folder.clone(), scope, add_kept: self.add_kept });
        }
        options.source = if self.columns.source.is_some() { SourceBy::Field } else { SourceBy::HostOrFile };
        let share = self.fail_if_source_loses.map(Share::new).transpose();
        options.fail_if_source_loses = share.map_err(|cause| error::raise(py, &cause))?;
        Ok(())
    }
}

#[pymethods]
impl Decided {
    /// The summary as JSON.
    #[getter]
    fn summary(&self) -> String {
        serde_json::to_string(&self.summary).expect("keys are strings")
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> u64 {
        self.row_count
    }

    /// The rows that are kept.
    fn kept(&self) -> Vec<u64> {
        (0..).zip(self.mask_bytes()).filter(|(_, is_kept)| **is_kept == 1).map(|(row, _)| row).collect()
    }

    /// The rows that are removed.
    fn removed_rows(&self) -> Vec<u64> {
        self.fates.iter().filter(|fate| fate.kept_position.is_some()).map(|fate| fate.position - 1).collect()
    }

    /// A byte for each row: 1 if it is kept, 0 if it is removed.
    fn mask(&self) -> &[u8] {
        self.mask_bytes()
    }

    /// The same as a column.
    fn mask_column(&self) -> table::Columns {
        let mask: BooleanArray = self.mask_bytes().iter().map(|is_kept| Some(*is_kept == 1)).collect();
        table(vec![("kept", Arc::new(mask) as ArrayRef)])
    }

    /// Every row with its cluster and who is kept in its place.
    fn row_table(&self) -> table::Columns {
        let count = self.row_count as usize;
        let mut by_row: Vec<Option<&RowFate>> = vec![None; count];
        for fate in &self.fates {
            by_row[fate.position as usize - 1] = Some(fate);
        }
        let numbers = |number: fn(&RowFate) -> u32| -> ArrayRef {
            Arc::new(by_row.iter().map(|fate| fate.map(number)).collect::<UInt32Array>())
        };
        let rows: UInt64Array = (0..self.row_count).map(Some).collect();
        let kept: BooleanArray =
            by_row.iter().map(|fate| Some(fate.is_none_or(|fate| fate.kept_file.is_none()))).collect();
        let kept_row = |fate: Option<&RowFate>| fate.and_then(|fate| fate.kept_position?.checked_sub(1));
        let similarity: Float64Array = by_row.iter().map(|fate| fate.and_then(|fate| fate.similarity)).collect();
        let in_reference = |fate: Option<&RowFate>| fate.and_then(|fate| fate.kept_file).map(|file| file > 0);
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("row", Arc::new(rows)),
            ("cluster", numbers(|fate| fate.cluster)),
            ("kept", Arc::new(kept)),
            ("kept_row", Arc::new(by_row.iter().copied().map(kept_row).collect::<UInt64Array>())),
            ("similarity", Arc::new(similarity)),
            ("copies", numbers(|fate| fate.copies)),
            ("cluster_size", numbers(|fate| fate.cluster_size)),
        ];
        if self.fates.iter().any(|fate| fate.kept_file.is_some_and(|file| file > 0)) {
            columns.push((
                "kept_in_reference",
                Arc::new(by_row.iter().copied().map(in_reference).collect::<BooleanArray>()),
            ));
        }
        table(columns)
    }

    /// Every removed row with its evidence.
    fn removed_table(&self) -> table::Columns {
        let removals = &self.removals;
        let real = |value: fn(&Removal) -> f64| -> ArrayRef {
            Arc::new(removals.iter().map(|removal| Some(value(removal))).collect::<Float64Array>())
        };
        let texts = |value: fn(&Removal) -> Option<&str>| -> ArrayRef {
            Arc::new(removals.iter().map(value).collect::<StringArray>())
        };
        let flags = |value: fn(&Removal) -> bool| -> ArrayRef {
            Arc::new(removals.iter().map(|removal| Some(value(removal))).collect::<BooleanArray>())
        };
        let numbers = |value: fn(&Removal) -> u32| -> ArrayRef {
            Arc::new(removals.iter().map(|removal| Some(value(removal))).collect::<UInt32Array>())
        };
        let rows = |value: fn(&Removal) -> u64| -> ArrayRef {
            Arc::new(removals.iter().map(|removal| value(removal).checked_sub(1)).collect::<UInt64Array>())
        };
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("removed_row", rows(|removal| removal.removed_position)),
            ("kept_row", rows(|removal| removal.kept_position)),
        ];
        if self.has_ids || removals.iter().any(|removal| removal.kept_position == 0) {
            columns.push(("removed_id", texts(|removal| Some(&removal.removed_id))));
            columns.push(("kept_id", texts(|removal| Some(&removal.kept_id))));
        }
        columns.push(("kept_in", texts(|removal| removal.kept_in)));
        columns.push(("similarity", real(|removal| removal.similarity)));
        if let Some(RemovalMeasures::Bits { .. }) = removals.first().map(|removal| removal.measures) {
            columns.push(("simhash", real(|removal| bits(removal).0)));
            columns.push(("hamming", numbers(|removal| bits(removal).1)));
        } else {
            columns.push(("jaccard", real(|removal| shares(removal)[0])));
            columns.push(("containment_in_kept", real(|removal| shares(removal)[1])));
            columns.push(("containment_of_kept", real(|removal| shares(removal)[2])));
        }
        columns.push(("exact_copy", flags(|removal| removal.exact_copy)));
        columns.push(("same_words", flags(|removal| removal.same_words)));
        if removals.iter().any(|removal| removal.checksum.is_some()) {
            columns.push(("checksum", texts(|removal| removal.checksum.as_deref())));
        }
        columns.push(("cluster", numbers(|removal| removal.cluster)));
        columns.push(("cluster_size", numbers(|removal| removal.cluster_size)));
        columns.push(("copies", numbers(|removal| removal.copies)));
        if self.has_sources {
            columns.push(("removed_source", texts(|removal| Some(&removal.removed_source))));
            columns.push(("kept_source", texts(|removal| Some(&removal.kept_source))));
        }
        table(columns)
    }

    /// Writes `report.html`: the same page that the command writes.
    fn report(&self, py: Python<'_>, path: PathBuf, texts: &str, force: bool) -> PyResult<()> {
        let texts = match texts {
            "none" => ReportTexts::None,
            "excerpt" => ReportTexts::Excerpt,
            "full" => ReportTexts::Full,
            other => return Err(unknown(py, "texts", other, "'none', 'excerpt' or 'full'")),
        };
        let resources = Resources::default();
        resources.runner(py, None)?.run(py, |progress| {
            let unwritable = |cause| lookalike::Error::unwritable(cause);
            let folder = tempfile::tempdir().map_err(unwritable)?;
            let summary = serde_json::to_vec(&self.summary).expect("keys are strings");
            std::fs::write(folder.path().join("summary.json"), summary).map_err(unwritable)?;
            let file = std::fs::File::create(folder.path().join("removed.jsonl")).map_err(unwritable)?;
            let mut rows = RowWriter::new(std::io::BufWriter::new(file), lookalike::RowFormat::Jsonl);
            Sink::take(&mut rows, self.removals.clone()).map_err(unwritable)?;
            <RowWriter<_> as Sink<Removal>>::finish(&mut rows).map_err(unwritable)?;
            let options = ReportOptions {
                folder: folder.path().to_owned(),
                output: Some(path),
                force,
                texts,
                read: Some(self.read.clone()),
                references: Vec::new(),
            };
            lookalike::report(&options, progress)
        })?;
        Ok(())
    }
}

impl Decided {
    fn mask_bytes(&self) -> &[u8] {
        self.mask.get_or_init(|| {
            let mut mask = vec![1; self.row_count as usize];
            for fate in self.fates.iter().filter(|fate| fate.kept_file.is_some()) {
                mask[fate.position as usize - 1] = 0;
            }
            mask
        })
    }
}

/// That of the index: it is fixed, and whoever asks for another is told so.
fn scheme_of_index(py: Python<'_>, folder: &Path, asked: &Scheme) -> PyResult<Scheme> {
    let index = Index::open(folder).map_err(|cause| error::raise_index(py, &cause))?;
    let (has, wants) = (index.scheme().fingerprint(), asked.fingerprint());
    if wants != has && wants != Scheme::default().fingerprint() {
        let message = format!(
            "the index {} has {}, and {asked} is asked for: leave out what differs, or make an index with it",
            folder.display(),
            index.scheme()
        );
        return Err(error::option(py, "against", &message));
    }
    Ok(index.scheme().clone())
}

fn shares(removal: &Removal) -> [f64; 3] {
    match removal.measures {
        RemovalMeasures::Features { jaccard, containment_in_kept, containment_of_kept } => {
            [jaccard, containment_in_kept, containment_of_kept]
        }
        _ => [f64::NAN; 3],
    }
}

fn bits(removal: &Removal) -> (f64, u32) {
    match removal.measures {
        RemovalMeasures::Bits { simhash, hamming } => (simhash, hamming),
        _ => (f64::NAN, 0),
    }
}
