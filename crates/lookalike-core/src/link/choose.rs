//! Chooses the columns to compare, by how much they tell about a record.
//!
//! A table of customers has flags, counters and dates of orders, which change with each record of one customer. They
//! are left out if other columns say enough about who somebody is; and if more columns are left than can be compared,
//! those that tell most are kept.

use super::config::{ColumnConfig, Config, Kind};
use super::header::{HAPPENED, HOUSE_NUMBER, Header, OF_LIFE, OF_ONE, PLACE_CODE};
use super::records::MOST_FIELDS;

/// Statistics of a column's values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    /// Share of rows that have a value.
    pub(super) filled: f64,
    /// Bits of information in equal values: the logarithm of how rarely two random rows have the same value.
    pub(super) bits: f64,
    /// Share of values with decimals.
    pub(super) decimals: f64,
    /// Share of values with a time of day.
    pub(super) times: f64,
    /// Years between the earliest and the latest twentieth of dates.
    pub(super) years: f64,
}

/// Number of columns that identify people above which no others are needed.
const ENOUGH: usize = 4;

/// Start of the sentence that explains why a column that may identify a record is left out.
const TOO_MANY: &str = "more columns than can be compared tell more than this";

/// Leaves out columns that carry no information, or less than others.
pub(super) fn choose(columns: &mut [ColumnConfig], told: &[Told]) {
    ignore_what_happened(columns, told);
    ignore_too_many(columns, told);
}

/// Columns that may identify records and are left out because others are more informative.
pub fn identifying_left_out(config: &Config) -> Vec<&str> {
    let is_left_out = |column: &&ColumnConfig| column.kind == Kind::Ignored && column.why.starts_with(TOO_MANY);
    config.columns.iter().filter(is_left_out).map(|column| column.name.as_str()).collect()
}

/// Ignores dates and amounts of events, if there are names of people and enough other columns that identify them.
fn ignore_what_happened(columns: &mut [ColumnConfig], told: &[Told]) {
    let are_people = columns.iter().any(|column| column.kind == Kind::PersonName);
    let telling = columns.iter().zip(told).filter(|(column, told)| is_identifying(column, **told)).count();
    if !are_people || telling < ENOUGH {
        return;
    }
    for (column, told) in columns.iter_mut().zip(told) {
        if happened(column, *told) {
            column.kind = Kind::Ignored;
            "it says what happened to a record, not whose it is".clone_into(&mut column.why);
        }
    }
}

/// True if a column gives the time or the amount of an event.
fn happened(column: &ColumnConfig, told: Told) -> bool {
    /// Birthdays of customers span more years.
    const LEAST_YEARS: f64 = 30.0;
    let header = Header::of(&column.name);
    match column.kind {
        Kind::Date if header.is_called(OF_LIFE) => false,
        Kind::Date => header.is_called(HAPPENED) || told.times > 0.5 || told.years < LEAST_YEARS,
        Kind::Number if [OF_ONE, PLACE_CODE, HOUSE_NUMBER].iter().any(|names| header.is_called(names)) => false,
        Kind::Number => header.is_called(HAPPENED) || told.decimals > 0.0,
        _ => false,
    }
}

/// True if a column can identify records by the kind of its values.
fn is_identifying(column: &ColumnConfig, told: Told) -> bool {
    match column.kind {
        Kind::PersonName
        | Kind::Email
        | Kind::Phone
        | Kind::Address
        | Kind::Organization
        | Kind::FreeText
        | Kind::Code => true,
        Kind::Date => !happened(column, told),
        Kind::Number | Kind::Category | Kind::Ignored => false,
    }
}

/// Keeps as many columns as can be compared: the most informative ones.
fn ignore_too_many(columns: &mut [ColumnConfig], told: &[Told]) {
    let mut used: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].kind != Kind::Ignored).collect();
    if used.len() <= MOST_FIELDS {
        return;
    }
    let worth: Vec<f64> = columns.iter().zip(told).map(|(column, told)| worth(column, *told)).collect();
    // Categories after everything else, even if it is hardly filled. Ties by name, since the position of a column means
    // nothing.
    let is_category = |at: usize| columns[at].kind == Kind::Category;
    used.sort_by(|a, b| {
        let by_kind = is_category(*a).cmp(&is_category(*b));
        by_kind.then(worth[*b].total_cmp(&worth[*a])).then_with(|| columns[*a].name.cmp(&columns[*b].name))
    });
    for at in &used[MOST_FIELDS..] {
        let kind = columns[*at].kind;
        columns[*at].why = if is_identifying(&columns[*at], told[*at]) {
            format!("{TOO_MANY}, a column of the kind {kind}")
        } else {
            format!("{MOST_FIELDS} columns tell more than this one, of the kind {kind}")
        };
        columns[*at].kind = Kind::Ignored;
    }
}

/// Bits of information that a column gives about a record, by how often it has a value, and by how reliably values of
/// its kind stay the same.
fn worth(column: &ColumnConfig, told: Told) -> f64 {
    /// No column tells more than it takes to identify a person among tens of thousands.
    const MOST_BITS: f64 = 16.0;
    let trust = match column.kind {
        Kind::PersonName | Kind::Email | Kind::Phone | Kind::Organization | Kind::Address | Kind::FreeText => 1.0,
        Kind::Date if !happened(column, told) => 1.0,
        Kind::Code => 0.8,
        Kind::Date | Kind::Number => 0.2,
        Kind::Category => 0.05,
        Kind::Ignored => 0.0,
    };
    trust * told.filled * told.bits.min(MOST_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: Kind) -> ColumnConfig {
        ColumnConfig { name: name.to_owned(), kind, ..ColumnConfig::default() }
    }

    fn kept(columns: &[ColumnConfig]) -> Vec<&str> {
        let mut kept: Vec<&str> =
            columns.iter().filter(|column| column.kind != Kind::Ignored).map(|column| column.name.as_str()).collect();
        kept.sort_unstable();
        kept
    }

    #[test]
    fn what_tells_most_is_compared_wherever_it_stands() {
        let flags = (0..20).map(|at| (column(&format!("flag_{at}"), Kind::Category), 0.9));
        let telling = [
            ("first_name", Kind::PersonName, 7.0),
            ("last_name", Kind::PersonName, 9.0),
            ("email", Kind::Email, 15.0),
            ("phone", Kind::Phone, 15.0),
            ("city", Kind::Address, 6.0),
        ];
        let telling = telling.map(|(name, kind, bits)| (column(name, kind), bits));
        let (mut columns, told): (Vec<ColumnConfig>, Vec<Told>) =
            flags.chain(telling).map(|(column, bits)| (column, Told { filled: 1.0, bits, ..Told::default() })).unzip();
        let (mut turned, turned_told) =
            (columns.iter().rev().cloned().collect::<Vec<_>>(), told.iter().rev().copied().collect::<Vec<_>>());
        choose(&mut columns, &told);
        choose(&mut turned, &turned_told);
        assert_eq!(kept(&columns).len(), MOST_FIELDS);
        assert!(["first_name", "last_name", "email", "phone", "city"].iter().all(|name| kept(&columns).contains(name)));
        assert_eq!(kept(&columns), kept(&turned));
        let config = Config { columns, ..Config::default() };
        assert!(identifying_left_out(&config).is_empty());
    }

    #[test]
    fn identifying_columns_that_are_left_out_are_named() {
        let mut columns: Vec<ColumnConfig> =
            (0..=MOST_FIELDS).map(|at| column(&format!("phone{at:02}"), Kind::Phone)).collect();
        let mut told = vec![Told { filled: 1.0, bits: 12.0, ..Told::default() }; columns.len()];
        told[3].filled = 0.1;
        choose(&mut columns, &told);
        let config = Config { columns, ..Config::default() };
        assert_eq!(identifying_left_out(&config), ["phone03"]);
    }

    #[test]
    fn days_and_amounts_of_what_people_did_are_not_compared() {
        let kinds = [
            ("name", Kind::PersonName, 80.0),
            ("street", Kind::Address, 0.0),
            ("phone", Kind::Phone, 0.0),
            ("geburtstag", Kind::Date, 60.0),
            ("created_at", Kind::Date, 60.0),
            ("since", Kind::Date, 8.0),
            ("order_count", Kind::Number, 0.0),
            ("member", Kind::Number, 0.0),
        ];
        let (mut columns, told): (Vec<ColumnConfig>, Vec<Told>) = kinds
            .map(|(name, kind, years)| (column(name, kind), Told { filled: 1.0, bits: 10.0, years, ..Told::default() }))
            .into_iter()
            .unzip();
        choose(&mut columns, &told);
        assert_eq!(kept(&columns), ["geburtstag", "member", "name", "phone", "street"]);
        // If there are few other columns, they may be all that there is.
        let mut few = vec![column("name", Kind::PersonName), column("since", Kind::Date)];
        choose(&mut few, &told[..2]);
        assert_eq!(kept(&few), ["name", "since"]);
    }
}
