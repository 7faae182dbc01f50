//! The files of tasks, and the rows that name them.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use lookalike_core::hash::bytes_hash;
use lookalike_io::stored::{Columns, TableReader, TableWriter};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::plan::Tasks;
use super::stage::TaskStage;
use crate::error::{Error, Result};

/// Result of a task: the files it wrote, and its counts. Stored as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskRow {
    /// The name of the stage.
    pub stage: String,
    /// The unit, batch or file, counted from 0.
    pub unit: usize,
    /// The attempt, which is part of the names of files.
    pub attempt: u32,
    /// The files, in an order that depends on the stage.
    pub files: Vec<TaskFile>,
    /// Duration in seconds.
    pub seconds: f64,
    /// Counts, by name.
    #[serde(flatten)]
    pub counts: Map<String, Value>,
}

/// A file that a task wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskFile {
    /// Its name below the work folder, with `/` as separator.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Number of rows, if it is a table.
    pub rows: u64,
    /// Its checksum in hexadecimal digits: XXH3-128 of those of its pieces of 1 MiB.
    pub checksum: String,
}

impl TaskRow {
    /// A count; 0 if it has none of this name.
    pub(super) fn count(&self, name: &str) -> u64 {
        self.counts.get(name).and_then(Value::as_u64).unwrap_or(0)
    }

    /// Pairs of numbers.
    pub(super) fn pairs(&self, name: &str) -> Vec<(usize, usize)> {
        self.counts.get(name).and_then(|pairs| serde_json::from_value(pairs.clone()).ok()).unwrap_or_default()
    }
}

/// Size of the pieces that a checksum is made from.
const PIECE: usize = 1 << 20;

fn checksum(path: &Path) -> Result<(u64, String)> {
    let unreadable = |cause| lookalike_io::Error::Unreadable { path: path.to_owned(), cause };
    let mut file = File::open(path).map_err(unreadable)?;
    let (mut sums, mut bytes, mut piece) = (Vec::new(), 0, Vec::with_capacity(PIECE));
    loop {
        piece.clear();
        let read = (&mut file).take(PIECE as u64).read_to_end(&mut piece).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        sums.extend(bytes_hash(&piece).to_le_bytes());
    }
    Ok((bytes, format!("{:032x}", bytes_hash(&sums))))
}

/// The files of one task, while it writes them.
pub(super) struct Outputs<'t> {
    tasks: &'t Tasks,
    stage: TaskStage,
    unit: usize,
    attempt: u32,
    start: Instant,
    files: Vec<TaskFile>,
    counts: Map<String, Value>,
}

impl<'t> Outputs<'t> {
    pub(super) fn new(tasks: &'t Tasks, stage: TaskStage, unit: usize, attempt: u32) -> Self {
        let (start, files, counts) = (Instant::now(), Vec::new(), Map::new());
        Self { tasks, stage, unit, attempt, start, files, counts }
    }

    /// Notes a count, or anything else that is JSON.
    pub(super) fn note(&mut self, name: &str, value: impl Into<Value>) {
        self.counts.insert(name.to_owned(), value.into());
    }

    /// Writes a table; the name of its file ends with `suffix`.
    pub(super) fn table<T>(
        &mut self,
        suffix: &str,
        columns: Columns<'_>,
        write: impl FnOnce(&mut TableWriter) -> Result<T>,
    ) -> Result<T> {
        let mut rows = 0;
        let done = self.file(suffix, |path| {
            let mut writer = TableWriter::create(path, columns)?;
            let done = write(&mut writer)?;
            rows = writer.finish()?;
            Ok(Some(done))
        })?;
        if let Some(file) = self.files.last_mut() {
            file.rows = rows;
        }
        Ok(done.expect("a table is always written"))
    }

    /// Writes a file, unless `write` has none to write: it is complete or absent under its name.
    pub(super) fn file<T>(
        &mut self,
        suffix: &str,
        write: impl FnOnce(&Path) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        let name = format!("{}/{:06}-a{}{suffix}", self.stage, self.unit, self.attempt);
        let path = self.tasks.folder().join(&name);
        let folder = path.parent().unwrap_or(&path);
        let unwritable = |cause| lookalike_io::Error::Unwritable { path: path.clone(), cause };
        fs::create_dir_all(folder).map_err(unwritable)?;
        // Two processes may make the same attempt.
        let part = path.with_file_name(format!(
            "{}.{}.part",
            path.file_name().unwrap_or_default().to_string_lossy(),
            std::process::id()
        ));
        let written = write(&part);
        if !matches!(written, Ok(Some(_))) {
            // An incomplete file is useless.
            let _ = fs::remove_file(&part);
            return written;
        }
        let (bytes, checksum) = checksum(&part)?;
        fs::rename(&part, &path).map_err(unwritable)?;
        self.files.push(TaskFile { name, bytes, rows: 0, checksum });
        written
    }

    /// The row of the task.
    pub(super) fn finish(self) -> TaskRow {
        let Self { stage, unit, attempt, start, files, counts, .. } = self;
        let seconds = start.elapsed().as_secs_f64();
        TaskRow { stage: stage.name().to_owned(), unit, attempt, files, seconds, counts }
    }
}

impl Tasks {
    /// The path of a row.
    fn row_path(&self, stage: TaskStage, unit: usize) -> PathBuf {
        self.folder().join(stage.name()).join(format!("{unit:06}.json"))
    }

    /// Makes the files of a row count.
    ///
    /// # Errors
    ///
    /// If the row cannot be written.
    pub fn accept(&self, row: &TaskRow) -> Result<()> {
        let stage: TaskStage = row.stage.parse().map_err(|_| damaged(&row.stage))?;
        let path = self.row_path(stage, row.unit);
        let unwritable = |cause| lookalike_io::Error::Unwritable { path: path.clone(), cause };
        fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(unwritable)?;
        let part = path.with_extension(format!("{}.part", std::process::id()));
        let mut file = File::create(&part).map_err(unwritable)?;
        let written = serde_json::to_writer(&mut file, row).map_err(std::io::Error::from);
        written.and_then(|()| file.write_all(b"\n")).and_then(|()| file.sync_all()).map_err(unwritable)?;
        drop(file);
        fs::rename(&part, &path).map_err(unwritable)?;
        Ok(())
    }

    /// The units of a stage that have no accepted row.
    ///
    /// # Errors
    ///
    /// If the number of units is not known yet, because an earlier stage is not complete.
    pub fn missing(&self, stage: TaskStage) -> Result<Vec<usize>> {
        Ok((0..self.unit_count(stage)?).filter(|unit| !self.row_path(stage, *unit).is_file()).collect())
    }

    /// The accepted rows of a stage that is complete.
    pub(super) fn rows(&self, stage: TaskStage) -> Result<Vec<TaskRow>> {
        let missing = self.missing(stage)?;
        if let Some(first) = missing.first() {
            return Err(Error::IncompleteStage { stage: stage.name(), missing: missing.len(), first: *first });
        }
        (0..self.unit_count(stage)?).map(|unit| self.row(stage, unit)).collect()
    }

    /// The accepted row of a unit.
    pub(super) fn row(&self, stage: TaskStage, unit: usize) -> Result<TaskRow> {
        let path = self.row_path(stage, unit);
        let Ok(bytes) = fs::read(&path) else {
            return Err(Error::IncompleteStage { stage: stage.name(), missing: 1, first: unit });
        };
        serde_json::from_slice(&bytes).map_err(|_| damaged(&path.display().to_string()))
    }

    /// Checks a file of a row, and returns its path.
    pub(super) fn checked(&self, row: &TaskRow, at: usize) -> Result<PathBuf> {
        let file = row.files.get(at).ok_or_else(|| damaged(&format!("{}/{:06}.json", row.stage, row.unit)))?;
        let path = self.folder().join(&file.name);
        if self.is_checked(&file.name) {
            return Ok(path);
        }
        match checksum(&path) {
            Ok((bytes, sum)) if bytes == file.bytes && sum == file.checksum => {
                self.set_checked(&file.name);
                Ok(path)
            }
            _ => Err(damaged(&file.name)),
        }
    }

    /// Opens a table of a row.
    pub(super) fn open_table(&self, row: &TaskRow, at: usize, columns: Columns<'_>) -> Result<TableReader> {
        Ok(TableReader::open(&self.checked(row, at)?, columns)?)
    }
}

pub(super) fn damaged(file: &str) -> Error {
    Error::DamagedTaskFile { file: file.to_owned() }
}
