//! Reads the folder of a finished result: its tables, its clusters, and the model.

use std::path::Path;

use lookalike_core::link::config::Config;
use lookalike_core::link::records::Records;
use lookalike_core::link::weigh::{Frequencies, Model};
use lookalike_core::table::Table;
use lookalike_io::read::Settings;
use lookalike_io::table::{ReadTable, read_table};
use serde::{Deserialize, Serialize};

use super::need::Need;
use super::tables::Tables;
use crate::error::{Error, Result};
use crate::resources::memory::Memory;

/// The model and the threshold of a result: `model.json`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Decided {
    /// The minimum probability of matches.
    pub(super) threshold: f64,
    /// The weight of each level of each field.
    pub(super) model: Model,
    /// True if pairs that share keys of only one field were left out because there were too many.
    #[serde(default)]
    pub(super) one_field_left_out: bool,
}

impl Decided {
    /// The content of `model.json`.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("keys are strings") + "\n"
    }
}

/// Creates the error for a folder whose result is incomplete or inconsistent.
type Refuse = fn(&Path, String) -> Error;

/// A finished result.
pub(super) struct Finished<'a> {
    pub(super) folder: &'a Path,
    pub(super) memory: Memory,
    pub(super) refuse: Refuse,
}

/// The columns that precede those of the table in `linked.csv`; they are followed by `table` if there are several.
pub(super) const OWN_COLUMNS: [&str; 2] = ["cluster", "best"];
pub(super) const TABLE: &str = "table";

/// The name of a table's column in `linked.csv`: an underscore is added if the file has its own column of that name.
pub(super) fn linked_name(name: &str) -> String {
    if name == TABLE || OWN_COLUMNS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// True if a folder has a result of linking.
pub fn is_link_result(folder: &Path) -> bool {
    ["model.json", "linked.csv", "link.toml"].iter().all(|name| folder.join(name).is_file())
}

impl Finished<'_> {
    pub(super) fn refused(&self, reason: impl Into<String>) -> Error {
        (self.refuse)(self.folder, reason.into())
    }

    fn text(&self, name: &str) -> Result<String> {
        std::fs::read_to_string(self.folder.join(name)).map_err(|error| self.refused(format!("{name}: {error}")))
    }

    pub(super) fn config(&self) -> Result<Config> {
        let text = self.text("link.toml")?;
        toml::from_str(&text).map_err(|error| self.refused(format!("link.toml: {}", error.message())))
    }

    pub(super) fn decided(&self) -> Result<Decided> {
        let text = self.text("model.json")?;
        serde_json::from_str(&text).map_err(|error| self.refused(format!("model.json: {error}")))
    }

    /// Checks that the model belongs to the records that the config creates.
    pub(super) fn check(&self, model: &Model, records: &Records) -> Result<()> {
        model.check(records).map_err(|error| match error {
            lookalike_core::Error::OtherFields { .. } => {
                self.refused("link.toml was changed since, and other columns are compared: link everything again")
            }
            error => self.refused(error.to_string()),
        })
    }

    /// Reads the weights by the rarity of values from `frequencies.bin`: for each field the number of its values, and
    /// then one number per value.
    pub(super) fn frequencies(&self, value_counts: &[usize]) -> Result<Frequencies> {
        const NAME: &str = "frequencies.bin";
        let bytes = std::fs::read(self.folder.join(NAME)).map_err(|error| self.refused(format!("{NAME}: {error}")))?;
        let mut words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
        let mut all = Vec::new();
        for count in value_counts {
            if words.next().map(u32::from_le_bytes) != Some(*count as u32) {
                return Err(self.refused("linked.csv or link.toml was changed since: link everything again"));
            }
            all.push(words.by_ref().take(*count).map(f32::from_le_bytes).collect::<Vec<_>>());
        }
        if all.iter().map(Vec::len).ne(value_counts.iter().copied()) {
            return Err(self.refused(format!("{NAME} is cut short")));
        }
        Ok(Frequencies::from_all(all))
    }

    /// A table of the result.
    pub(super) fn table(&self, name: &str) -> Result<Table> {
        let settings = Settings { delimiter: Some(b','), ..Settings::default() };
        let go_on = |reading| Need::of_reading(reading).check_held(self.memory);
        Ok(read_table(&[self.folder.join(name)], None, &settings, go_on)?.table)
    }

    /// The records of the result as they were read, and the cluster of each.
    pub(super) fn records(&self, config: &Config) -> Result<(Tables, Vec<u64>)> {
        let linked = self.table("linked.csv")?;
        let mut own = OWN_COLUMNS.len();
        if linked.names().iter().take(own).ne(OWN_COLUMNS.iter()) {
            return Err(self.refused("linked.csv has other columns"));
        }
        let clusters = linked.column(0).iter().map(str::parse::<u64>).collect::<std::result::Result<Vec<_>, _>>();
        let clusters = clusters.map_err(|_| self.refused("a cluster of linked.csv is not a number"))?;
        let is_several = linked.names().get(own).is_some_and(|name| name == TABLE);
        let numbers: Vec<usize> = if is_several {
            let numbers = linked.column(own).iter().map(str::parse).collect::<std::result::Result<Vec<_>, _>>();
            own += 1;
            numbers.map_err(|_| self.refused("a table of linked.csv is not a number"))?
        } else {
            vec![1; linked.row_count()]
        };
        if !numbers.is_sorted() || numbers.first() != Some(&1) {
            return Err(self.refused("the tables of linked.csv are in another order"));
        }
        let row_counts: Vec<usize> = numbers.chunk_by(|left, right| left == right).map(<[usize]>::len).collect();
        let unmarked = |name: &String| {
            let bare = name.strip_suffix('_').filter(|bare| linked_name(bare) == *name);
            bare.unwrap_or(name).to_owned()
        };
        let names: Vec<String> = linked.names()[own..].iter().map(unmarked).collect();
        // Links between two tables remain links between two tables.
        let is_between = is_several && row_counts.len() == 2 && !config.within;
        let split = if is_between { row_counts[0] } else { linked.row_count() };
        let mut parts = [Table::new(names.clone()), Table::new(names)];
        for row in 0..linked.row_count() {
            parts[usize::from(row >= split)].push(&linked.row(row).skip(own).collect::<Vec<_>>())?;
        }
        let [first, second] = parts.map(|table| ReadTable::of("linked.csv", table));
        Ok((Tables { first, second: is_between.then_some(second), row_counts }, clusters))
    }
}
