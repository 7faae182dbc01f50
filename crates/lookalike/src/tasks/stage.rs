//! The stages of a run in tasks, by name.

use std::fmt;
use std::str::FromStr;

/// A stage of a run in tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TaskStage {
    /// S1: reads and sketches a unit.
    Sketch,
    /// S2: joins copies, and puts texts in keep order.
    Rank,
    /// S3: finds texts that share a bucket.
    Buckets,
    /// S4: joins these to families.
    Families,
    /// S5: packs whole families into batches.
    Pack,
    /// S6: reads a unit again, for the texts that are in a batch.
    Gather,
    /// S7: decides on a batch.
    Resolve,
    /// Spreads decisions over all documents, and writes the evidence.
    Decide,
    /// S8: writes the kept documents of a file.
    Write,
    /// Moves everything into place.
    Commit,
}

impl TaskStage {
    /// All stages, in order.
    pub const ALL: [Self; 10] = [
        Self::Sketch,
        Self::Rank,
        Self::Buckets,
        Self::Families,
        Self::Pack,
        Self::Gather,
        Self::Resolve,
        Self::Decide,
        Self::Write,
        Self::Commit,
    ];

    /// Its name, which is that of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sketch => "S1",
            Self::Rank => "S2",
            Self::Buckets => "S3",
            Self::Families => "S4",
            Self::Pack => "S5",
            Self::Gather => "S6",
            Self::Resolve => "S7",
            Self::Decide => "decide",
            Self::Write => "S8",
            Self::Commit => "commit",
        }
    }
}

impl fmt::Display for TaskStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TaskStage {
    type Err = String;

    /// Parses the name of a stage; the error names all stages.
    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|stage| stage.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|stage| stage.name()).collect();
            format!("there is no stage {name}: the stages are {}", names.join(", "))
        })
    }
}
