//! `dedup` on data of Python: every row decided, every removal with its evidence.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt32Array, UInt64Array};
use arrow_schema::DataType;
use lookalike::{
    DedupOptions, DedupRequest, DedupRows, HeldTable, ReadOptions, Removal, ReportRequest, ReportTexts, Resources,
    RowFate, Scheme, Summary,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::column::Column;
use crate::error;
use crate::ids::{Named, typed};
use crate::input::Input;
use crate::job::Runner;
use crate::look::compared_by;
use crate::options::{options, refuse};
use crate::table::{self, table};

/// Decisions about all rows.
#[pyclass(frozen, module = "lookalike._native")]
pub(crate) struct Decided {
    summary: Summary,
    row_count: u64,
    fates: Vec<RowFate>,
    removals: Vec<Removal>,
    data: Py<Input>,
    reference: Option<Py<Input>>,
    has_sources: bool,
    /// Scheme that decides which rows are near-duplicates: given by the caller, or that of an index.
    scheme: Scheme,
    /// Options for reading texts again.
    read: ReadOptions,
    reference_tables: Vec<HeldTable>,
}

/// Decides about all rows.
#[pyfunction]
#[pyo3(signature = (given, data, reference=None, progress=None))]
pub(crate) fn dedup(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    data: Py<Input>,
    reference: Option<Py<Input>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Decided> {
    let options = checked(py, given, data.get(), reference.as_ref().map(Py::get))?;
    let (mut fates, mut removals) = (Vec::new(), Vec::new());
    let summary = Runner::new(options.resources(), progress).run(py, |progress| {
        let rows = DedupRows::default().fates(&mut fates).removals(&mut removals);
        lookalike::dedup_into(&options, rows, progress)
    })?;
    Ok(Decided {
        summary,
        row_count: data.get().row_count,
        fates,
        removals,
        data,
        reference,
        scheme: options.scheme().clone(),
        has_sources: options.read().settings().fields.source.is_some(),
        read: options.read().clone(),
        reference_tables: options.reference_tables().to_vec(),
    })
}

fn checked(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    data: &Input,
    reference: Option<&Input>,
) -> PyResult<DedupOptions> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = DedupRequest::from_options(options(given)?).map_err(refuse)?;
    data.read_by(&mut request.read);
    if let Some(reference) = reference {
        reference.compared_by(&mut request.against, &mut request.against_in_memory);
    }
    // A source is always a column here, also one that is called host.
    request.source = request.source.map(|column| format!("field:{column}"));
    request.dry_run = Some(true);
    request.check().map_err(refuse)
}

/// A row of a table, with its id.
fn named<'a>(table: &Input, id: &'a str, position: u64) -> Named<'a> {
    Named { row: position - 1, text: table.own_id(id, position) }
}

/// The id of the row that is kept, unless it was made up.
fn own_kept_id<'a>(removal: &'a Removal, data: &Input, reference: Option<&Input>) -> Option<&'a str> {
    if removal.kept_position == 0 {
        // In an index, where every document has an id.
        return Some(&removal.kept_id);
    }
    let table = if removal.kept_in.is_some() { reference? } else { data };
    table.ids.as_ref()?;
    table.own_id(&removal.kept_id, removal.kept_position)
}

#[pymethods]
impl Decided {
    /// The summary as JSON.
    #[getter]
    fn summary(&self) -> String {
        serde_json::to_string(&self.summary).expect("keys are strings")
    }

    /// Two texts by every measure, as JSON.
    fn compare(&self, py: Python<'_>, left: &str, right: &str) -> PyResult<String> {
        compared_by(py, &self.scheme, left, right)
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> u64 {
        self.row_count
    }

    /// The rows that are kept.
    fn kept(&self) -> Column {
        Column::of_rows((0..).zip(self.mask_bytes()).filter(|(_, flag)| *flag == 1).map(|(row, _)| row).collect())
    }

    /// The rows that are removed.
    fn removed_rows(&self) -> Column {
        let removed = self.fates.iter().filter(|fate| fate.kept_position.is_some());
        Column::of_rows(removed.map(|fate| fate.position - 1).collect())
    }

    /// A flag for each row: true if it is kept.
    fn mask(&self) -> Column {
        Column::of_flags(self.mask_bytes())
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
            ("copy_count", numbers(|fate| fate.copy_count)),
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
        let real = |value: fn(&Removal) -> Option<f64>| -> ArrayRef {
            Arc::new(removals.iter().map(value).collect::<Float64Array>())
        };
        let texts = |value: fn(&Removal) -> Option<&str>| -> ArrayRef {
            Arc::new(removals.iter().map(value).collect::<StringArray>())
        };
        let flags = |value: fn(&Removal) -> bool| -> ArrayRef {
            Arc::new(removals.iter().map(|removal| Some(value(removal))).collect::<BooleanArray>())
        };
        let numbers = |value: fn(&Removal) -> Option<u32>| -> ArrayRef {
            Arc::new(removals.iter().map(value).collect::<UInt32Array>())
        };
        let rows = |value: fn(&Removal) -> u64| -> ArrayRef {
            Arc::new(removals.iter().map(|removal| value(removal).checked_sub(1)).collect::<UInt64Array>())
        };
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("removed_row", rows(|removal| removal.removed_position)),
            ("kept_row", rows(|removal| removal.kept_position)),
        ];
        columns.extend(self.removed_ids().map(|ids| ("removed_id", ids)));
        columns.extend(self.kept_ids().map(|ids| ("kept_id", ids)));
        columns.push(("kept_in", texts(|removal| removal.kept_in.as_deref())));
        columns.push(("similarity", real(|removal| Some(removal.similarity))));
        if removals.first().is_some_and(|removal| removal.hamming.is_some()) {
            columns.push(("hamming", numbers(|removal| removal.hamming)));
        } else {
            columns.push(("jaccard", real(|removal| removal.jaccard)));
            columns.push(("containment_of_removed", real(|removal| removal.containment_of_removed)));
            columns.push(("containment_of_kept", real(|removal| removal.containment_of_kept)));
        }
        columns.push(("exact_copy", flags(|removal| removal.exact_copy)));
        columns.push(("same_words", flags(|removal| removal.same_words)));
        if removals.iter().any(|removal| removal.checksum.is_some()) {
            columns.push(("checksum", texts(|removal| removal.checksum.as_deref())));
        }
        if removals.iter().any(|removal| removal.ignored_of_removed.is_some()) {
            columns.push(("ignored_of_removed", real(|removal| removal.ignored_of_removed)));
            columns.push(("ignored_of_kept", real(|removal| removal.ignored_of_kept)));
        }
        columns.push(("cluster", numbers(|removal| Some(removal.cluster))));
        columns.push(("cluster_size", numbers(|removal| Some(removal.cluster_size))));
        columns.push(("copy_count", numbers(|removal| Some(removal.copy_count))));
        columns.push(("cluster_sources", numbers(|removal| Some(removal.cluster_sources))));
        columns.push(("different_numbers", flags(|removal| removal.different_numbers)));
        if self.has_sources {
            columns.push(("removed_source", texts(|removal| Some(&removal.removed_source))));
            columns.push(("kept_source", texts(|removal| Some(&removal.kept_source))));
        }
        table(columns)
    }

    /// Writes `report.html`: the same page that the command writes.
    fn report(&self, py: Python<'_>, path: PathBuf, texts: &str, force: bool) -> PyResult<()> {
        let texts: ReportTexts = texts.parse().map_err(|_| {
            let message = format!("texts= must be none, excerpt or full, not {texts}");
            error::option(py, "texts", "unknown_word", &message)
        })?;
        let mut request =
            ReportRequest::default().output(path).force(force).report_texts(texts).read(self.read.clone());
        request.reference_tables.clone_from(&self.reference_tables);
        let options = request.check().map_err(|refused| refuse(py, &refused))?;
        let report = |progress: &dyn lookalike::Progress| {
            lookalike::report_of(&self.summary, &self.removals, &options, progress)
        };
        Runner::new(&Resources::default(), None).run(py, report).map(drop)
    }
}

impl Decided {
    /// The ids of the removed rows, if the data has ids.
    fn removed_ids(&self) -> Option<ArrayRef> {
        let data = self.data.get();
        let rows = self.removals.iter().map(|removal| named(data, &removal.removed_id, removal.removed_position));
        data.ids.as_ref().map(|ids| ids.of(rows))
    }

    /// The ids of the rows that are kept in their place: those of an index are texts, and so are all if two tables have ids
    /// of different types.
    fn kept_ids(&self) -> Option<ArrayRef> {
        let (data, reference) = (self.data.get(), self.reference.as_ref().map(Py::get));
        let any_in_index = self.removals.iter().any(|removal| removal.kept_position == 0);
        let kind = match (&data.ids, reference.and_then(|reference| reference.ids.as_ref())) {
            (None, None) if !any_in_index => return None,
            _ if any_in_index => DataType::LargeUtf8,
            (Some(ids), None) | (None, Some(ids)) => ids.kind().clone(),
            (Some(ids), Some(others)) if ids.kind() == others.kind() => ids.kind().clone(),
            _ => DataType::LargeUtf8,
        };
        match &data.ids {
            Some(ids) if self.removals.iter().all(|removal| removal.kept_in.is_none()) => {
                let rows = self.removals.iter().map(|removal| named(data, &removal.kept_id, removal.kept_position));
                Some(ids.of(rows))
            }
            _ => Some(typed(self.removals.iter().map(|removal| own_kept_id(removal, data, reference)), &kind)),
        }
    }

    /// A byte for each row: 1 if it is kept, 0 if it is removed.
    fn mask_bytes(&self) -> Vec<u8> {
        let mut mask = vec![1; self.row_count as usize];
        for fate in self.fates.iter().filter(|fate| fate.kept_file.is_some()) {
            mask[fate.position as usize - 1] = 0;
        }
        mask
    }
}
