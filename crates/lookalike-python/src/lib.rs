//! `lookalike._native`: conversion to and from Python, and nothing else.
//!
//! Options come as keyword arguments of the Python part of the package and become requests, data comes as Arrow or lists, and results go back as columns of Arrow. No
//! loop over documents is here, no thread outlives a call, and Python's lock is free while a job runs.
#![allow(unsafe_code, reason = "the macros of pyo3 make the functions that Python calls")]
#![allow(clippy::needless_pass_by_value, reason = "what comes from Python is owned by the call")]

mod cells;
mod column;
mod columns;
mod composed;
mod decontaminate;
mod dedup;
mod error;
mod explain;
mod files;
mod frame;
mod ids;
mod index;
mod input;
mod job;
mod look;
mod options;
mod pairs;
mod passages;
mod records;
mod resolve;
mod sketch;
mod spark;
mod splits;
mod spool;
mod staged;
mod table;
mod tokens;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use crate::cells::Cells;
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::decontaminate::decontaminate;
    #[pymodule_export]
    use crate::dedup::{Decided, dedup};
    #[pymodule_export]
    use crate::explain::explain_link;
    #[pymodule_export]
    use crate::files::{decontaminate_files, dedup_files, extract_files, pairs_files, passages_files, splits_files};
    #[pymodule_export]
    use crate::index::Saved;
    #[pymodule_export]
    use crate::input::Input;
    #[pymodule_export]
    use crate::look::{bars, compare, curve, evaluate, fingerprint, sketch_of_text, tune};
    #[pymodule_export]
    use crate::pairs::pairs;
    #[pymodule_export]
    use crate::passages::passages;
    #[pymodule_export]
    use crate::records::{link, prints, sets};
    #[pymodule_export]
    use crate::resolve::{Resolved, resolve};
    #[pymodule_export]
    use crate::sketch::sketch;
    #[pymodule_export]
    use crate::spark::{forest_of_edges, is_small};
    #[pymodule_export]
    use crate::splits::splits;
    #[pymodule_export]
    use crate::staged::{Staged, plan_tasks, task_stages};
    #[pymodule_export]
    use crate::table::Columns;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
