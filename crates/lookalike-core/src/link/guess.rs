//! Guesses a [`Config`] from tables: the kind of each column, from its values. Its header decides only if values could
//! be of two kinds: seven digits are a phone or a code.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::choose::{Told, choose};
use super::config::{ColumnConfig, Config, Kind};
use super::header::{
    ADDRESS, CODE, DATE, FURTHER_NAMES, HOUSE_NUMBER, Header, OF_IDENTITY, OF_SORT, ORGANIZATION, PERSON, PHONE,
    PLACE_CODE, is_attached,
};
use super::normalize::{Date, DateOrder, fold, is_address_word, is_nothing, parse_number, words};
use super::partner::partners;
use super::vocabulary::{FAMILY_NAMES, GIVEN_NAMES, ORGANIZATION_WORDS};
use crate::hash::mix;
use crate::packed::Strings;
use crate::table::Table;

/// Number of distinct values to sample: those with the smallest hashes, so that the order of the rows does not matter.
const SAMPLE: usize = 5_000;

/// Guesses the kinds of the columns of one or two tables, and which column of the second belongs to which of the first.
/// The column `id` is not compared.
pub fn guess(first: &Table, second: Option<&Table>, id: Option<&str>) -> Config {
    guess_two(first, second, [id, id])
}

/// The same for tables whose id columns have different names.
pub fn guess_two(first: &Table, second: Option<&Table>, ids: [Option<&str>; 2]) -> Config {
    let id = ids[0];
    let partners = second.map(|second| partners(first, second, ids));
    let mut is_taken = vec![false; second.map_or(0, |second| second.names().len())];
    let mut columns = Vec::new();
    let mut word_means = Vec::new();
    let mut told = Vec::new();
    for (at, name) in first.names().iter().enumerate() {
        let partner = second.zip(partners.as_ref().and_then(|partners| partners[at]));
        let mut other_name = None;
        if let Some((second, other)) = partner {
            is_taken[other] = true;
            other_name = Some(&second.names()[other]).filter(|other| *other != name).cloned();
        }
        let (mut word_mean, mut of_values) = (0.0, Told::default());
        let (kind, why) = if id == Some(name) {
            (Kind::Ignored, "it is the id".to_owned())
        } else if second.is_some() && partner.is_none() {
            (Kind::Ignored, "only the first table has it".to_owned())
        } else {
            let profile = Profile::new(name, first.column(at), partner.map(|(second, other)| second.column(other)));
            (word_mean, of_values) = (profile.word_mean, profile.told());
            profile.kind()
        };
        columns.push(ColumnConfig { name: name.clone(), other_name, kind, why, ..ColumnConfig::default() });
        word_means.push(word_mean);
        told.push(of_values);
    }
    attach_people(&mut columns, &word_means);
    ignore_long_texts(&mut columns, &word_means);
    ignore_made_of_others(first, &mut columns);
    for (name, is_taken) in second.into_iter().flat_map(Table::names).zip(is_taken) {
        // A column of ids with the name of the first is recognized in that step.
        if !(is_taken || ids[1] == Some(name) && ids[0] == ids[1]) {
            let is_id = ids[1] == Some(name);
            let why = if is_id { "it is the id of the second table" } else { "only the second table has it" };
            columns.push(ColumnConfig { name: name.clone(), why: why.to_owned(), ..ColumnConfig::default() });
        }
    }
    told.resize(columns.len(), Told::default());
    choose(&mut columns, &told);
    let id_right = ids[1].filter(|right| second.is_some() && Some(*right) != id).map(str::to_owned);
    Config { id: id.map(str::to_owned), id_right, columns, ..Config::default() }
}

/// Next to a title, people are those who made the thing, or play in it: one of many may be named, and in any order.
fn attach_people(columns: &mut [ColumnConfig], word_means: &[f64]) {
    /// Average number of words in a title.
    const TITLE: std::ops::Range<f64> = 1.0..15.0;
    let is_title = |(column, words): (&ColumnConfig, &f64)| {
        column.kind == Kind::FreeText && TITLE.contains(words) && !is_attached(&column.name)
    };
    if !columns.iter().zip(word_means).any(is_title) {
        return;
    }
    for column in columns.iter_mut().filter(|column| is_attached(&column.name)) {
        if matches!(column.kind, Kind::PersonName | Kind::Organization) {
            column.kind = Kind::FreeText;
            "people who belong to a thing: as many words as are shared".clone_into(&mut column.why);
        }
    }
}

/// Ignores long texts if there is a name or a title: a long text describes a thing, and things of one kind have similar
/// descriptions, so comparing them would match things that are only related.
fn ignore_long_texts(columns: &mut [ColumnConfig], word_means: &[f64]) {
    /// Average number of words in a long text.
    const LONG: f64 = 20.0;
    /// Maximum average number of words in a name or a title.
    const SHORT: f64 = 15.0;
    let is_named = columns.iter().zip(word_means).any(|(column, words)| {
        matches!(column.kind, Kind::PersonName | Kind::Organization | Kind::FreeText) && *words < SHORT
    });
    for (column, words) in columns.iter_mut().zip(word_means) {
        if is_named && column.kind == Kind::FreeText && *words >= LONG {
            column.kind = Kind::Ignored;
            column.why = format!("a long text, {words:.0} words on average: shorter ones tell what it is");
        }
    }
}

/// Ignores columns that are composed of others, and so add nothing: a full name next to given and family name, a
/// complete address next to street and town.
fn ignore_made_of_others(table: &Table, columns: &mut [ColumnConfig]) {
    /// Minimum share of rows in which the column has all words of the others, and minimum share of its words that come
    /// from them.
    const MOST: f64 = 0.8;
    let used: Vec<usize> = (0..table.names().len())
        .filter(|at| {
            matches!(columns[*at].kind, Kind::PersonName | Kind::Address | Kind::FreeText | Kind::Organization)
        })
        .collect();
    let mut rows: Vec<usize> = (0..table.row_count()).collect();
    if rows.len() > SAMPLE {
        // The same sample for any order of the rows.
        let hash =
            |row: &usize| used.iter().fold(0, |hash, at| mix(hash ^ xxh3_64(table.column(*at).get(*row).as_bytes())));
        rows.select_nth_unstable_by_key(SAMPLE, hash);
        rows.truncate(SAMPLE);
    }
    let cells: Vec<Vec<Vec<String>>> =
        used.iter().map(|at| rows.iter().map(|row| words(table.column(*at).get(*row))).collect()).collect();
    let mut made = Vec::new();
    for (place, whole) in cells.iter().enumerate() {
        let filled = whole.iter().filter(|cell| !cell.is_empty()).count() as f64;
        let lies_within = |other: &usize| {
            let part = &cells[*other];
            let both = |row: &usize| !whole[*row].is_empty() && !part[*row].is_empty();
            let known: Vec<usize> = (0..rows.len()).filter(both).collect();
            let is_within = |row: &&usize| part[**row].iter().all(|word| whole[**row].contains(word));
            let shorter = |row: &&usize| part[**row].len() < whole[**row].len();
            let within = known.iter().filter(is_within).count() as f64;
            known.len() as f64 >= 0.5 * filled
                && within >= MOST * known.len() as f64
                && known.iter().filter(shorter).count() as f64 >= MOST * known.len() as f64
        };
        let parts: Vec<usize> = (0..cells.len()).filter(|other| *other != place && lies_within(other)).collect();
        let words: usize = whole.iter().map(Vec::len).sum();
        let covered: usize = (0..rows.len())
            .map(|row| {
                whole[row].iter().filter(|word| parts.iter().any(|part| cells[*part][row].contains(word))).count()
            })
            .sum();
        if parts.len() > 1 && covered as f64 >= MOST * words as f64 {
            let names: Vec<&str> = parts.iter().map(|part| columns[used[*part]].name.as_str()).collect();
            made.push((used[place], names.join(" and ")));
        }
    }
    for (at, names) in made {
        columns[at].kind = Kind::Ignored;
        columns[at].why = format!("it is made of {names}");
    }
}

/// Guesses the kind of a column from this column alone.
pub(super) fn kind_of_column(name: &str, cells: &Strings) -> Kind {
    Profile::new(name, cells, None).kind().0
}

/// Statistics of a column, collected before its kind is known.
///
/// Shares are of the filled values, each weighted by the square root of its frequency. If every distinct value counted
/// once, typing errors would outvote the correct values, since there are so many different ones; if every row counted,
/// the placeholder that clerks enter when they do not know the value would outvote the rest.
#[derive(Debug, Default)]
struct Profile {
    header: Header,
    row_count: usize,
    filled_count: usize,
    distinct_count: usize,
    is_shared: bool,
    emails: f64,
    dates: f64,
    phones: f64,
    phone_signs: f64,
    numbers: f64,
    /// Number of different groups of letters in values.
    unit_count: usize,
    /// Number of different groups of letters directly before digits.
    currency_count: usize,
    decimals: f64,
    longest_digits: usize,
    same_length: f64,
    codes: f64,
    word_mean: f64,
    letter_mean: f64,
    streets: f64,
    number_first: f64,
    people: f64,
    organizations: f64,
    with_digit: f64,
    years: f64,
    /// Share of the most common values in all rows.
    categories: f64,
    /// Probability that two random values are equal.
    equal: f64,
    times: f64,
    /// Years between the earliest and the latest twentieth of dates.
    year_span: f64,
}

/// Maximum number of categories in a column.
const MOST_CATEGORIES: usize = 30;

impl Profile {
    fn new<'a>(name: &str, first: &'a Strings, second: Option<&'a Strings>) -> Self {
        let mut profile = Self { header: Header::of(name), ..Self::default() };
        let mut counted: Vec<HashMap<&str, u32>> = Vec::new();
        for column in [Some(first), second].into_iter().flatten() {
            profile.row_count += column.len();
            let mut counts: HashMap<&str, u32> = HashMap::new();
            for value in column.iter().map(str::trim).filter(|value| !value.is_empty()) {
                *counts.entry(value).or_default() += 1;
            }
            counts.retain(|value, _| !is_nothing(&words(value).join(" ")));
            profile.filled_count += counts.values().map(|count| *count as usize).sum::<usize>();
            counted.push(counts);
        }
        profile.is_shared = match &counted[..] {
            [first, second] => first.keys().any(|value| second.contains_key(value)),
            _ => counted[0].len() < profile.filled_count,
        };
        let hashed = |(value, count): (&'a str, u32)| (xxh3_64(value.as_bytes()), value, count);
        let mut values: Vec<(u64, &str, u32)> = counted.into_iter().flatten().map(hashed).collect();
        values.sort_unstable();
        // Values of both tables, each once.
        values.dedup_by(|after, before| {
            let is_same = after.1 == before.1;
            before.2 += if is_same { after.2 } else { 0 };
            is_same
        });
        profile.distinct_count = values.len();
        let mut counts: Vec<u32> = values.iter().map(|(_, _, count)| *count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let most_common: u32 = counts.iter().take(MOST_CATEGORIES).sum();
        profile.categories = f64::from(most_common) / (profile.filled_count.max(1) as f64);
        let total = profile.filled_count.max(1) as f64;
        profile.equal = counts.iter().map(|count| (f64::from(*count) / total).powi(2)).sum();
        values.truncate(SAMPLE);
        let weighed = |(_, value, count): &(u64, &'a str, u32)| (*value, f64::from(*count).sqrt());
        profile.look_at(&values.iter().map(weighed).collect::<Vec<_>>());
        profile
    }

    /// Updates the statistics with values and their weights.
    fn look_at(&mut self, values: &[(&str, f64)]) {
        let order = DateOrder::of(values.iter().map(|(value, _)| *value));
        let total = values.iter().map(|(_, weight)| weight).sum::<f64>().max(1.0);
        let mean = |measure: &dyn Fn(&str) -> f64| {
            values.iter().map(|(value, weight)| weight * measure(value)).sum::<f64>() / total
        };
        let share = |test: &dyn Fn(&str) -> bool| mean(&|value| f64::from(u8::from(test(value))));
        let digits = |value: &str| value.bytes().filter(u8::is_ascii_digit).count();
        self.emails = share(&|value| value.contains('@') && !value.contains(' '));
        self.dates = share(&|value| value.len() >= 6 && Date::parse(value, order).is_some_and(|date| date.month > 0));
        self.times = share(&|value| value.contains(':'));
        self.year_span = year_span(values, order);
        self.phones = share(&|value| (7..=15).contains(&digits(value)) && is_phone_like(value));
        self.phone_signs = share(&|value| is_phone_like(value) && value.bytes().any(|b| b"()+-/. ".contains(&b)));
        self.years =
            share(&|value| value.len() == 4 && value.parse::<u32>().is_ok_and(|year| (1500..=2100).contains(&year)));
        self.numbers = share(&|value| parse_number(value).is_some());
        self.unit_count = values.iter().map(|(value, _)| letters_of(value)).collect::<HashSet<_>>().len();
        let before_digits = |value: &&str| value.starts_with(char::is_alphabetic) && !value.contains(' ');
        let currencies = values.iter().map(|(value, _)| *value).filter(before_digits).map(letters_of);
        self.currency_count = currencies.collect::<HashSet<_>>().len();
        self.decimals = share(&|value| parse_number(value).is_some_and(|number| number.fract() != 0.0));
        self.longest_digits = values.iter().map(|(value, _)| digits(value)).max().unwrap_or(0);
        self.same_length = most_common_share(values.iter().map(|(value, weight)| (value.chars().count(), *weight)));
        self.codes = share(&|value| is_code_like(value));
        self.with_digit = share(&|value| digits(value) > 0);
        let cut: Vec<(Vec<String>, f64)> = values.iter().map(|(value, weight)| (words(value), *weight)).collect();
        let share_of_words = |test: &dyn Fn(&[String]) -> bool| {
            cut.iter().filter(|(words, _)| test(words)).map(|(_, weight)| weight).sum::<f64>() / total
        };
        self.word_mean = cut.iter().map(|(words, weight)| words.len() as f64 * weight).sum::<f64>() / total;
        self.letter_mean = mean(&|value| value.chars().count() as f64);
        self.streets = share_of_words(&|words| words.iter().skip(1).any(|word| is_address_word(word)));
        self.number_first = share_of_words(&|words| {
            words.len() > 1 && words[0].starts_with(|c: char| c.is_ascii_digit()) && words[0].len() < 6
        });
        self.people = share_of_words(&|words| words.len() <= 4 && words.iter().any(|word| is_name(word)));
        self.organizations =
            share_of_words(&|words| words.len() > 1 && words.iter().any(|word| is_organization_word(word)));
    }

    fn is_called(&self, names: &[&str]) -> bool {
        self.header.is_called(names)
    }

    /// Statistics used to choose columns, before the kind is known.
    fn told(&self) -> Told {
        Told {
            filled: self.filled_count as f64 / self.row_count.max(1) as f64,
            bits: -self.equal.max(f64::MIN_POSITIVE).log2(),
            decimals: self.decimals,
            times: self.times,
            years: self.year_span,
        }
    }

    /// Kind of the column, and the reason for it.
    fn kind(&self) -> (Kind, String) {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        if self.filled_count == 0 {
            return (Kind::Ignored, "it has no values".to_owned());
        }
        if self.distinct_count == 1 && self.row_count > 1 {
            return (Kind::Ignored, "it has the same value everywhere".to_owned());
        }
        if self.emails >= 0.6 {
            return (Kind::Email, format!("{} have an @", percent(self.emails)));
        }
        if self.dates >= 0.8 || (self.dates >= 0.4 && self.is_called(DATE)) {
            return (Kind::Date, format!("{} are dates", percent(self.dates)));
        }
        if self.years >= 0.98 || (self.years >= 0.6 && self.is_called(DATE)) {
            return (Kind::Date, format!("{} are years", percent(self.years)));
        }
        if self.phones >= 0.8 && !self.is_called(OF_IDENTITY) && (self.phone_signs >= 0.5 || self.is_called(PHONE)) {
            return (Kind::Phone, format!("{} look like phones", percent(self.phones)));
        }
        let is_identifier = !self.is_shared && self.distinct_count == self.filled_count && self.word_mean <= 2.0;
        if is_identifier && self.row_count >= 20 && (self.codes >= 0.9 || self.numbers >= 0.9) && self.decimals == 0.0 {
            return (Kind::Ignored, "it differs in every record: an identifier".to_owned());
        }
        if self.numbers >= 0.9 && self.has_units() {
            return self.kind_of_number();
        }
        if self.is_called(HOUSE_NUMBER) && self.word_mean <= 2.5 {
            return (Kind::Code, "it is called as house numbers are".to_owned());
        }
        if self.is_called(FURTHER_NAMES) && self.word_mean <= 4.0 && self.with_digit < 0.1 {
            return (Kind::PersonName, format!("it is called {}", self.header.text()));
        }
        if self.is_category() {
            return (Kind::Category, format!("{} values", self.distinct_count));
        }
        let is_place = self.is_called(ADDRESS) && !self.is_called(PLACE_CODE);
        if self.codes >= 0.7 && self.word_mean <= 2.5 && !is_place {
            return (Kind::Code, format!("{} are letters and digits", percent(self.codes)));
        }
        if self.letter_mean <= 4.0 && self.word_mean <= 1.2 && self.distinct_count <= 200 {
            return (Kind::Code, format!("{} short values", self.distinct_count));
        }
        self.kind_of_words()
    }

    /// True if a few values cover nearly all rows, in a column of neither places nor names.
    fn is_category(&self) -> bool {
        /// Minimum average number of rows per category.
        const LEAST_ROWS: usize = 20;
        /// Number of random pairs among which at least one is equal, in a column whose header is that of a
        /// classification.
        const PAIRS: f64 = 50.0;
        if self.is_called(OF_SORT) && self.equal >= 1.0 / PAIRS && self.word_mean <= 3.0 {
            return true;
        }
        let categories = self.distinct_count.min(MOST_CATEGORIES);
        self.categories >= 0.98
            && self.filled_count >= LEAST_ROWS * categories
            && !self.is_called(ADDRESS)
            && !self.is_called(PERSON)
            && !self.is_called(PLACE_CODE)
            && self.people < 0.25
    }

    /// True if the letters in its numbers can be units or currencies: there are few of them, and fewer before the digits.
    /// Codes such as "EKH3058" have more.
    fn has_units(&self) -> bool {
        const MOST_UNITS: usize = 20;
        const MOST_CURRENCIES: usize = 3;
        self.unit_count <= MOST_UNITS && self.currency_count <= MOST_CURRENCIES
    }

    fn kind_of_number(&self) -> (Kind, String) {
        if self.decimals == 0.0
            && (self.is_called(CODE)
                || self.is_called(HOUSE_NUMBER)
                || (self.same_length >= 0.9 && self.longest_digits >= 4))
        {
            return (Kind::Code, format!("{} digits each", self.longest_digits));
        }
        (Kind::Number, format!("{:.0} % are numbers", self.numbers * 100.0))
    }

    fn kind_of_words(&self) -> (Kind, String) {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        if self.streets.max(self.number_first) >= 0.4 && self.word_mean < 12.0 {
            return (Kind::Address, format!("{} look like addresses", percent(self.streets.max(self.number_first))));
        }
        if self.is_called(ADDRESS) && self.word_mean < 15.0 {
            return (Kind::Address, format!("it is called {}", self.header.text()));
        }
        if self.people >= 0.25 && self.word_mean <= 4.0 && self.organizations < 0.1 && self.with_digit < 0.1 {
            return (Kind::PersonName, format!("{} have a common name of a person", percent(self.people)));
        }
        if self.is_called(PERSON) && self.word_mean <= 4.0 && self.with_digit < 0.1 {
            return (Kind::PersonName, format!("it is called {}", self.header.text()));
        }
        if self.word_mean <= 7.0 && (self.organizations >= 0.15 || self.is_called(ORGANIZATION)) {
            let why = if self.organizations >= 0.15 {
                format!("{} have a word of an organization", percent(self.organizations))
            } else {
                format!("it is called {}", self.header.text())
            };
            return (Kind::Organization, why);
        }
        (Kind::FreeText, format!("words, {:.1} on average", self.word_mean))
    }
}

/// The letters of a value, in small letters.
fn letters_of(value: &str) -> String {
    value.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

fn is_phone_like(value: &str) -> bool {
    let number = value.to_ascii_lowercase();
    let number = ["ext", "x"].iter().filter_map(|mark| number.find(mark)).min().map_or(&number[..], |at| &number[..at]);
    number.bytes().all(|b| b.is_ascii_digit() || b"()+-/. ".contains(&b))
}

/// Years between the earliest and the latest twentieth of dates; 0 without any.
fn year_span(values: &[(&str, f64)], order: DateOrder) -> f64 {
    let mut years: Vec<u16> =
        values.iter().filter_map(|(value, _)| Date::parse(value, order)).map(|date| date.year).collect();
    years.sort_unstable();
    let cut = years.len() / 20;
    match years.get(cut..years.len() - cut) {
        Some([first, .., last]) => f64::from(last - first),
        _ => 0.0,
    }
}

/// Letters and digits in one or two short words, as in "SW1A 1AA" or "lfl-m2-12".
fn is_code_like(value: &str) -> bool {
    value.len() <= 24
        && value.split_whitespace().count() <= 2
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b" -_/.".contains(&b))
}

/// The share of the most common of some numbers, each of which has a weight.
fn most_common_share(numbers: impl Iterator<Item = (usize, f64)>) -> f64 {
    let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
    numbers.for_each(|(number, weight)| *weights.entry(number).or_default() += weight);
    let total: f64 = weights.values().sum();
    weights.values().copied().reduce(f64::max).map_or(0.0, |most| most / total)
}

fn is_name(word: &str) -> bool {
    static NAMES: OnceLock<HashSet<&str>> = OnceLock::new();
    NAMES.get_or_init(|| GIVEN_NAMES.split_whitespace().chain(FAMILY_NAMES.split_whitespace()).collect()).contains(word)
}

fn is_organization_word(word: &str) -> bool {
    static WORDS: OnceLock<HashSet<&str>> = OnceLock::new();
    WORDS.get_or_init(|| ORGANIZATION_WORDS.split_whitespace().collect()).contains(fold(word).as_str())
}
