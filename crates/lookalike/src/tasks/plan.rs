//! S0: the request, the files and the units of a run, in a file that every task reads.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lookalike_core::hash::{Key, bytes_hash};
use lookalike_core::method::Weights;
use lookalike_core::remedy::JobOption;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::{UNIT_BYTES, Unit, units};
use lookalike_io::work::{Earlier, WorkOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::files::TaskRow;
use super::stage::TaskStage;
use super::{Context, buckets, decide, families, gather, rank, resolve, sketch, write};
use crate::error::{Error, Result};
use crate::options::{CompareWith, DedupOptions, MethodOptions};
use crate::progress::Progress;
use crate::refused::Refused;
use crate::request::DedupRequest;
use crate::resources::work::label;
use crate::run::Files;

/// The name of the plan in the work folder.
const PLAN: &str = "plan.json";

/// The version of the files between stages.
const VERSION: u32 = 1;

/// The plan of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Plan {
    version: u32,
    lookalike: String,
    job: String,
    /// The options of the request, by name.
    options: Map<String, Value>,
    /// The secret key of the run.
    key: String,
    /// Identifies the input, the options and the version.
    label: String,
    sizes: TaskSizes,
    /// The folder that relative names are relative to.
    working_folder: Option<PathBuf>,
    /// The file and number of each unit.
    units: Vec<(u32, u32)>,
}

/// Sizes of tasks. The result does not depend on them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskSizes {
    /// Approximate bytes of a unit of input, before decompression: files of more than twice as many are cut, if they
    /// can be.
    pub unit_bytes: u64,
    /// Approximate bytes of text in a batch of S7.
    pub batch_bytes: u64,
}

impl Default for TaskSizes {
    fn default() -> Self {
        Self { unit_bytes: UNIT_BYTES, batch_bytes: UNIT_BYTES }
    }
}

/// A run of `dedup` in tasks: its plan, and the stages.
pub struct Tasks {
    folder: PathBuf,
    plan: Plan,
    key: Key,
    options: DedupOptions,
    files: Files,
    units: Vec<Unit>,
    /// The files whose checksums are known to be right.
    checked: Mutex<HashSet<String>>,
}

impl Tasks {
    /// Plans a run: `options` are those of [`DedupRequest`] by name, with `inputs` and `output` among them.
    ///
    /// # Errors
    ///
    /// If the request is refused, something in it cannot be done in tasks, the input cannot be found, or `folder` has
    /// the plan of another run.
    pub fn plan(options: Map<String, Value>, folder: &Path, sizes: TaskSizes, progress: &dyn Progress) -> Result<Self> {
        let mut given = options;
        let checked = check(given.clone(), folder)?;
        // Values that depend on the machine are fixed for all tasks, because the units that are read must not depend on
        // it.
        let resources = &checked.resources;
        given.entry("memory").or_insert_with(|| resources.memory.bytes().into());
        given.entry("threads").or_insert_with(|| resources.threads.into());
        let options = check(given.clone(), folder)?;
        let (files, label) = find(&options, folder)?;
        progress.go_on()?;
        if let Ok(earlier) = read(folder) {
            return if earlier.label == label { Self::of(folder, earlier, options, files) } else { Err(other(folder)) };
        }
        // After hours, when everything is written, it would be too late to refuse the output.
        write::check_target(&options, &files.shelf, progress)?;
        let sizes = TaskSizes { unit_bytes: sizes.unit_bytes.max(1), batch_bytes: sizes.batch_bytes.max(1) };
        let units = units(files.shelf.files(), &options.read.settings.unlimited(), sizes.unit_bytes)?;
        let key = Key::random();
        let plan = Plan {
            version: VERSION,
            lookalike: env!("CARGO_PKG_VERSION").to_owned(),
            job: "dedup".to_owned(),
            options: given,
            key: format!("{:032x}", key.value().unwrap_or_default()),
            label,
            sizes,
            working_folder: std::env::current_dir().ok(),
            units: units.iter().map(|unit| (unit.file, unit.number)).collect(),
        };
        write_plan(folder, &plan)?;
        Self::of(folder, plan, options, files)
    }

    /// Opens a run that was planned.
    ///
    /// # Errors
    ///
    /// If the folder has no plan, or the input is not the one that it was made for.
    pub fn open(folder: &Path) -> Result<Self> {
        let plan = read(folder)?;
        if plan.version != VERSION || plan.lookalike != env!("CARGO_PKG_VERSION") {
            return Err(other(folder));
        }
        let options = check(plan.options.clone(), folder)?;
        let (files, label) = find(&options, folder)?;
        if label != plan.label {
            return Err(other(folder));
        }
        Self::of(folder, plan, options, files)
    }

    fn of(folder: &Path, plan: Plan, options: DedupOptions, files: Files) -> Result<Self> {
        let units = units(files.shelf.files(), &options.read.settings.unlimited(), plan.sizes.unit_bytes)?;
        if !units.iter().map(|unit| (unit.file, unit.number)).eq(plan.units.iter().copied()) {
            return Err(other(folder));
        }
        let key = u128::from_str_radix(&plan.key, 16).map_err(|_| other(folder))?;
        let checked = Mutex::default();
        Ok(Self { folder: folder.to_owned(), key: Key::new(key), plan, options, files, units, checked })
    }

    /// Number of units of a stage: of the input for S1 and S6, batches for S7, files for S8, and one for the others.
    ///
    /// # Errors
    ///
    /// For S7, if S5 is not complete.
    pub fn unit_count(&self, stage: TaskStage) -> Result<usize> {
        Ok(match stage {
            TaskStage::Sketch | TaskStage::Gather => self.units.len(),
            TaskStage::Resolve => self.row(TaskStage::Pack, 0)?.count("batches") as usize,
            TaskStage::Write => self.input_files(),
            _ => 1,
        })
    }

    /// Does one unit of a stage. The result counts once its row is [accepted](Self::accept).
    ///
    /// # Errors
    ///
    /// If an earlier stage is not complete, a file is damaged, or nothing can be written. A unit of input that cannot
    /// be read is no error: it is skipped, and reported in the summary.
    pub fn task(&self, stage: TaskStage, unit: usize, attempt: u32, progress: &dyn Progress) -> Result<TaskRow> {
        let context = Context::new(self, progress);
        if unit >= self.unit_count(stage)? {
            return Err(Error::NoSuchTask { stage: stage.name(), unit, count: self.unit_count(stage)? });
        }
        match stage {
            TaskStage::Sketch => sketch::sketch(&context, unit, attempt),
            TaskStage::Rank => rank::rank(&context, attempt),
            TaskStage::Buckets => buckets::buckets(&context, attempt),
            TaskStage::Families => families::families(&context, attempt),
            TaskStage::Pack => families::pack(&context, attempt),
            TaskStage::Gather => gather::gather(&context, unit, attempt),
            TaskStage::Resolve => resolve::resolve(&context, unit, attempt),
            TaskStage::Decide => decide::decide(&context, attempt),
            TaskStage::Write => write::write(&context, unit, attempt),
            TaskStage::Commit => write::commit(&context, attempt),
        }
    }

    /// Does the units of a part of a stage that have no accepted row, and accepts theirs: those whose number divided by
    /// `parts` leaves `part`.
    ///
    /// # Errors
    ///
    /// As [`Self::task`].
    pub fn part(&self, stage: TaskStage, part: usize, parts: usize, progress: &dyn Progress) -> Result<Vec<TaskRow>> {
        let own = |unit: &usize| unit % parts.max(1) == part;
        let mut rows = Vec::new();
        for unit in self.missing(stage)?.into_iter().filter(own) {
            progress.go_on()?;
            let row = self.task(stage, unit, 0, progress)?;
            self.accept(&row)?;
            rows.push(row);
        }
        Ok(rows)
    }

    /// The work folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn options(&self) -> &DedupOptions {
        &self.options
    }

    pub(super) fn key(&self) -> Key {
        self.key
    }

    pub(super) fn shelf(&self) -> &Shelf {
        &self.files.shelf
    }

    /// Number of files of the input; those of the reference follow.
    pub(super) fn input_files(&self) -> usize {
        self.files.input_count
    }

    /// The units of all files, in order.
    pub(super) fn units(&self) -> &[Unit] {
        &self.units
    }

    pub(super) fn batch_bytes(&self) -> u64 {
        self.plan.sizes.batch_bytes
    }

    pub(super) fn is_checked(&self, file: &str) -> bool {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner).contains(file)
    }

    pub(super) fn set_checked(&self, file: &str) {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner).insert(file.to_owned());
    }
}

/// Checks a request, and that tasks can do what it asks for.
fn check(options: Map<String, Value>, folder: &Path) -> Result<DedupOptions> {
    for option in [JobOption::Work, JobOption::Resume] {
        if options.contains_key(option.name()) {
            return Err(Refused::unknown_option(option.name(), std::iter::empty()).into());
        }
    }
    let counts_input = options.contains_key(JobOption::MaxInput.name());
    let mut checked = DedupRequest::from_options(options)?.check()?;
    let not = |what, instead| Err(Error::NotInTasks { what, instead });
    if counts_input {
        return not("a limit on the whole input", "leave it out: a task reads one unit of the input");
    }
    if checked.is_stream {
        return not("a stream of documents", "name a folder for the output");
    }
    if matches!(checked.compare_with, CompareWith::Index(_)) {
        return not("a comparison with a saved index", "compare with the files that it was made from");
    }
    if checked.learn_boilerplate.is_some() {
        return not("learning boilerplate", "learn it with `lookalike boilerplate`, and name the file");
    }
    if checked.removed.is_some() || checked.report_file.is_some() {
        return not("a file of its own for the evidence or the report", "name a folder for the output");
    }
    if matches!(checked.scheme.method(), MethodOptions::SimHash { weights: Weights::Idf, .. }) {
        return not("weighting shingles by their frequency", "use another weight");
    }
    // A report quotes texts: `lookalike report` writes it afterwards.
    checked.report = None;
    checked.work = WorkOptions { folder: Some(folder.to_owned()), earlier: Earlier::Resume, ..WorkOptions::default() };
    Ok(checked)
}

/// Finds the files, and identifies them and the options.
fn find(options: &DedupOptions, folder: &Path) -> Result<(Files, String)> {
    let written = options.folder.as_deref();
    let files = Files::find(&options.read, options.compare_with.reference(), written, &options.work)?;
    let mut lines = label(&files.shelf, &options.label(), Earlier::Resume)?;
    lines.push(format!("output {:?}, {:?}, source {:?}", options.folder, options.output, options.source));
    lines.push(format!("work {}", folder.display()));
    Ok((files, format!("{:032x}", bytes_hash(lines.join("\0").as_bytes()))))
}

fn read(folder: &Path) -> Result<Plan> {
    let path = folder.join(PLAN);
    let bytes = fs::read(&path).map_err(|cause| lookalike_io::Error::Unreadable { path, cause })?;
    serde_json::from_slice(&bytes).map_err(|_| other(folder))
}

fn write_plan(folder: &Path, plan: &Plan) -> Result<()> {
    let unwritable = |cause| lookalike_io::Error::Unwritable { path: folder.to_owned(), cause };
    fs::create_dir_all(folder).map_err(unwritable)?;
    let (part, path) = (folder.join("plan.json.part"), folder.join(PLAN));
    let bytes = serde_json::to_vec_pretty(plan).expect("a plan is numbers and texts");
    // Only the owner may read the key.
    let mut open = fs::OpenOptions::new();
    open.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    let mut file = open.open(&part).map_err(unwritable)?;
    std::io::Write::write_all(&mut file, &bytes).and_then(|()| file.sync_all()).map_err(unwritable)?;
    drop(file);
    fs::rename(part, path).map_err(unwritable)?;
    Ok(())
}

fn other(folder: &Path) -> Error {
    Error::OtherPlan { folder: folder.to_owned() }
}
