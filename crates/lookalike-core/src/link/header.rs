//! Interprets the header of a column: which of a person's names it has, whether a household shares it, whether it is
//! about events in the life of a record rather than its identity.
//!
//! Headers decide only where values leave doubt; a column may have any name.

use super::config::Kind;
use super::normalize::words;

/// Words in the header of a column.
#[derive(Clone, Debug, Default)]
pub(super) struct Header(Vec<String>);

impl Header {
    pub(super) fn of(name: &str) -> Self {
        Self(header_words(name))
    }

    /// True if one of its words, or all of them joined together, is one of these names.
    pub(super) fn is_called(&self, names: &[&str]) -> bool {
        self.0.iter().any(|word| names.contains(&word.as_str())) || names.contains(&self.0.concat().as_str())
    }

    pub(super) fn text(&self) -> String {
        self.0.join(" ")
    }
}

/// Splits a header into words: `postCode`, `post_code` and `Post Code` are the same.
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

fn is_called(name: &str, names: &[&str]) -> bool {
    Header::of(name).is_called(names)
}

/// True if a column belongs to a single person, although columns of its kind usually describe a household or identify a
/// person: a place of birth, a middle name.
pub(super) fn is_of_person(name: &str, kind: Kind) -> bool {
    is_called(name, if kind == Kind::PersonName { FURTHER_NAMES } else { OF_BIRTH })
}

/// True if a column contains given names.
pub(super) fn is_given_name(name: &str) -> bool {
    is_called(name, GIVEN)
}

/// True if a column contains words such as "Jr".
pub(super) fn is_of_generation(name: &str) -> bool {
    is_called(name, GENERATION)
}

/// True if a column is shared by everyone in a household, in addition to address and phone.
pub(super) fn is_of_household(name: &str, kind: Kind) -> bool {
    match kind {
        Kind::PersonName => is_called(name, FAMILY),
        Kind::Code | Kind::Number => is_called(name, PLACE_CODE) || is_called(name, HOUSE_NUMBER),
        _ => false,
    }
}

/// True if a column names people who belong to a thing but do not identify it: its actors, its authors.
pub(super) fn is_attached(name: &str) -> bool {
    is_called(name, ATTACHED)
}

/// Words in headers that are common in tables of customers, sites and products.
pub(super) const DATE: &[&str] =
    &["dob", "date", "born", "birthdate", "birthday", "dateofbirth", "geburtsdatum", "year", "day", "died", "founded"];
pub(super) const PHONE: &[&str] =
    &["phone", "phones", "tel", "telephone", "mobile", "cell", "fax", "telefon", "handy", "phonenumber"];
pub(super) const CODE: &[&str] = &[
    "zip", "zipcode", "postcode", "postal", "plz", "code", "id", "ssn", "number", "no", "nr", "num", "isbn", "ean",
    "upc", "sku", "account", "licence", "license", "passport",
];
pub(super) const ADDRESS: &[&str] = &[
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
pub(super) const PERSON: &[&str] = &[
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
pub(super) const ORGANIZATION: &[&str] = &[
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
pub(super) const PLACE_CODE: &[&str] = &[
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
const GIVEN: &[&str] =
    &["first", "firstname", "given", "givenname", "forename", "fname", "vorname", "prenom", "nombre", "nome"];
const OF_BIRTH: &[&str] = &["birth", "birthplace", "born", "geburtsort", "native", "origin"];
/// Further names of a person, which do not distinguish the members of a household.
pub(super) const FURTHER_NAMES: &[&str] = &[
    "middle",
    "middlename",
    "middleinitial",
    "mi",
    "mname",
    "initial",
    "maiden",
    "maidenname",
    "mother",
    "father",
    "spouse",
];
pub(super) const GENERATION: &[&str] = &["suffix", "namesuffix", "generation", "jrsr"];
pub(super) const HOUSE_NUMBER: &[&str] =
    &["house", "housenumber", "houseno", "housenr", "streetnumber", "streetno", "hausnummer", "hausnr", "huisnummer"];
const ATTACHED: &[&str] = &[
    "actor",
    "actors",
    "actress",
    "author",
    "authors",
    "artist",
    "artists",
    "cast",
    "composer",
    "creator",
    "creators",
    "director",
    "directors",
    "editor",
    "editors",
    "performer",
    "performers",
    "producer",
    "producers",
    "star",
    "stars",
    "starring",
    "writer",
    "writers",
];
/// Names of columns for events and their times, which differ on every occasion.
pub(super) const HAPPENED: &[&str] = &[
    "created",
    "updated",
    "modified",
    "changed",
    "inserted",
    "imported",
    "exported",
    "timestamp",
    "registered",
    "registration",
    "signup",
    "joined",
    "opened",
    "closed",
    "login",
    "visit",
    "visits",
    "visited",
    "seen",
    "order",
    "orders",
    "ordered",
    "purchase",
    "purchases",
    "purchased",
    "payment",
    "payments",
    "invoice",
    "invoices",
    "transaction",
    "transactions",
    "contacted",
    "revenue",
    "amount",
    "spend",
    "spent",
    "sales",
    "balance",
    "total",
    "score",
    "rating",
    "points",
    "count",
    "turnover",
    "last",
];
/// Numbers that are unique to one person or place.
pub(super) const OF_ONE: &[&str] = &[
    "latitude",
    "longitude",
    "lat",
    "lon",
    "lng",
    "age",
    "height",
    "weight",
    "size",
    "member",
    "membership",
    "customer",
    "client",
    "employee",
    "patient",
];
/// Numbers that authorities assign to one person.
pub(super) const OF_IDENTITY: &[&str] = &[
    "ssn",
    "passport",
    "licence",
    "license",
    "tax",
    "taxid",
    "national",
    "nationalid",
    "sin",
    "nhs",
    "iban",
    "vat",
    "soc",
    "nino",
    "tin",
    "lei",
    "duns",
    "cpf",
    "dni",
    "nif",
    "pesel",
    "aadhaar",
];
/// Names of columns that classify a thing but do not identify it.
pub(super) const OF_SORT: &[&str] =
    &["type", "status", "category", "source", "flag", "segment", "class", "role", "sex", "gender"];
/// Dates of which everyone has exactly one.
pub(super) const OF_LIFE: &[&str] = &[
    "dob",
    "born",
    "birth",
    "birthdate",
    "birthday",
    "dateofbirth",
    "birthyear",
    "geburtsdatum",
    "geboren",
    "died",
    "death",
    "deathyear",
    "dod",
    "founded",
    "naissance",
    "nacimiento",
    "nascita",
];
