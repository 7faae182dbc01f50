//! A run of `dedup` in tasks: stages that share nothing but files, so that processes, machines or a cluster's engine
//! run them, in any order and as often as they like. The result is that of [`dedup()`](crate::dedup()), byte for byte.
//!
//! ```text
//! plan → S1 sketch → S2 rank → S3 buckets → S4 families → S5 pack → S6 gather → S7 resolve → decide → S8 write → commit
//!        per unit                                                   per unit    per batch              per file
//! ```
//!
//! A task writes files with the number of its attempt in their names, and returns a [`TaskRow`], which names them. Only
//! the rows that are [accepted](Tasks::accept) count. A run therefore resumes wherever rows are missing.
//!
//! ```
//! use lookalike::tasks::{TaskSizes, TaskStage, Tasks};
//! use lookalike::Silent;
//! use serde_json::{Map, json};
//!
//! # let folder = tempfile::tempdir()?;
//! # let [news, clean, work] = ["news.jsonl", "clean", "work"].map(|name| folder.path().join(name));
//! # std::fs::write(&news, "{\"text\":\"the storm hit the coast\"}\n{\"text\":\"The storm hit the coast!\"}\n")?;
//! let options = Map::from_iter([("inputs".to_owned(), json!([news])), ("output".to_owned(), json!(clean))]);
//! let tasks = Tasks::plan(options, &work, TaskSizes::default(), &Silent)?;
//! for stage in TaskStage::ALL {
//!     for unit in tasks.missing(stage)? {
//!         let row = tasks.task(stage, unit, 0, &Silent)?;
//!         tasks.accept(&row)?;
//!     }
//! }
//! assert_eq!(std::fs::read_to_string(clean.join("kept/news.jsonl"))?, "{\"text\":\"the storm hit the coast\"}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buckets;
mod decide;
mod estimate;
mod families;
mod files;
mod gather;
mod gathered;
mod plan;
mod rank;
mod resolve;
mod sketch;
mod stage;
mod write;

pub use estimate::TaskNeeds;
pub use files::{TaskFile, TaskRow};
pub use plan::{TaskSizes, Tasks};
pub use stage::TaskStage;

use lookalike_core::ids::Document;
use lookalike_core::method::Method;
use lookalike_core::scheme::Scheme;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::Unit;

use crate::corpus::{Corpus, Kept, Reading};
use crate::error::Result;
use crate::progress::Progress;
use crate::resources::work::Work;

/// Number of attempts to read a unit before it is skipped.
const ATTEMPTS: u32 = 3;

/// Context of a task: everything it needs in addition to its unit.
struct Context<'t> {
    tasks: &'t Tasks,
    scheme: &'t Scheme,
    method: Box<dyn Method>,
    work: Work,
    progress: &'t dyn Progress,
}

impl<'t> Context<'t> {
    fn new(tasks: &'t Tasks, progress: &'t dyn Progress) -> Self {
        let options = tasks.options();
        let work = Work::of_task(options.resources.memory, tasks.key(), progress.unfinished());
        Self { tasks, scheme: &options.scheme, method: options.scheme.build_method(), work, progress }
    }

    fn reading<'r>(&'r self, keeps: Kept, only: Option<&'r [Unit]>) -> Reading<'r> {
        Reading {
            options: &self.tasks.options().read,
            similarity: self.scheme,
            method: &*self.method,
            work: &self.work,
            progress: self.progress,
            keeps,
            only,
        }
    }

    fn shelf(&self) -> &'t Shelf {
        self.tasks.shelf()
    }

    /// The corpus of all blocks that S1 has stored.
    fn corpus(&self) -> Result<Corpus> {
        let rows = self.tasks.rows(TaskStage::Sketch)?;
        let stored = rows.iter().flat_map(|row| sketch::Stored::of(self.tasks, row));
        let reading = self.reading(Kept::Sketches, None);
        Corpus::of_stored(self.shelf().anew(), self.tasks.input_files(), reading, stored)
    }

    /// The unit of the plan and the number there of documents, which ascend.
    fn placed(&self, corpus: &Corpus, documents: &[Document]) -> Vec<(usize, u32)> {
        let units = self.tasks.units();
        let starts = corpus.unit_starts();
        let place = |document: &Document| {
            let at = starts.partition_point(|(.., first)| *first <= document.0) - 1;
            // Units without documents start where the next one does.
            let (file, number, first) = starts[at];
            let unit = units.binary_search_by_key(&(file, number), |unit| (unit.file, unit.number));
            (unit.unwrap_or_default(), document.0 - first)
        };
        documents.iter().map(place).collect()
    }
}
