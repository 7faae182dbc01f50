//! Tables to a [`Config`]: what each column is, told from its values. The word over it decides only where values could
//! be two things: seven digits are a phone or a code.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use xxhash_rust::xxh3::xxh3_64;

use super::config::{ColumnConfig, Config, Kind};
use super::normalize::{Date, DateOrder, fold, is_address_word, is_nothing, parse_number, words};
use super::partner::partners;
use super::records::MOST_FIELDS;
use super::vocabulary::{FAMILY_NAMES, GIVEN_NAMES, ORGANIZATION_WORDS};
use crate::hash::mix;
use crate::packed::Strings;
use crate::table::Table;

/// How many different values are looked at. They are the ones with the least hashes, so that rows may come in any order.
const SAMPLE: usize = 5_000;

/// Guesses what the columns of one or two tables are, and which of the second belongs to which of the first.
/// The column `id` is not compared.
pub fn guess(first: &Table, second: Option<&Table>, id: Option<&str>) -> Config {
    guess_two(first, second, [id, id])
}

/// The same where the columns of ids have two names.
pub fn guess_two(first: &Table, second: Option<&Table>, ids: [Option<&str>; 2]) -> Config {
    let id = ids[0];
    let partners = second.map(|second| partners(first, second, ids));
    let mut is_taken = vec![false; second.map_or(0, |second| second.names().len())];
    let mut columns = Vec::new();
    let mut word_means = Vec::new();
    for (at, name) in first.names().iter().enumerate() {
        let partner = second.zip(partners.as_ref().and_then(|partners| partners[at]));
        let mut other_name = None;
        if let Some((second, other)) = partner {
            is_taken[other] = true;
            other_name = Some(&second.names()[other]).filter(|other| *other != name).cloned();
        }
        let mut word_mean = 0.0;
        let (kind, why) = if id == Some(name) {
            (Kind::Ignored, "it is the id".to_owned())
        } else if second.is_some() && partner.is_none() {
            (Kind::Ignored, "only the first table has it".to_owned())
        } else {
            let profile = Profile::new(name, first.column(at), partner.map(|(second, other)| second.column(other)));
            word_mean = profile.word_mean;
            profile.kind()
        };
        columns.push(ColumnConfig { name: name.clone(), other_name, kind, why, ..ColumnConfig::default() });
        word_means.push(word_mean);
    }
    ignore_long_texts(&mut columns, &word_means);
    ignore_made_of_others(first, &mut columns);
    for (name, is_taken) in second.into_iter().flat_map(Table::names).zip(is_taken) {
        // A column of ids that has the name of the first is told there.
        if !(is_taken || ids[1] == Some(name) && ids[0] == ids[1]) {
            let is_id = ids[1] == Some(name);
            let why = if is_id { "it is the id of the second table" } else { "only the second table has it" };
            columns.push(ColumnConfig { name: name.clone(), why: why.to_owned(), ..ColumnConfig::default() });
        }
    }
    ignore_too_many(&mut columns);
    let id_right = ids[1].filter(|right| second.is_some() && Some(*right) != id).map(str::to_owned);
    Config { id: id.map(str::to_owned), id_right, columns, ..Config::default() }
}

/// No more than can be compared: the first ones, since tables begin with what matters.
fn ignore_too_many(columns: &mut [ColumnConfig]) {
    for column in columns.iter_mut().filter(|column| column.kind != Kind::Ignored).skip(MOST_FIELDS) {
        column.kind = Kind::Ignored;
        column.why = format!("{MOST_FIELDS} columns are compared, and others come first");
    }
}

/// Where there is a name or a title, a long text beside it says what the thing is like, and things of one kind are described
/// alike: it brings together what is only related.
fn ignore_long_texts(columns: &mut [ColumnConfig], word_means: &[f64]) {
    /// Words on average.
    const LONG: f64 = 20.0;
    /// A name or a title has fewer.
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

/// A column that is made of others says nothing that they do not: a full name beside given and family name, an address in one
/// beside street and town.
fn ignore_made_of_others(table: &Table, columns: &mut [ColumnConfig]) {
    /// The share of rows in which it must have all words of the others, and the share of its words that are theirs.
    const MOST: f64 = 0.8;
    let used: Vec<usize> = (0..table.names().len())
        .filter(|at| {
            matches!(columns[*at].kind, Kind::PersonName | Kind::Address | Kind::FreeText | Kind::Organization)
        })
        .collect();
    let mut rows: Vec<usize> = (0..table.row_count()).collect();
    if rows.len() > SAMPLE {
        // The same ones in any order of the rows.
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

/// What a column is by itself.
pub(super) fn kind_of_column(name: &str, cells: &Strings) -> Kind {
    Profile::new(name, cells, None).kind().0
}

/// `postCode`, `post_code` and `Post Code` are one name.
pub(super) fn header_words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before_is_lower = false;
    for c in name.chars() {
        if c.is_uppercase() && before_is_lower {
            spaced.push(' ');
        }
        before_is_lower = c.is_lowercase();
        spaced.push(if c == '_' { ' ' } else { c });
    }
    words(&spaced)
}

/// What can be seen of a column without knowing what it is.
///
/// Shares are of the filled values, each weighed by the root of how often it occurs: once each, typing errors would outvote what
/// they are errors of, since there are so many different ones; by all rows, the one thing that clerks type when they do
/// not know would.
#[derive(Debug, Default)]
struct Profile {
    header: Vec<String>,
    row_count: usize,
    filled_count: usize,
    distinct_count: usize,
    is_shared: bool,
    emails: f64,
    dates: f64,
    phones: f64,
    phone_signs: f64,
    numbers: f64,
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
    /// The share of the most common values in all rows.
    categories: f64,
}

/// A column has no more categories.
const MOST_CATEGORIES: usize = 30;

impl Profile {
    fn new<'a>(name: &str, first: &'a Strings, second: Option<&'a Strings>) -> Self {
        let mut profile = Self { header: header_words(name), ..Self::default() };
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
        // What both tables have, once.
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
        values.truncate(SAMPLE);
        let weighed = |(_, value, count): &(u64, &'a str, u32)| (*value, f64::from(*count).sqrt());
        profile.look_at(&values.iter().map(weighed).collect::<Vec<_>>());
        profile
    }

    /// Looks at values with their weights.
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
        self.phones = share(&|value| (7..=15).contains(&digits(value)) && is_phone_like(value));
        self.phone_signs = share(&|value| is_phone_like(value) && value.bytes().any(|b| b"()+-/. ".contains(&b)));
        self.years =
            share(&|value| value.len() == 4 && value.parse::<u32>().is_ok_and(|year| (1500..=2100).contains(&year)));
        self.numbers = share(&|value| parse_number(value).is_some());
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
        self.header.iter().any(|word| names.contains(&word.as_str())) || names.contains(&self.header.concat().as_str())
    }

    /// What the column is, and why.
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
        if self.phones >= 0.8 && (self.phone_signs >= 0.5 || self.is_called(PHONE)) {
            return (Kind::Phone, format!("{} look like phones", percent(self.phones)));
        }
        let is_identifier = !self.is_shared && self.distinct_count == self.filled_count && self.word_mean <= 2.0;
        if is_identifier && self.row_count >= 20 && (self.codes >= 0.9 || self.numbers >= 0.9) && self.decimals == 0.0 {
            return (Kind::Ignored, "it differs in every record: an identifier".to_owned());
        }
        if self.numbers >= 0.9 {
            return self.kind_of_number();
        }
        if self.is_category() {
            return (Kind::Category, format!("{} values", self.distinct_count));
        }
        if self.codes >= 0.7 && self.word_mean <= 2.5 {
            return (Kind::Code, format!("{} are letters and digits", percent(self.codes)));
        }
        if self.letter_mean <= 4.0 && self.word_mean <= 1.2 && self.distinct_count <= 200 {
            return (Kind::Code, format!("{} short values", self.distinct_count));
        }
        self.kind_of_words()
    }

    /// Whether few values are nearly all that there are, in a column that is no place and no name.
    fn is_category(&self) -> bool {
        /// Rows that each category has on average.
        const LEAST_ROWS: usize = 20;
        let categories = self.distinct_count.min(MOST_CATEGORIES);
        self.categories >= 0.98
            && self.filled_count >= LEAST_ROWS * categories
            && !self.is_called(ADDRESS)
            && !self.is_called(PERSON)
            && !self.is_called(PLACE_CODE)
            && self.people < 0.25
    }

    fn kind_of_number(&self) -> (Kind, String) {
        if self.decimals == 0.0 && (self.is_called(CODE) || (self.same_length >= 0.9 && self.longest_digits >= 4)) {
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
            return (Kind::Address, format!("it is called {}", self.header.join(" ")));
        }
        if self.people >= 0.25 && self.word_mean <= 4.0 && self.organizations < 0.1 && self.with_digit < 0.1 {
            return (Kind::PersonName, format!("{} have a common name of a person", percent(self.people)));
        }
        if self.is_called(PERSON) && self.word_mean <= 4.0 && self.with_digit < 0.1 {
            return (Kind::PersonName, format!("it is called {}", self.header.join(" ")));
        }
        if self.word_mean <= 7.0 && (self.organizations >= 0.15 || self.is_called(ORGANIZATION)) {
            let why = if self.organizations >= 0.15 {
                format!("{} have a word of an organization", percent(self.organizations))
            } else {
                format!("it is called {}", self.header.join(" "))
            };
            return (Kind::Organization, why);
        }
        (Kind::FreeText, format!("words, {:.1} on average", self.word_mean))
    }
}

/// Words over columns, as they are common in tables of customers, sites and products.
const DATE: &[&str] =
    &["dob", "date", "born", "birthdate", "birthday", "dateofbirth", "geburtsdatum", "year", "day", "died", "founded"];
const PHONE: &[&str] =
    &["phone", "phones", "tel", "telephone", "mobile", "cell", "fax", "telefon", "handy", "phonenumber"];
const CODE: &[&str] = &[
    "zip", "zipcode", "postcode", "postal", "plz", "code", "id", "ssn", "number", "no", "nr", "num", "isbn", "ean",
    "upc", "sku", "account", "licence", "license", "passport",
];
const ADDRESS: &[&str] = &[
    "address",
    "addr",
    "address1",
    "address2",
    "street",
    "road",
    "city",
    "town",
    "suburb",
    "place",
    "county",
    "village",
    "locality",
    "district",
    "region",
    "country",
    "ort",
    "strasse",
    "location",
    "municipality",
    "birthplace",
];
const PERSON: &[&str] = &[
    "firstname",
    "first",
    "given",
    "givenname",
    "forename",
    "surname",
    "last",
    "lastname",
    "family",
    "familyname",
    "middle",
    "middlename",
    "author",
    "authors",
    "person",
    "vorname",
    "nachname",
    "fname",
    "lname",
    "fullname",
];
const ORGANIZATION: &[&str] = &[
    "company",
    "organisation",
    "organization",
    "org",
    "business",
    "firm",
    "employer",
    "manufacturer",
    "brand",
    "vendor",
    "supplier",
    "publisher",
    "school",
    "site",
    "restaurant",
    "name",
];

const FAMILY: &[&str] = &[
    "surname",
    "last",
    "lastname",
    "family",
    "familyname",
    "lname",
    "nachname",
    "familienname",
    "apellido",
    "nom",
    "cognome",
];
const PLACE_CODE: &[&str] = &[
    "zip",
    "zipcode",
    "postcode",
    "postal",
    "postalcode",
    "plz",
    "postleitzahl",
    "cap",
    "state",
    "county",
    "country",
    "region",
    "province",
    "district",
];

/// Whether a column by its name is of one person, though it has the kind of one that a household shares: a place of birth.
pub(super) fn is_of_person(name: &str) -> bool {
    Profile { header: header_words(name), ..Profile::default() }.is_called(OF_BIRTH)
}

/// Whether a column by its name has given names.
pub(super) fn is_given_name(name: &str) -> bool {
    Profile { header: header_words(name), ..Profile::default() }.is_called(GIVEN)
}

const GIVEN: &[&str] =
    &["first", "firstname", "given", "givenname", "forename", "fname", "vorname", "prenom", "nombre", "nome"];
const OF_BIRTH: &[&str] = &["birth", "birthplace", "born", "geburtsort", "native", "origin"];

/// Whether a column by its name is one that all of a household share, beside address and phone.
pub(super) fn is_of_household(name: &str, kind: Kind) -> bool {
    let profile = Profile { header: header_words(name), ..Profile::default() };
    match kind {
        Kind::PersonName => profile.is_called(FAMILY),
        Kind::Code | Kind::Number => profile.is_called(PLACE_CODE),
        _ => false,
    }
}

fn is_phone_like(value: &str) -> bool {
    let number = value.to_ascii_lowercase();
    let number = ["ext", "x"].iter().filter_map(|mark| number.find(mark)).min().map_or(&number[..], |at| &number[..at]);
    number.bytes().all(|b| b.is_ascii_digit() || b"()+-/. ".contains(&b))
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
