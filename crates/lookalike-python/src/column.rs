//! One column of a result, which stays in Arrow's memory until its values are asked for.

use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, LargeStringArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field};
use arrow_select::take::take;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};
use pyo3_arrow::buffer::PyArrowBuffer;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::to_array_pycapsules;

/// Values of one type, some of which may be null.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct Column {
    array: ArrayRef,
    /// A byte for each flag, made when they are first asked for: Arrow has a bit for each, and numpy a byte.
    flags: OnceLock<UInt8Array>,
}

impl Column {
    pub(crate) fn new(array: ArrayRef) -> Self {
        Self { array, flags: OnceLock::new() }
    }

    /// Row numbers.
    pub(crate) fn of_rows(rows: Vec<u64>) -> Self {
        Self::new(Arc::new(UInt64Array::from(rows)))
    }

    /// Flags, of which there is a byte each.
    pub(crate) fn of_flags(flags: Vec<u8>) -> Self {
        let bits: BooleanArray = flags.iter().map(|flag| Some(*flag == 1)).collect();
        Self { array: Arc::new(bits), flags: OnceLock::from(UInt8Array::from(flags)) }
    }
}

#[pymethods]
impl Column {
    /// A column of these values, of the type that `dtype` names: what was pickled.
    #[staticmethod]
    fn of_list(dtype: Option<&str>, values: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array: ArrayRef = match dtype {
            Some("bool") => Arc::new(BooleanArray::from(values.extract::<Vec<Option<bool>>>()?)),
            Some("float64") => Arc::new(Float64Array::from(values.extract::<Vec<Option<f64>>>()?)),
            Some("uint64") => Arc::new(UInt64Array::from(values.extract::<Vec<Option<u64>>>()?)),
            Some("uint32") => Arc::new(UInt32Array::from(values.extract::<Vec<Option<u32>>>()?)),
            _ => Arc::new(LargeStringArray::from(values.extract::<Vec<Option<String>>>()?)),
        };
        Ok(Self::new(array))
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    /// The name of numpy for the type of the values; none if they are texts, which numpy has no such type for.
    #[getter]
    fn dtype(&self) -> Option<&'static str> {
        match self.array.data_type() {
            DataType::Boolean => Some("bool"),
            DataType::Float64 => Some("float64"),
            DataType::UInt64 => Some("uint64"),
            DataType::UInt32 => Some("uint32"),
            _ => None,
        }
    }

    /// Number of values that are null.
    #[getter]
    fn null_count(&self) -> usize {
        self.array.null_count()
    }

    /// Values one after the other, without copying them.
    fn slice(&self, start: usize, length: usize) -> Self {
        let start = start.min(self.array.len());
        Self::new(self.array.slice(start, length.min(self.array.len() - start)))
    }

    /// These values, in this order.
    fn take(&self, rows: Vec<u64>) -> PyResult<Self> {
        let taken = take(&self.array, &UInt64Array::from(rows), None);
        taken.map(Self::new).map_err(|cause| PyIndexError::new_err(cause.to_string()))
    }

    /// The values as a list: numbers, flags, texts, and None.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let array = &self.array;
        match array.data_type() {
            DataType::LargeUtf8 => PyList::new(py, array.as_string::<i64>().iter()),
            DataType::Utf8 => PyList::new(py, array.as_string::<i32>().iter()),
            DataType::Boolean => PyList::new(py, array.as_boolean().iter()),
            DataType::Float64 => PyList::new(py, array.as_primitive::<Float64Type>().iter()),
            DataType::UInt64 => PyList::new(py, array.as_primitive::<UInt64Type>().iter()),
            DataType::UInt32 => PyList::new(py, array.as_primitive::<UInt32Type>().iter()),
            other => unreachable!("no result has a column of {other}"),
        }
    }

    /// The memory of numbers and flags, which numpy reads in place; none of texts. What is at a null means nothing.
    fn buffer(&self) -> Option<PyArrowBuffer> {
        let array = &self.array;
        let buffer = match array.data_type() {
            DataType::Float64 => array.as_primitive::<Float64Type>().values().inner().clone(),
            DataType::UInt64 => array.as_primitive::<UInt64Type>().values().inner().clone(),
            DataType::UInt32 => array.as_primitive::<UInt32Type>().values().inner().clone(),
            DataType::Boolean => {
                let bytes = || array.as_boolean().values().iter().map(u8::from).collect::<Vec<u8>>();
                self.flags.get_or_init(|| UInt8Array::from(bytes())).values().inner().clone()
            }
            _ => return None,
        };
        Some(PyArrowBuffer::new(buffer))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyTuple>> {
        let field = Field::new("", self.array.data_type().clone(), true);
        to_array_pycapsules(py, Arc::new(field), &self.array, requested_schema)
    }
}
