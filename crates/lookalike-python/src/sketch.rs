//! Sketches of data of Python, as columns of Arrow: one row for each row of the data.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, UInt8Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, FixedSizeBinaryArray, FixedSizeListArray, PrimitiveArray, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field};
use lookalike::core::sketch::Layout;
use lookalike::{SketchBatch, SketchRequest};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::ids::Named;
use crate::input::Input;
use crate::job::Runner;
use crate::options::{options, refuse};
use crate::table::{self, table};

/// The sketches of all rows; and a report as JSON.
#[pyfunction]
#[pyo3(signature = (given, data, progress=None))]
pub(crate) fn sketch(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    data: &Input,
    progress: Option<Py<PyAny>>,
) -> PyResult<(table::Columns, String)> {
    let refuse = |refused| refuse(py, &refused);
    let mut request = SketchRequest::from_options(options(given)?).map_err(refuse)?;
    data.read_by(&mut request.read);
    let options = request.check().map_err(refuse)?;
    let mut rows = Rows { layout: options.scheme().build_method().layout(), ..Rows::default() };
    let mut take = |batch| {
        rows.add(&batch);
        Ok(())
    };
    let report = Runner::new(options.resources(), progress)
        .run(py, |progress| lookalike::sketch(&options, &mut take, progress))?;
    rows.fill_up_to(data.row_count);
    let report = serde_json::to_string(&report).expect("keys are strings");
    Ok((rows.into_table(data), report))
}

/// Results for each row. A row without a text is null everywhere, and one without features has no sketch.
#[derive(Default)]
struct Rows {
    layout: Layout,
    keys: Vec<u64>,
    bytes: Vec<u8>,
    has_sketch: Vec<bool>,
    text_hashes: Vec<Option<[u8; 16]>>,
    content_hashes: Vec<Option<[u8; 16]>>,
    token_counts: Vec<Option<u32>>,
    feature_counts: Vec<Option<u32>>,
}

impl Rows {
    /// Adds rows without a text, so that there are this many.
    fn fill_up_to(&mut self, count: u64) {
        let count = count as usize;
        self.keys.resize(count * self.layout.keys, 0);
        self.bytes.resize(count * self.layout.bytes, 0);
        self.has_sketch.resize(count, false);
        self.text_hashes.resize(count, None);
        self.content_hashes.resize(count, None);
        self.token_counts.resize(count, None);
        self.feature_counts.resize(count, None);
    }

    fn add(&mut self, batch: &SketchBatch) {
        for (at, (position, text)) in batch.positions.iter().zip(&batch.texts).enumerate() {
            self.fill_up_to(position - 1);
            let Layout { keys, bytes } = self.layout;
            self.keys.extend_from_slice(&batch.keys[at * keys..][..keys]);
            self.bytes.extend_from_slice(&batch.bytes[at * bytes..][..bytes]);
            self.has_sketch.push(text.size > 0);
            self.text_hashes.push(Some(text.text_hash.to_le_bytes()));
            self.content_hashes.push(Some(text.content_hash.to_le_bytes()));
            self.token_counts.push(Some(text.token_count));
            self.feature_counts.push(Some(text.size));
        }
    }

    fn into_table(self, data: &Input) -> table::Columns {
        let count = data.row_count;
        let mut columns: Vec<(&str, ArrayRef)> = vec![("row", Arc::new(UInt64Array::from_iter_values(0..count)))];
        if let Some(ids) = &data.ids {
            let named: Vec<Named<'_>> = (0..count).map(|row| Named { row, text: None }).collect();
            columns.push(("id", ids.of(named.into_iter())));
        }
        let Layout { keys, bytes } = self.layout;
        if bytes > 0 {
            columns.push(("sketch", lists::<UInt8Type>(self.bytes, bytes, &self.has_sketch)));
        }
        if keys > 0 {
            columns.push(("keys", lists::<UInt64Type>(self.keys, keys, &self.has_sketch)));
        }
        columns.push(("text_hash", hashes(&self.text_hashes)));
        columns.push(("content_hash", hashes(&self.content_hashes)));
        columns.push(("token_count", Arc::new(UInt32Array::from(self.token_counts))));
        columns.push(("feature_count", Arc::new(UInt32Array::from(self.feature_counts))));
        table(columns)
    }
}

/// Builds lists of this many numbers each.
fn lists<T: ArrowPrimitiveType>(numbers: Vec<T::Native>, width: usize, is_valid: &[bool]) -> ArrayRef
where
    PrimitiveArray<T>: From<Vec<T::Native>>,
{
    let field: Arc<Field> = Field::new("item", T::DATA_TYPE, false).into();
    let values: ArrayRef = Arc::new(PrimitiveArray::<T>::from(numbers));
    let width = i32::try_from(width).expect("a sketch has some thousand slots at most");
    Arc::new(FixedSizeListArray::new(field, width, values, Some(is_valid.to_vec().into())))
}

fn hashes(hashes: &[Option<[u8; 16]>]) -> ArrayRef {
    let all = FixedSizeBinaryArray::try_from_sparse_iter_with_size(hashes.iter().map(|hash| hash.as_ref()), 16);
    let all = all.expect("every hash has 16 bytes");
    debug_assert_eq!(all.data_type(), &DataType::FixedSizeBinary(16));
    Arc::new(all)
}
