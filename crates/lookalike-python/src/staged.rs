//! Runs in tasks: the plan, and the stages one task at a time.

use std::path::{Path, PathBuf};

use lookalike::Resources;
use lookalike::tasks::{TaskRow, TaskSizes, TaskStage, Tasks};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::job::Runner;
use crate::options::options;

/// Plans a run, and writes the plan to the work folder.
#[pyfunction]
#[pyo3(signature = (given, work, unit_bytes=None, batch_bytes=None))]
pub(crate) fn plan_tasks(
    py: Python<'_>,
    given: &Bound<'_, PyDict>,
    work: PathBuf,
    unit_bytes: Option<u64>,
    batch_bytes: Option<u64>,
) -> PyResult<()> {
    let (options, mut sizes) = (options(given)?, TaskSizes::default());
    sizes.unit_bytes = unit_bytes.unwrap_or(sizes.unit_bytes);
    sizes.batch_bytes = batch_bytes.unwrap_or(sizes.batch_bytes);
    Runner::new(&Resources::default(), None).run(py, |progress| Tasks::plan(options, &work, sizes, progress).map(drop))
}

/// A run that was planned.
#[pyclass(frozen, module = "lookalike._native")]
pub(crate) struct Staged {
    tasks: Tasks,
    threads: usize,
}

#[pymethods]
impl Staged {
    /// Opens the plan of a work folder; a task runs on this many threads.
    #[new]
    #[pyo3(signature = (work, threads=1))]
    fn new(py: Python<'_>, work: PathBuf, threads: usize) -> PyResult<Self> {
        let tasks = py.detach(|| Tasks::open(&work)).map_err(|error| error::raise(py, &error))?;
        Ok(Self { tasks, threads: threads.max(1) })
    }

    /// The number of units of a stage.
    fn units(&self, py: Python<'_>, stage: &str) -> PyResult<usize> {
        let stage = stage_of(py, stage)?;
        self.tasks.unit_count(stage).map_err(|error| error::raise(py, &error))
    }

    /// The units of a stage that have no accepted row.
    fn missing(&self, py: Python<'_>, stage: &str) -> PyResult<Vec<usize>> {
        let stage = stage_of(py, stage)?;
        self.tasks.missing(stage).map_err(|error| error::raise(py, &error))
    }

    /// Does a unit of a stage, and returns its row as JSON. It counts once it is accepted.
    fn task(&self, py: Python<'_>, stage: &str, unit: usize, attempt: u32) -> PyResult<String> {
        let stage = stage_of(py, stage)?;
        let row = self.runner().run(py, |progress| self.tasks.task(stage, unit, attempt, progress))?;
        Ok(json(&row))
    }

    /// Makes the files of a row count, which is JSON.
    fn accept(&self, py: Python<'_>, row: &str) -> PyResult<()> {
        let row: TaskRow = serde_json::from_str(row)
            .map_err(|_| error::option(py, "row", "wrong_type", "row must be what a task returned"))?;
        self.tasks.accept(&row).map_err(|error| error::raise(py, &error))
    }

    /// Does the units of a part of a stage that have no accepted row, accepts their rows, and returns them as JSON.
    fn part(&self, py: Python<'_>, stage: &str, part: usize, parts: usize) -> PyResult<String> {
        let stage = stage_of(py, stage)?;
        let rows = self.runner().run(py, |progress| self.tasks.part(stage, part, parts, progress))?;
        Ok(json(&rows))
    }

    /// Estimates what the run needs, from units of about this many bytes in all. Returns it as JSON.
    fn estimate(&self, py: Python<'_>, sample_bytes: u64) -> PyResult<String> {
        let needs = self.runner().run(py, |progress| self.tasks.estimate(sample_bytes, progress))?;
        Ok(json(&needs))
    }

    /// The work folder.
    #[getter]
    fn work(&self) -> &Path {
        self.tasks.folder()
    }
}

impl Staged {
    fn runner(&self) -> Runner {
        Runner::on(self.threads)
    }
}

/// The names of all stages, in order.
#[pyfunction]
pub(crate) fn task_stages() -> Vec<&'static str> {
    TaskStage::ALL.iter().map(|stage| stage.name()).collect()
}

fn stage_of(py: Python<'_>, name: &str) -> PyResult<TaskStage> {
    name.parse().map_err(|message: String| error::option(py, "stage", "unknown_word", &message))
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("keys are strings")
}
