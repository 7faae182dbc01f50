//! One column of a result, which stays in Arrow's memory until its values are requested.

use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, LargeStringArray,
    PrimitiveArray, UInt8Array, UInt64Array,
};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, TimeUnit};
use arrow_select::take::take;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyCapsule, PyList, PyTuple};
use pyo3_arrow::buffer::PyArrowBuffer;
use pyo3_arrow::error::PyArrowResult;
use pyo3_arrow::ffi::to_array_pycapsules;

/// Does the same with a column of any type of number, and something else with every other column.
macro_rules! of_numbers {
    ($array:expr, |$numbers:ident: $kind:ident| $each:expr, else $other:expr) => {
        of_numbers!(@ $array, $numbers, $kind, $each, $other;
            Int8 Int8Type, Int16 Int16Type, Int32 Int32Type, Int64 Int64Type,
            UInt8 UInt8Type, UInt16 UInt16Type, UInt32 UInt32Type, UInt64 UInt64Type,
            Float32 Float32Type, Float64 Float64Type)
    };
    (@ $array:expr, $numbers:ident, $kind:ident, $each:expr, $other:expr; $($name:ident $type:ident),*) => {
        match $array.data_type() {
            $(DataType::$name => {
                type $kind = $type;
                let $numbers = $array.as_primitive::<$kind>();
                $each
            })*
            _ => $other,
        }
    };
}

/// Values of one type, some of which may be null.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) array: ArrayRef,
    /// A byte per flag, built on first use: Arrow stores a bit per flag, and numpy a byte.
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
    /// A column of these values, of the type that `kind` names.
    #[staticmethod]
    fn of_list(kind: &str, values: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::new(array_of(kind, values)?))
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    /// The name of the type, as numpy or Arrow has it.
    #[getter]
    fn kind(&self) -> String {
        type_name(self.array.data_type())
    }

    /// Name of the numpy type of the values; `None` for texts, for which numpy has no such type.
    #[getter]
    fn dtype(&self) -> Option<String> {
        let kind = innermost(self.array.data_type());
        (kind.is_numeric() || *kind == DataType::Boolean).then(|| type_name(kind))
    }

    /// Number of numbers in each value, if each value is a list of the same number of numbers.
    #[getter]
    fn width(&self) -> Option<i32> {
        match self.array.data_type() {
            DataType::FixedSizeList(_, width) => Some(*width),
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

    /// The values as a list: numbers, flags, texts, dates, lists of numbers, and None.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        objects(py, &self.array)
    }

    /// Memory of numbers and flags, which numpy reads in place; `None` for texts. The content at nulls is undefined.
    fn buffer(&self) -> Option<PyArrowBuffer> {
        let array = match self.array.as_fixed_size_list_opt() {
            Some(lists) => {
                let width = lists.value_length() as usize;
                &lists.values().slice(lists.offset() * width, lists.len() * width)
            }
            None => &self.array,
        };
        let buffer = of_numbers!(array, |numbers: _Kind| Some(numbers.values().inner().clone()), else {
            let bytes = |flags: &BooleanArray| flags.values().iter().map(u8::from).collect::<Vec<u8>>();
            array.as_boolean_opt().map(|flags| {
                self.flags.get_or_init(|| UInt8Array::from(bytes(flags))).values().inner().clone()
            })
        });
        buffer.map(PyArrowBuffer::new)
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

/// The numbers of lists of numbers.
fn innermost(kind: &DataType) -> &DataType {
    match kind {
        DataType::FixedSizeList(field, _) => field.data_type(),
        other => other,
    }
}

/// The name of a type that columns of results have: that of numpy if it has one, else that of Arrow.
pub(crate) fn type_name(kind: &DataType) -> String {
    match kind {
        DataType::Boolean => "bool".to_owned(),
        DataType::Utf8 => "string".to_owned(),
        DataType::LargeUtf8 => "large_string".to_owned(),
        DataType::Utf8View => "string_view".to_owned(),
        DataType::FixedSizeList(field, width) => format!("{}[{width}]", type_name(field.data_type())),
        DataType::FixedSizeBinary(width) => format!("binary[{width}]"),
        // The spelling of Arrow, which can be read back.
        other if has_parameters(other) => other.to_string(),
        other => other.to_string().to_lowercase(),
    }
}

/// True if a type has parameters that cannot be inferred from its values.
fn has_parameters(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Timestamp(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..)
    )
}

/// Values as objects of Python.
fn objects<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    of_numbers!(array, |numbers: _Kind| return PyList::new(py, numbers.iter()), else {});
    match array.data_type() {
        DataType::LargeUtf8 => PyList::new(py, array.as_string::<i64>().iter()),
        DataType::Utf8 => PyList::new(py, array.as_string::<i32>().iter()),
        DataType::Utf8View => PyList::new(py, array.as_string_view().iter()),
        DataType::Boolean => PyList::new(py, array.as_boolean().iter()),
        DataType::Date32 => {
            let date = py.import("datetime")?.getattr("date")?;
            let of_days = |days: i32| date.call_method1("fromordinal", (EPOCH + days,));
            let dates = array.as_primitive::<Date32Type>().iter().map(|days| days.map(of_days).transpose());
            PyList::new(py, dates.collect::<PyResult<Vec<_>>>()?)
        }
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            let list = |row: usize| lists.is_valid(row).then(|| objects(py, &lists.value(row))).transpose();
            PyList::new(py, (0..lists.len()).map(list).collect::<PyResult<Vec<_>>>()?)
        }
        DataType::FixedSizeBinary(_) => {
            PyList::new(py, array.as_fixed_size_binary().iter().map(|bytes| bytes.map(|bytes| PyBytes::new(py, bytes))))
        }
        DataType::Binary | DataType::LargeBinary => {
            let binary = cast(array, &DataType::LargeBinary).map_err(not_cast)?;
            PyList::new(py, binary.as_binary::<i64>().iter().map(|bytes| bytes.map(|bytes| PyBytes::new(py, bytes))))
        }
        DataType::Date64 => objects(py, &cast(array, &DataType::Date32).map_err(not_cast)?),
        DataType::Time32(_) | DataType::Time64(_) => times(py, array),
        DataType::Timestamp(_, zone) => instants(py, array, zone.as_deref()),
        kind if has_parameters(kind) => {
            let decimal = py.import("decimal")?.getattr("Decimal")?;
            let texts = cast(array, &DataType::LargeUtf8).map_err(not_cast)?;
            let numbers =
                texts.as_string::<i64>().iter().map(|text| text.map(|text| decimal.call1((text,))).transpose());
            PyList::new(py, numbers.collect::<PyResult<Vec<_>>>()?)
        }
        other => unreachable!("no result has a column of {other}"),
    }
}

/// Points in time as `datetime`, to the microsecond, in their zone if they have one.
fn instants<'py>(py: Python<'py>, array: &ArrayRef, zone: Option<&str>) -> PyResult<Bound<'py, PyList>> {
    let module = py.import("datetime")?;
    let (span, utc) = (module.getattr("timedelta")?, module.getattr("timezone")?.getattr("utc")?);
    let epoch = module.getattr("datetime")?.call1((1970, 1, 1))?;
    // Offsets, such as +02:00, are no names of zones: the instant is the same in UTC.
    let named = |zone| py.import("zoneinfo").and_then(|module| module.getattr("ZoneInfo")?.call1((zone,)));
    let zone = zone.map(|zone| named(zone).unwrap_or_else(|_| utc.clone()));
    let instant = |microseconds: i64| {
        let instant = epoch.call_method1("__add__", (span.call1((0, 0, microseconds))?,))?;
        let Some(zone) = &zone else { return Ok(instant) };
        let in_utc = [("tzinfo", &utc)].into_py_dict(py)?;
        instant.call_method("replace", (), Some(&in_utc))?.call_method1("astimezone", (zone,))
    };
    let microseconds = cast(array, &DataType::Timestamp(TimeUnit::Microsecond, None)).map_err(not_cast)?;
    let numbers = cast(&microseconds, &DataType::Int64).map_err(not_cast)?;
    let instants = numbers.as_primitive::<Int64Type>().iter().map(|number| number.map(instant).transpose());
    PyList::new(py, instants.collect::<PyResult<Vec<_>>>()?)
}

/// Times of day as `time`, to the microsecond.
fn times<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    let module = py.import("datetime")?;
    let (span, midnight) = (module.getattr("timedelta")?, module.getattr("datetime")?.getattr("min")?);
    let time = |microseconds: i64| {
        midnight.call_method1("__add__", (span.call1((0, 0, microseconds))?,))?.call_method0("time")
    };
    let microseconds = cast(array, &DataType::Time64(TimeUnit::Microsecond)).map_err(not_cast)?;
    let numbers = cast(&microseconds, &DataType::Int64).map_err(not_cast)?;
    let times = numbers.as_primitive::<Int64Type>().iter().map(|number| number.map(time).transpose());
    PyList::new(py, times.collect::<PyResult<Vec<_>>>()?)
}

fn not_cast(cause: ArrowError) -> PyErr {
    PyTypeError::new_err(cause.to_string())
}

/// The first of January 1970, from which Arrow counts days, in days of Python.
const EPOCH: i32 = 719_163;

/// Objects of Python as values of the type of this name.
pub(crate) fn array_of(kind: &str, values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    /// Numbers of one type.
    macro_rules! numbers {
        ($type:ident) => {{
            type Native = <$type as ArrowPrimitiveType>::Native;
            let numbers: Vec<Option<Native>> = values.extract()?;
            Arc::new(numbers.into_iter().collect::<PrimitiveArray<$type>>())
        }};
    }
    let texts = || values.extract::<Vec<Option<String>>>();
    Ok(match kind {
        "bool" => Arc::new(BooleanArray::from(values.extract::<Vec<Option<bool>>>()?)),
        "int8" => numbers!(Int8Type),
        "int16" => numbers!(Int16Type),
        "int32" => numbers!(Int32Type),
        "int64" => numbers!(Int64Type),
        "uint8" => numbers!(UInt8Type),
        "uint16" => numbers!(UInt16Type),
        "uint32" => numbers!(UInt32Type),
        "uint64" => numbers!(UInt64Type),
        "float32" => numbers!(Float32Type),
        "float64" => numbers!(Float64Type),
        "string" => Arc::new(texts()?.into_iter().collect::<arrow_array::StringArray>()),
        "large_string" => Arc::new(texts()?.into_iter().collect::<arrow_array::LargeStringArray>()),
        "string_view" => Arc::new(texts()?.into_iter().collect::<arrow_array::StringViewArray>()),
        "date32" => {
            let day = |date: Bound<'_, PyAny>| date.call_method0("toordinal")?.extract::<i32>().map(|day| day - EPOCH);
            let dates = values.try_iter()?.map(|date| {
                let date = date?;
                if date.is_none() { Ok(None) } else { day(date).map(Some) }
            });
            Arc::new(dates.collect::<PyResult<PrimitiveArray<Date32Type>>>()?)
        }
        "date64" => cast(&array_of("date32", values)?, &DataType::Date64).map_err(not_cast)?,
        _ => {
            let parts = kind.strip_suffix(']').and_then(|kind| kind.split_once('['));
            match parts.and_then(|(kind, width)| Some((kind, width.parse().ok()?))) {
                Some(("uint8", width)) => Arc::new(lists::<UInt8Type>(values, width)?),
                Some(("uint64", width)) => Arc::new(lists::<UInt64Type>(values, width)?),
                Some(("binary", width)) => {
                    let bytes = values.extract::<Vec<Option<Vec<u8>>>>()?.into_iter();
                    let array = FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes, width);
                    Arc::new(array.map_err(|cause| PyTypeError::new_err(cause.to_string()))?)
                }
                _ => of_parameters(kind, values)?,
            }
        }
    })
}

/// Objects of Python as values of a type by the spelling of Arrow.
fn of_parameters(kind: &str, values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    if matches!(kind, "binary" | "largebinary") {
        let binary: BinaryArray = values.extract::<Vec<Option<Vec<u8>>>>()?.into_iter().collect();
        let wanted = if kind == "binary" { DataType::Binary } else { DataType::LargeBinary };
        return cast(&binary, &wanted).map_err(not_cast);
    }
    let parsed = kind.parse::<DataType>().ok().filter(has_parameters);
    let kind = parsed.ok_or_else(|| PyTypeError::new_err(format!("there is no column of {kind}")))?;
    let text = |value: PyResult<Bound<'_, PyAny>>| {
        let value = value?;
        (!value.is_none()).then(|| value.str().map(|text| text.to_string())).transpose()
    };
    let texts = values.try_iter()?.map(text).collect::<PyResult<LargeStringArray>>()?;
    cast(&texts, &kind).map_err(not_cast)
}

/// Lists of numbers, all of one length.
fn lists<T: ArrowPrimitiveType>(values: &Bound<'_, PyAny>, width: i32) -> PyResult<FixedSizeListArray>
where
    T::Native: for<'a, 'py> FromPyObject<'a, 'py>,
{
    let number = |number: PyResult<Bound<'_, PyAny>>| number?.extract::<T::Native>().map(Some).map_err(Into::into);
    let list = |row: PyResult<Bound<'_, PyAny>>| {
        let row = row?;
        let numbers = (!row.is_none()).then(|| row.try_iter()?.map(number).collect::<PyResult<Vec<_>>>());
        numbers.transpose()
    };
    let rows = values.try_iter()?.map(list).collect::<PyResult<Vec<_>>>()?;
    Ok(FixedSizeListArray::from_iter_primitive::<T, _, _>(rows, width))
}

/// The type of objects of Python, if all that are not None are of one type that columns have.
pub(crate) fn kind_of(values: &Bound<'_, PyList>) -> PyResult<Option<&'static str>> {
    let (mut found, mut is_unsigned) = (None, false);
    for value in values.iter().filter(|value| !value.is_none()) {
        let kind = match &*value.get_type().name()?.to_cow()? {
            "str" => "large_string",
            "bool" => "bool",
            "int" => {
                is_unsigned |= value.extract::<i64>().is_err();
                "int64"
            }
            "float" => "float64",
            "date" => "date32",
            _ => return Ok(None),
        };
        if *found.get_or_insert(kind) != kind {
            return Ok(None);
        }
    }
    if is_unsigned {
        // Hashes of 64 bits are often ids.
        return Ok(values.extract::<Vec<Option<u64>>>().is_ok().then_some("uint64"));
    }
    Ok(found)
}
