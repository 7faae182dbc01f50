//! Builds records from tables: each field is normalized, each distinct value is stored once, and the data that its
//! measure needs is computed once per value instead of once per pair.
//!
//! Records of the first table come first, then those of the second. Note that values are numbered in the order of their
//! hashes, and [`Records::content`] orders records by a hash of their contents, so no later step can depend on the
//! order of the rows.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::config::{ColumnConfig, Config, Kind};
use super::copies::Copies;
use super::header::{is_attached, is_given_name, is_of_generation, is_of_household, is_of_person};
use super::letters::Letters;
use super::normalize::{Date, DateOrder, NameColumn, Normalizer, generation_of};
use super::words::Words;
use crate::error::{Error, Result};
use crate::hash::mix;
use crate::ids::{Number, Record};
use crate::packed::Lists;
use crate::packed::Strings;
use crate::table::Table;

/// Marks a record without a value.
pub const MISSING: u32 = u32::MAX;

/// Maximum number of fields: more do not fit into one [`Pattern`](super::measure::Pattern).
pub const MOST_FIELDS: usize = 16;

/// The records of one table or two, ready to be compared.
#[derive(Debug)]
pub struct Records {
    fields: Vec<Field>,
    first_count: usize,
    count: usize,
    content: Vec<u64>,
    /// Data for a first check of each record, stored side by side, so that a record is in one place in memory.
    cells: Vec<Cell>,
    swappable: Option<[usize; 2]>,
    /// Fields with e-mail addresses, if there are names of people too.
    emails: Vec<usize>,
    /// Fields that distinguish the members of a household.
    names: Vec<usize>,
    /// Generation in the name of each record, 0 for none; empty if no name has one.
    generations: Vec<u8>,
    copies: Copies,
}

/// One field of all records.
#[derive(Debug)]
pub struct Field {
    /// The name of its column in the first table.
    pub name: String,
    /// Kind of its values.
    pub kind: Kind,
    /// The value of each record, or [`MISSING`].
    pub of_record: Vec<u32>,
    /// The distinct values in their normal form.
    pub values: Strings,
    /// Number of records of the first table, and of the second, that have each value; many copies of one record count
    /// as ten.
    pub counts: [Vec<u32>; 2],
    /// Entities that its values distinguish.
    pub tells: Tells,
    pub(super) detail: Detail,
}

/// Entities that a field distinguishes, which determines what agreement in it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Tells {
    /// One member of a household from another: the given name of a person, or the whole name.
    Name,
    /// One person from another: birthday, e-mail, number.
    Person,
    /// One household or building from another: address, phone, postcode, family name.
    Household,
    /// One thing from another: the name of a company, the title of a product.
    Thing,
    /// One model of a thing from another: an article number, which is copied and not typed.
    Model,
    /// Description of a thing: a long text, a category, the price of a thing.
    Likeness,
}

impl Tells {
    /// Default for fields of a kind, whatever their names are.
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::Address | Kind::Phone => Self::Household,
            Kind::Organization | Kind::FreeText => Self::Thing,
            Kind::Category => Self::Likeness,
            Kind::PersonName => Self::Name,
            _ => Self::Person,
        }
    }
}

/// Data that a measure needs for each value in addition to its text.
#[derive(Debug)]
pub(super) enum Detail {
    Text,
    /// The groups of nicknames that each value belongs to.
    Names(Lists),
    Dates(Vec<Date>),
    Numbers(Vec<f64>),
    Words(Box<Words>),
}

/// Data for a first check of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    bits: u64,
    /// The value, or [`MISSING`].
    pub(super) value: u32,
    count: u16,
    /// True if its letters stand for words.
    pub(super) are_words: bool,
    /// True if it has a digit.
    pub(super) has_digit: bool,
}

impl Cell {
    /// The letters of the value; of a text with more than two words, the words.
    #[inline]
    pub(super) fn letters(self) -> Letters {
        Letters { bits: self.bits, count: u32::from(self.count) }
    }
}

impl Records {
    /// Normalizes the columns that are not ignored.
    ///
    /// # Errors
    ///
    /// [`Error::NoRows`], [`Error::NoSuchColumn`], [`Error::IdNotUnique`], [`Error::NothingToCompare`] or
    /// [`Error::TooManyFields`].
    pub fn prepare(first: &Table, second: Option<&Table>, config: &Config) -> Result<Self> {
        for (table, name) in [(Some(first), "the first table"), (second, "the second table")] {
            if table.is_some_and(|table| table.row_count() == 0) {
                return Err(Error::NoRows { table: name });
            }
        }
        for (table, id) in [Some(first), second].into_iter().zip(config.ids()) {
            if let (Some(table), Some(id)) = (table, id) {
                check_unique(table.column(table.find(id)?))?;
            }
        }
        let used: Vec<_> = config.columns.iter().filter(|column| column.kind != Kind::Ignored).collect();
        if used.is_empty() {
            let why = config.columns.iter().map(|column| format!("{}: {}", column.name, column.why));
            return Err(Error::NothingToCompare { why: why.collect::<Vec<_>>().join("; ") });
        }
        if used.len() > MOST_FIELDS {
            return Err(Error::TooManyFields { fields: used.len(), most: MOST_FIELDS });
        }
        let columns = used
            .iter()
            .map(|column| {
                let of_first = first.column(first.find(&column.name)?);
                let of_second = match second {
                    Some(second) => Some(second.column(second.find(column.name_in_second())?)),
                    None => None,
                };
                Ok((of_first, of_second))
            })
            .collect::<Result<Vec<_>>>()?;
        let mut fields: Vec<Field> = used
            .par_iter()
            .zip(columns)
            .map(|(column, (of_first, of_second))| Field::new(&column.name, column.kind, of_first, of_second))
            .collect();
        let mut content = content_of(&fields);
        tell_copies_apart(&mut content, first, second);
        look_beside(&mut fields);
        let copies = Copies::of(&fields, &content, first.row_count());
        copies.leave_out_of_counts(&mut fields);
        let names: Vec<usize> = (0..fields.len()).filter(|at| fields[*at].kind == Kind::PersonName).collect();
        let swappable = given_and_family(&fields, &names);
        let generations = generations(first, second, config);
        let emails = (0..fields.len()).filter(|at| !names.is_empty() && fields[*at].kind == Kind::Email).collect();
        let second_count = second.map_or(0, Table::row_count);
        let count = first.row_count() + second_count;
        let cells = cells(&fields, count);
        let names = (0..fields.len()).filter(|at| fields[*at].tells == Tells::Name).collect();
        let first_count = first.row_count();
        Ok(Self { fields, first_count, count, content, cells, swappable, emails, names, generations, copies })
    }

    /// The compared fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Returns the data for a first check of a record, field by field.
    #[inline]
    pub(super) fn row(&self, record: Record) -> &[Cell] {
        let start = record.index() * self.fields.len();
        &self.cells[start..start + self.fields.len()]
    }

    /// The records of both tables, in order.
    pub fn all(&self) -> impl Iterator<Item = Record> + use<> {
        (0..self.count as u32).map(Record)
    }

    /// Number of records in both tables.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of records in the first table.
    pub fn first_count(&self) -> usize {
        self.first_count
    }

    /// True if records of two tables are linked, and not those of one.
    pub fn are_of_two_tables(&self) -> bool {
        self.first_count < self.count
    }

    /// Number of pairs of records that could be compared.
    pub fn pair_count(&self) -> f64 {
        let (first, second) = (self.first_count as f64, (self.count - self.first_count) as f64);
        if self.are_of_two_tables() { first * second } else { first * (first - 1.0) / 2.0 }
    }

    /// A number by which records are ordered, derived from all compared values of a record. Records with the same
    /// number are equal.
    pub fn content(&self, record: Record) -> u64 {
        self.content[record.index()]
    }

    /// Records that are equal in all compared fields.
    pub(super) fn copies(&self) -> &Copies {
        &self.copies
    }

    /// Fields with e-mail addresses that may be built from names.
    pub(super) fn emails(&self) -> &[usize] {
        &self.emails
    }

    /// Fields that distinguish the members of a household.
    pub(super) fn names(&self) -> &[usize] {
        &self.names
    }

    /// True if the names of two records say that they are of different generations.
    pub(super) fn are_of_two_generations(&self, left: Record, right: Record) -> bool {
        if self.generations.is_empty() {
            return false;
        }
        let [left, right] = [left, right].map(|record| self.generations[record.index()]);
        left != 0 && right != 0 && left != right
    }

    /// The fields with given and family names, which people mix up.
    pub fn swappable(&self) -> Option<[usize; 2]> {
        self.swappable
    }
}

impl Field {
    fn new(name: &str, kind: Kind, first: &Strings, second: Option<&Strings>) -> Self {
        let columns: Vec<&Strings> = [Some(first), second].into_iter().flatten().collect();
        let normalizer = Normalizer::new(kind, columns.iter().flat_map(|column| column.iter()));
        let parts: Vec<Strings> = columns.iter().map(|column| normalized(column, normalizer)).collect();
        let mut hashed: Vec<(u64, u32)> = parts
            .iter()
            .flat_map(Strings::iter)
            .zip(0..)
            .filter(|(value, _)| !value.is_empty())
            .map(|(value, record)| (xxh3_64(value.as_bytes()), record))
            .collect();
        hashed.par_sort_unstable();
        let value_of = |record: u32| match (record as usize).checked_sub(first.len()) {
            None => parts[0].get(record as usize),
            Some(at) => parts[1].get(at),
        };
        let total: usize = parts.iter().map(Strings::len).sum();
        let mut field = Self {
            name: name.to_owned(),
            kind,
            of_record: vec![MISSING; total],
            values: Strings::default(),
            counts: [Vec::new(), Vec::new()],
            tells: Tells::of(kind),
            detail: Detail::Text,
        };
        let nothing = placeholder(kind, &hashed, value_of).map(|record| value_of(record).to_owned());
        // With 2^32 records, a chance collision of 64-bit hashes would never be noticed.
        for group in hashed.chunk_by(|left, right| left.0 == right.0) {
            let text = value_of(group[0].1);
            if nothing.as_deref() == Some(text) {
                continue;
            }
            let value = field.values.len() as u32;
            field.values.push(text);
            let in_first = group.partition_point(|(_, record)| (*record as usize) < first.len());
            field.counts[0].push(in_first as u32);
            field.counts[1].push((group.len() - in_first) as u32);
            group.iter().for_each(|(_, record)| field.of_record[*record as usize] = value);
        }
        field.detail = field.detail();
        field.tells = field.tells();
        field
    }

    fn detail(&self) -> Detail {
        match self.kind {
            Kind::PersonName => Detail::Names(self.values.iter().map(super::measure::nickname_groups).collect()),
            Kind::Date => Detail::Dates(
                self.values
                    .iter()
                    .map(|value| Date::parse(value, DateOrder::MonthFirst).expect("it was written by a date"))
                    .collect(),
            ),
            Kind::Number => Detail::Numbers(
                self.values.iter().map(|value| value.parse().expect("it was written by a number")).collect(),
            ),
            Kind::Organization | Kind::Address | Kind::FreeText => {
                Detail::Words(Box::new(Words::new(&self.values, &self.counts)))
            }
            Kind::Phone | Kind::Code | Kind::Email | Kind::Category | Kind::Ignored => Detail::Text,
        }
    }

    fn tells(&self) -> Tells {
        /// Average number of words above which a text is long.
        const LONG: usize = 20;
        match &self.detail {
            Detail::Words(words) if words.in_order.values().len() > LONG * self.values.len() => Tells::Likeness,
            _ if self.kind == Kind::FreeText && is_attached(&self.name) => Tells::Likeness,
            _ if is_of_person(&self.name, self.kind) => Tells::Person,
            _ if is_of_household(&self.name, self.kind) => Tells::Household,
            _ => Tells::of(self.kind),
        }
    }

    /// Number of records that have the value, in both tables.
    pub fn frequency(&self, value: u32) -> u32 {
        self.counts[0][value as usize] + self.counts[1][value as usize]
    }

    /// The text of a record's value in its normal form.
    pub fn text(&self, record: Record) -> Option<&str> {
        let value = self.of_record[record.index()];
        (value != MISSING).then(|| self.values.get(value as usize))
    }
}

/// Given and family name: recognized by their names, or else the first two fields in alphabetical order, so that the
/// order of the columns does not matter.
fn given_and_family(fields: &[Field], names: &[usize]) -> Option<[usize; 2]> {
    let mut names = names.to_vec();
    names.sort_unstable_by_key(|at| {
        let name = &fields[*at].name;
        (!is_given_name(name) && !is_of_household(name, Kind::PersonName), name)
    });
    let mut two: [usize; 2] = names.get(..2)?.try_into().ok()?;
    two.sort_unstable_by_key(|at| (is_of_household(&fields[*at].name, Kind::PersonName), &fields[*at].name));
    Some(two)
}

/// Adjusts what a field tells apart by its neighbors. Next to the names of people, a company tells as much as a
/// household does: colleagues share it, and its phone. Next to the name of a thing, an amount describes it: each shop
/// has its own price. Its number is copied and not typed, so that a number that is nearly equal is that of another thing.
fn look_beside(fields: &mut [Field]) {
    let are_people = fields.iter().any(|field| field.kind == Kind::PersonName);
    let are_things = !are_people && fields.iter().any(|field| field.tells == Tells::Thing);
    for field in fields {
        match field.kind {
            Kind::Organization if are_people && field.tells == Tells::Thing => field.tells = Tells::Household,
            Kind::Number if are_things => field.tells = Tells::Likeness,
            Kind::Code if are_things => field.tells = Tells::Model,
            _ => {}
        }
    }
}

/// The generation in the name of each record; empty if no name has one.
fn generations(first: &Table, second: Option<&Table>, config: &Config) -> Vec<u8> {
    let mut all = vec![0; first.row_count() + second.map_or(0, Table::row_count)];
    let named = |column: &&ColumnConfig| column.kind == Kind::PersonName || is_of_generation(&column.name);
    for column in config.columns.iter().filter(named) {
        let of_first = first.find(&column.name).ok().map(|at| first.column(at));
        let of_second = second.and_then(|second| Some(second.column(second.find(column.name_in_second()).ok()?)));
        let content = match column.kind {
            Kind::PersonName if is_given_name(&column.name) => NameColumn::Part,
            Kind::PersonName => NameColumn::Whole,
            _ => NameColumn::Generation,
        };
        for (cells, start) in [(of_first, 0), (of_second, first.row_count())] {
            for (value, generation) in cells.into_iter().flat_map(Strings::iter).zip(&mut all[start..]) {
                *generation = (*generation).max(generation_of(value, content));
            }
        }
    }
    if all.iter().all(|generation| *generation == 0) { Vec::new() } else { all }
}

fn cells(fields: &[Field], count: usize) -> Vec<Cell> {
    let missing = Cell { bits: 0, value: MISSING, count: 0, are_words: false, has_digit: false };
    let of_field = |field: &Field| -> Vec<Cell> {
        let cell = |(value, text): (u32, &str)| {
            let are_words = matches!(field.detail, Detail::Words(_)) && text.split(' ').nth(2).is_some();
            let letters = if are_words { Letters::of_words(text) } else { Letters::of(text) };
            let has_digit = text.bytes().any(|b| b.is_ascii_digit());
            Cell {
                bits: letters.bits,
                value,
                count: letters.count.min(u32::from(u16::MAX)) as u16,
                are_words,
                has_digit,
            }
        };
        (0..).zip(field.values.iter()).map(cell).collect()
    };
    let by_value: Vec<Vec<Cell>> = fields.par_iter().map(of_field).collect();
    let mut cells = Vec::with_capacity(count * fields.len());
    for record in 0..count {
        for (field, by_value) in fields.iter().zip(&by_value) {
            cells.push(by_value.get(field.of_record[record] as usize).copied().unwrap_or(missing));
        }
    }
    cells
}

/// Number of rows that a thread normalizes at once.
const ROWS_AT_ONCE: usize = 16 * 1024;

fn normalized(column: &Strings, normalizer: Normalizer) -> Strings {
    let starts: Vec<usize> = (0..column.len()).step_by(ROWS_AT_ONCE).collect();
    let parts: Vec<Strings> = starts
        .into_par_iter()
        .map(|start| {
            let end = column.len().min(start + ROWS_AT_ONCE);
            (start..end).map(|row| normalizer.normalize(column.get(row))).collect()
        })
        .collect();
    let mut all = Strings::default();
    parts.iter().for_each(|part| all.append(part));
    all
}

/// Returns a record with a zero that stands for an unknown value, in a field of numbers with decimals. Prices are
/// treated this way; counts, where zero is a natural value, are not.
fn placeholder<'a>(kind: Kind, hashed: &[(u64, u32)], value_of: impl Fn(u32) -> &'a str) -> Option<u32> {
    const LEAST_ZEROS: f64 = 0.03;
    const LEAST_DECIMALS: f64 = 0.2;
    if kind != Kind::Number {
        return None;
    }
    let zero = xxh3_64(b"0");
    let share = |count: usize| count as f64 / hashed.len() as f64;
    let start = hashed.partition_point(|(hash, _)| *hash < zero);
    let zeros = hashed[start..].iter().take_while(|(hash, _)| *hash == zero).count();
    let decimals = hashed.iter().filter(|(_, record)| value_of(*record).contains('.')).count();
    (share(zeros) >= LEAST_ZEROS && share(decimals) >= LEAST_DECIMALS).then(|| hashed[start].1)
}

/// Hash of the compared values of each record, independent of the order of the columns: neither that order nor an id is
/// part of a record's content.
fn content_of(fields: &[Field]) -> Vec<u64> {
    let count = fields.first().map_or(0, |field| field.of_record.len());
    let mut content = vec![0_u64; count];
    for field in fields {
        let seed = xxh3_64(field.name.as_bytes());
        let hashes: Vec<u64> = field.values.iter().map(|value| xxh3_64_with_seed(value.as_bytes(), seed)).collect();
        for (content, value) in content.iter_mut().zip(&field.of_record) {
            *content = content.wrapping_add(hashes.get(*value as usize).copied().unwrap_or(seed));
        }
    }
    content.par_iter_mut().for_each(|content| *content = mix(*content));
    content
}

/// Orders records that are equal in all compared values independently of their rows: by everything that the tables
/// contain about them, including their ids. The upper half of a hash is for the compared values, and the lower half
/// distinguishes copies.
fn tell_copies_apart(content: &mut [u64], first: &Table, second: Option<&Table>) {
    const LOWER: u64 = u32::MAX as u64;
    let mut start = 0;
    for table in [Some(first), second].into_iter().flatten() {
        let mut whole = vec![0_u64; table.row_count()];
        for (at, name) in table.names().iter().enumerate() {
            let seed = xxh3_64(name.as_bytes());
            for (whole, cell) in whole.iter_mut().zip(table.column(at).iter()) {
                *whole = whole.wrapping_add(xxh3_64_with_seed(cell.as_bytes(), seed));
            }
        }
        for (content, whole) in content[start..].iter_mut().zip(&whole) {
            *content = *content & !LOWER | mix(*whole) & LOWER;
        }
        start += table.row_count();
    }
}

fn check_unique(ids: &Strings) -> Result<()> {
    let mut sorted: Vec<usize> = (0..ids.len()).collect();
    sorted.par_sort_unstable_by_key(|row| (ids.get(*row), *row));
    match sorted.windows(2).filter(|two| ids.get(two[0]) == ids.get(two[1])).min() {
        None => Ok(()),
        Some(two) => Err(Error::IdNotUnique { id: ids.get(two[0]).to_owned(), first: two[0] + 1, second: two[1] + 1 }),
    }
}
