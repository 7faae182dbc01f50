//! Decisions on pairs that are known, with the evidence that the pairs have.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, UInt32Array, UInt64Array};
use arrow_select::take::take;
use lookalike::core::resolve::keep::{FieldValue, Keep, Ranking, keep_order};
use lookalike::texts::{KnownPair, resolve as decide};
use pyo3::prelude::*;

use crate::column::Column;
use crate::error;
use crate::ids::either;
use crate::table::{self, table};

/// The columns of a table of pairs; those that need not be there may be missing.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PairColumns {
    left_row: Vec<usize>,
    right_row: Vec<usize>,
    similarity: Vec<f64>,
    left_id: Option<Py<Column>>,
    right_id: Option<Py<Column>>,
    jaccard: Option<Vec<f64>>,
    containment_of_left: Option<Vec<f64>>,
    containment_of_right: Option<Vec<f64>>,
    hamming: Option<Vec<u32>>,
}

/// Decisions based on known pairs.
#[pyclass(frozen, module = "lookalike._native")]
pub(crate) struct Resolved {
    pairs: PairColumns,
    /// For each row the one kept in its place.
    kept_rows: Vec<Option<usize>>,
    similarities: Vec<Option<f64>>,
    /// For each row the number of its cluster, counted from 1 in the order of the kept rows.
    clusters: Vec<u32>,
    /// The number of rows of each cluster, by its number.
    sizes: Vec<u32>,
}

/// Decides again on known pairs.
#[pyfunction]
#[pyo3(signature = (pairs, rows, keep, lengths=None, values=None))]
pub(crate) fn resolve(
    py: Python<'_>,
    pairs: PairColumns,
    rows: usize,
    keep: &str,
    lengths: Option<&Column>,
    values: Option<Vec<Option<f64>>>,
) -> PyResult<Resolved> {
    if let Some(row) = pairs.left_row.iter().chain(&pairs.right_row).find(|row| **row >= rows) {
        let message =
            format!("a pair names row {row}, and there are {rows} rows: rows= is the number of rows of the data");
        return Err(error::option(py, "rows", "out_of_range", &message));
    }
    let keep: Keep = match keep {
        "values" => Keep::Max("values".to_owned()),
        keep => keep.parse().map_err(|cause| error::raise_core(py, &cause))?,
    };
    let none = vec![0; rows];
    let lengths = lengths.and_then(|lengths| lengths.array.as_primitive_opt::<UInt32Type>());
    let token_counts = lengths.map_or(&none[..], |lengths| lengths.values());
    let value = |value: &Option<f64>| value.map_or(FieldValue::Missing, |value| FieldValue::number(&value.to_string()));
    let field_values: Vec<FieldValue> = values.iter().flatten().map(value).collect();
    if token_counts.len() != rows {
        let message = format!("the pairs are of {} rows, and rows={rows}", token_counts.len());
        return Err(error::option(py, "rows", "out_of_range", &message));
    }
    if let Some(values) = values.as_ref().filter(|values| values.len() != rows) {
        let message = format!("keep= has {} numbers, and rows={rows}", values.len());
        return Err(error::option(py, "keep", "out_of_range", &message));
    }
    let order = keep_order(&keep, Ranking { token_counts, field_values: &field_values, source_ranks: &[] });
    let fates = py.detach(|| decide(&pairs.known(), &order));
    Ok(Resolved::of(pairs, fates))
}

impl PairColumns {
    fn known(&self) -> Vec<KnownPair> {
        let rows = self.left_row.iter().zip(&self.right_row).zip(&self.similarity);
        rows.map(|((&left, &right), &similarity)| KnownPair::new(left, right, similarity)).collect()
    }
}

impl Resolved {
    fn of(pairs: PairColumns, fates: Vec<Option<(usize, f64)>>) -> Self {
        let (kept_rows, similarities): (Vec<Option<usize>>, Vec<Option<f64>>) =
            fates.into_iter().map(|fate| (fate.map(|fate| fate.0), fate.map(|fate| fate.1))).unzip();
        let mut clusters = vec![0; kept_rows.len()];
        let kept = (0..kept_rows.len()).filter(|row| kept_rows[*row].is_none());
        (1..).zip(kept).for_each(|(number, row)| clusters[row] = number);
        for (row, kept) in kept_rows.iter().enumerate() {
            clusters[row] = clusters[kept.unwrap_or(row)];
        }
        let mut sizes = vec![0; clusters.iter().max().map_or(0, |last| *last as usize) + 1];
        clusters.iter().for_each(|cluster| sizes[*cluster as usize] += 1);
        Self { pairs, kept_rows, similarities, clusters, sizes }
    }

    /// The rows of which the one kept in their place is so.
    fn rows_where(&self, is_so: fn(&Option<usize>) -> bool) -> Column {
        Column::of_rows((0..).zip(&self.kept_rows).filter(|(_, kept)| is_so(kept)).map(|(row, _)| row).collect())
    }

    fn size(&self, row: usize) -> u32 {
        self.sizes[self.clusters[row] as usize]
    }

    /// For each removed row: itself, the kept one, and the pair that they are.
    fn removals(&self) -> Vec<(usize, usize, usize)> {
        let mut by_rows: HashMap<(usize, usize), usize> = HashMap::new();
        for (pair, (&left, &right)) in self.pairs.left_row.iter().zip(&self.pairs.right_row).enumerate() {
            let known = by_rows.entry((left.min(right), left.max(right))).or_insert(pair);
            if self.pairs.similarity[pair] > self.pairs.similarity[*known] {
                *known = pair;
            }
        }
        let removal = |(row, kept): (usize, &Option<usize>)| {
            let kept = (*kept)?;
            Some((row, kept, by_rows[&(row.min(kept), row.max(kept))]))
        };
        self.kept_rows.iter().enumerate().filter_map(removal).collect()
    }
}

#[pymethods]
impl Resolved {
    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.kept_rows.len()
    }

    /// Number of kept rows with at least one removed near-duplicate.
    #[getter]
    fn clusters(&self) -> usize {
        self.sizes.iter().skip(1).filter(|size| **size > 1).count()
    }

    /// The rows that are kept.
    fn kept(&self) -> Column {
        self.rows_where(Option::is_none)
    }

    /// The rows that are removed.
    fn removed_rows(&self) -> Column {
        self.rows_where(Option::is_some)
    }

    /// A flag for each row: true if it is kept.
    fn mask(&self) -> Column {
        Column::of_flags(self.kept_rows.iter().map(|kept| u8::from(kept.is_none())).collect())
    }

    /// Every row with its cluster and who is kept in its place.
    fn row_table(&self) -> table::Columns {
        let count = self.rows();
        let kept: BooleanArray = self.kept_rows.iter().map(|kept| Some(kept.is_none())).collect();
        let kept_rows: UInt64Array = self.kept_rows.iter().map(|row| row.map(|row| row as u64)).collect();
        table(vec![
            ("row", Arc::new((0..count as u64).map(Some).collect::<UInt64Array>()) as ArrayRef),
            ("cluster", Arc::new(UInt32Array::from(self.clusters.clone()))),
            ("kept", Arc::new(kept)),
            ("kept_row", Arc::new(kept_rows)),
            ("similarity", Arc::new(self.similarities.iter().copied().collect::<Float64Array>())),
            ("cluster_size", Arc::new((0..count).map(|row| Some(self.size(row))).collect::<UInt32Array>())),
        ])
    }

    /// Every removed row with the evidence of its pair.
    fn removed_table(&self) -> table::Columns {
        let removals = self.removals();
        let pairs = &self.pairs;
        let rows = |row: fn(&(usize, usize, usize)) -> usize| -> ArrayRef {
            Arc::new(removals.iter().map(|removal| Some(row(removal) as u64)).collect::<UInt64Array>())
        };
        // The removed row may be on either side of its pair.
        let is_left = |row: usize, pair: usize| pairs.left_row[pair] == row;
        let mut columns = vec![("removed_row", rows(|removal| removal.0)), ("kept_row", rows(|removal| removal.1))];
        if let (Some(left), Some(right)) = (&pairs.left_id, &pairs.right_id) {
            let places: UInt64Array = removals.iter().map(|(.., pair)| Some(*pair as u64)).collect();
            let taken = |ids: &Py<Column>| take(&ids.get().array, &places, None).expect("a pair has its ids");
            let (left, right) = (taken(left), taken(right));
            let ids = |of_removed: bool| -> ArrayRef {
                let is_right = |(row, _, pair): &(usize, usize, usize)| is_left(*row, *pair) != of_removed;
                either([&left, &right], removals.iter().map(is_right))
            };
            columns.extend([("removed_id", ids(true)), ("kept_id", ids(false))]);
        }
        let real = |values: &[f64]| -> ArrayRef {
            Arc::new(removals.iter().map(|(.., pair)| Some(values[*pair])).collect::<Float64Array>())
        };
        columns.push(("similarity", real(&pairs.similarity)));
        columns.extend(pairs.jaccard.as_deref().map(|jaccard| ("jaccard", real(jaccard))));
        if let Some(hamming) = &pairs.hamming {
            let bits = removals.iter().map(|(.., pair)| Some(hamming[*pair])).collect::<UInt32Array>();
            columns.push(("hamming", Arc::new(bits)));
        }
        if let (Some(left), Some(right)) = (&pairs.containment_of_left, &pairs.containment_of_right) {
            let shares = |of_removed: bool| -> ArrayRef {
                let share = |(row, _, pair): &(usize, usize, usize)| {
                    Some(if is_left(*row, *pair) == of_removed { left[*pair] } else { right[*pair] })
                };
                Arc::new(removals.iter().map(share).collect::<Float64Array>())
            };
            columns.extend([("containment_of_removed", shares(true)), ("containment_of_kept", shares(false))]);
        }
        let numbers = |number: &dyn Fn(usize) -> u32| -> ArrayRef {
            Arc::new(removals.iter().map(|(row, ..)| Some(number(*row))).collect::<UInt32Array>())
        };
        columns.push(("cluster", numbers(&|row| self.clusters[row])));
        columns.push(("cluster_size", numbers(&|row| self.size(row))));
        table(columns)
    }
}
