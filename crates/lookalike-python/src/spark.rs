//! Steps between the tasks of `lookalike.spark`.

use lookalike::core::bucket::forest;
use lookalike::core::method::Exact;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error;

/// Bytes of a number in a buffer.
const WIDTH: usize = size_of::<u64>();

/// True if this many texts with this many features are joined exactly unless a method is requested.
#[pyfunction]
pub(crate) fn is_small(text_count: usize, feature_count: u64) -> bool {
    Exact::is_cheap(text_count, feature_count)
}

/// Reduces edges to those from the smallest item of each group to its other members. Both columns are the little-endian
/// 64-bit numbers of an Arrow buffer, and so is the result.
#[pyfunction]
pub(crate) fn forest_of_edges<'py>(
    py: Python<'py>,
    left: &[u8],
    right: &[u8],
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    if left.len() != right.len() || !left.len().is_multiple_of(WIDTH) {
        return Err(error::option(
            py,
            "left",
            "wrong_type",
            "left= and right= must be numbers of 64 bits, as many in both",
        ));
    }
    let edges: Vec<(u64, u64)> = numbers(left).zip(numbers(right)).collect();
    let reduced = py.detach(|| forest::forest(&edges));
    let column = |take: fn(&(u64, u64)) -> u64| {
        let bytes: Vec<u8> = reduced.iter().flat_map(|edge| take(edge).to_le_bytes()).collect();
        PyBytes::new(py, &bytes)
    };
    Ok((column(|edge| edge.0), column(|edge| edge.1)))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks_exact(WIDTH).map(|number| u64::from_le_bytes(number.try_into().expect("a chunk has this width")))
}
