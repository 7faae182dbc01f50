//! Files and tables in memory to tables: each as it was read; or several as one, whose records are linked within their
//! tables as well.

use std::ops::Range;
use std::slice;

use lookalike_core::Error as CoreError;
use lookalike_core::ids::{Number, Record};
use lookalike_core::link::config::{Config, Kind};
use lookalike_core::link::guess::guess_two;
use lookalike_core::link::normalize::{Date, DateOrder};
use lookalike_core::link::partner::partners;
use lookalike_core::packed::Strings;
use lookalike_core::table::Table;
use lookalike_io::read::Settings;
use lookalike_io::table::{ReadTable, Reading, read_table_except};

use super::LinkOptions;
use super::need::Need;
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Tables as they were read.
#[derive(Debug)]
pub(super) struct Tables {
    /// The first table; all of them, where they are one.
    pub(super) first: ReadTable,
    /// The second of two tables between which links are searched for.
    pub(super) second: Option<ReadTable>,
    /// Records of each table that was given.
    pub(super) row_counts: Vec<usize>,
}

impl Tables {
    pub(super) fn read(options: &LinkOptions, progress: &dyn Progress) -> Result<Self> {
        let settings = Settings {
            longest: options.resources.longest,
            limit: options.resources.limit.anew().with_window_log(options.resources.memory.window_log(1)),
            ..Settings::default()
        };
        let mut read: Vec<ReadTable> = Vec::new();
        let need =
            |read: &[ReadTable]| read.iter().fold(Need::default(), |need, read| need.and(Need::of_table(&read.table)));
        let held = |reading: Reading, before: Need| {
            progress.go_on()?;
            before.and(Need::of_reading(reading)).check_held(options.resources.memory)
        };
        for path in &options.tables {
            let before = need(&read);
            let go_on = |reading| held(reading, before);
            let (exclude, output) = (&options.resources.exclude, options.folder.as_deref());
            let table = read_table_except(slice::from_ref(path), exclude, output, &settings, go_on)?;
            table.require_rows()?;
            read.push(table);
        }
        for table in &options.in_memory {
            let before = need(&read);
            let table = table.read(options.resources.longest, |reading| held(reading, before))?;
            table.require_rows()?;
            read.push(table);
        }
        if read.is_empty() {
            let (name, reason) = ("the input".to_owned(), "there is none".to_owned());
            let advice = "give at least one table";
            return Err(lookalike_io::Error::UnusableTable { name, reason, advice }.into());
        }
        let row_counts = read.iter().map(|read| read.table.row_count()).collect();
        if options.within || read.len() > 2 {
            return Ok(Self { first: joined(read, options)?, second: None, row_counts });
        }
        let mut read = read.into_iter();
        let first = read.next().expect("there is a table");
        Ok(Self { first, second: read.next(), row_counts })
    }

    /// One table, such as that of a finished result.
    pub(super) fn one(first: ReadTable) -> Self {
        let row_counts = vec![first.table.row_count()];
        Self { first, second: None, row_counts }
    }

    pub(super) fn need(&self) -> Need {
        self.all().fold(Need::default(), |need, read| need.and(Need::of_table(&read.table)))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &ReadTable> + Clone {
        std::iter::once(&self.first).chain(&self.second)
    }

    pub(super) fn both(&self) -> (&Table, Option<&Table>) {
        (&self.first.table, self.second.as_ref().map(|second| &second.table))
    }

    /// True if several tables were given.
    pub(super) fn are_several(&self) -> bool {
        self.row_counts.len() > 1
    }

    /// True if several tables were given, and are treated as one.
    pub(super) fn are_one(&self) -> bool {
        self.are_several() && self.second.is_none()
    }

    /// The records of table `number`, counted from 1.
    pub(super) fn places(&self, number: usize) -> Range<usize> {
        let start: usize = self.row_counts[..number - 1].iter().sum();
        start..start + self.row_counts[number - 1]
    }

    /// The number of a record's table, from 1.
    pub(super) fn number_of(&self, record: usize) -> usize {
        (1..self.row_counts.len()).find(|number| record < self.places(*number).end).unwrap_or(self.row_counts.len())
    }

    /// The id of every record, those of the second table after all others. Without a column of ids they are numbered,
    /// table by table.
    pub(super) fn ids(&self, config: &Config) -> Result<Vec<String>> {
        let mut ids = Vec::new();
        for (table, id) in self.all().map(|read| &read.table).zip(config.ids()) {
            match id {
                Some(id) => ids.extend(table.column(table.find(id)?).iter().map(str::to_owned)),
                None if self.are_one() => {
                    ids.extend(self.row_counts.iter().flat_map(|count| 1..=*count).map(|row| row.to_string()));
                }
                None => ids.extend((1..=table.row_count()).map(|row| row.to_string())),
            }
        }
        if self.are_one() && config.id.is_some() {
            self.check_unique(&ids)?;
        }
        Ok(ids)
    }

    /// Ids need to be unique within each table only.
    fn check_unique(&self, ids: &[String]) -> Result<()> {
        for number in 1..=self.row_counts.len() {
            let ids = &ids[self.places(number)];
            let mut sorted: Vec<usize> = (0..ids.len()).collect();
            sorted.sort_by_key(|row| &ids[*row]);
            if let Some(two) = sorted.windows(2).find(|two| ids[two[0]] == ids[two[1]]) {
                let (first, second) = (two[0] + 1, two[1] + 1);
                return Err(CoreError::IdNotUnique { id: ids[two[0]].clone(), first, second }.into());
            }
        }
        Ok(())
    }

    /// Returns the configuration of the columns: as the user gave it, or guessed from their values.
    pub(super) fn config(&self, options: &LinkOptions) -> Result<Config> {
        let (first, second) = self.both();
        let id_right = options.id_right.as_deref().or(options.id.as_deref());
        for (table, id) in [(Some(first), options.id.as_deref()), (second, id_right)] {
            if let (Some(table), Some(id)) = (table, id) {
                table.find(id)?;
            }
        }
        let given = options.config.clone();
        let mut config = given.unwrap_or_else(|| guess_two(first, second, [options.id.as_deref(), id_right]));
        config.id = options.id.clone().or(config.id);
        config.id_right = options.id_right.clone().or(config.id_right).filter(|_| second.is_some());
        config.threshold = options.threshold.or(config.threshold);
        config.effort = options.effort.or(config.effort);
        config.one_to_one |= options.one_to_one;
        config.within = self.are_one();
        config.newest = options.newest.clone().or(config.newest);
        if let Some(newest) = &config.newest
            && !has_dates(first.column(first.find(newest)?))
        {
            return Err(Error::NewestWithoutDates { column: newest.clone() });
        }
        if second.is_none() {
            config.columns.iter_mut().for_each(|column| column.other_name = None);
        }
        if let Some(field) = &options.validate {
            first.find(field)?;
            ignore(&mut config, field, "matches are checked against it");
        }
        Ok(config)
    }
}

/// True if most values of a column are dates.
pub(super) fn has_dates(cells: &Strings) -> bool {
    let order = DateOrder::of(cells.iter());
    let filled = cells.iter().filter(|cell| !cell.trim().is_empty());
    let (dates, count) = filled
        .fold((0, 0), |(dates, count), cell| (dates + usize::from(Date::parse(cell, order).is_some()), count + 1));
    2 * dates > count
}

/// Leaves a column out of what is compared.
pub(super) fn ignore(config: &mut Config, name: &str, why: &str) {
    for column in config.columns.iter_mut().filter(|column| column.name == name) {
        column.kind = Kind::Ignored;
        why.clone_into(&mut column.why);
    }
}

/// All tables as one, with the columns of the first; and then those that only others have.
fn joined(mut read: Vec<ReadTable>, options: &LinkOptions) -> Result<ReadTable> {
    let mut all = read.remove(0);
    let id_right = options.id_right.as_deref().or(options.id.as_deref());
    let ids = [options.id.as_deref(), id_right];
    for other in read {
        let table = &other.table;
        let mut places: Vec<Option<usize>> = vec![None; table.names().len()];
        let found = partners(&all.table, table, ids);
        for (at, partner) in found.iter().enumerate() {
            partner.iter().for_each(|partner| places[*partner] = Some(at));
        }
        if let [Some(id), Some(right)] = ids {
            places[table.find(right)?] = Some(all.table.find(id)?);
        }
        // The configuration of the user takes precedence.
        for column in options.config.iter().flat_map(|config| &config.columns) {
            if let (Ok(at), Ok(partner)) = (all.table.find(&column.name), table.find(column.name_in_second())) {
                places.iter_mut().filter(|place| **place == Some(at)).for_each(|place| *place = None);
                places[partner] = Some(at);
            }
        }
        let names = table.names().iter().zip(&mut places);
        let places: Vec<usize> =
            names.map(|(name, place)| place.unwrap_or_else(|| add_column(&mut all.table, name))).collect();
        for row in 0..table.row_count() {
            all.table.push_cells(places.iter().copied().zip(table.row(row)));
        }
        all.name = format!("{}, {}", all.name, other.name);
        all.skipped.extend(other.skipped);
        all.skipped_count += other.skipped_count;
        all.empty_count += other.empty_count;
        all.other_sheets.extend(other.other_sheets);
    }
    Ok(all)
}

/// A further column. One of this name may be there, and mean something else.
fn add_column(table: &mut Table, name: &str) -> usize {
    let mut free = name.to_owned();
    while table.find(&free).is_ok() {
        free.push('_');
    }
    table.add_column(&free)
}

/// Finds records by their ids.
pub(super) struct Finder<'a> {
    tables: &'a Tables,
    by_id: std::collections::HashMap<&'a str, Vec<Record>>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(tables: &'a Tables, ids: &'a [String]) -> Self {
        let mut by_id: std::collections::HashMap<&str, Vec<Record>> = std::collections::HashMap::new();
        for (record, id) in (0..).map(Record).zip(ids) {
            by_id.entry(id).or_default().push(record);
        }
        Self { tables, by_id }
    }

    /// The one record of this id, in one of the tables if that is said.
    pub(super) fn find(&self, id: &str, number: Option<usize>) -> Option<Record> {
        let is_in = |record: &&Record| number.is_none_or(|number| self.tables.number_of(record.index()) == number);
        let mut found = self.by_id.get(id)?.iter().filter(is_in);
        found.next().copied().filter(|_| found.next().is_none())
    }

    /// The record of an id as a person writes it: with the number of its table, `2:17`, where ids are not unique.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRecord`].
    pub(super) fn written(&self, id: &str, number: Option<usize>) -> Result<Record> {
        let with_table = || {
            let (number, id) = id.split_once(':')?;
            self.find(id, Some(number.parse().ok()?))
        };
        let found = self.find(id, number).or_else(with_table);
        found.ok_or_else(|| Error::NoSuchRecord { id: id.to_owned() })
    }
}
