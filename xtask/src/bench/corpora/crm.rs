//! A synthetic table of customers with few duplicates: 93 of 100 rows are the first of their person, and persons with
//! duplicates have up to five more.
//!
//! The difficulty is in rows that look like duplicates but are not: namesakes, couples and children at one address,
//! fathers and sons with the same name, colleagues with the same phone.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

use super::customers::{family_name, given_name, phone, place, skewed, slip, word};
use super::dice::Dice;

/// Share of rows whose person is already in another row.
pub(crate) const DUPLICATES: f64 = 0.07;

/// Column of ids: the number of the person, a hyphen, and the number of the record.
pub(crate) const ID: &str = "id";

const HEADING: &str = "id,first_name,last_name,email,phone,birth_date,street,city,postcode,company";

/// Numbers of additional rows of a person with duplicates.
const EXTRA: [usize; 10] = [1, 1, 1, 1, 1, 1, 2, 2, 3, 5];

/// Start of the words for companies, and purposes of random streams.
const COMPANY: u64 = 9 << 40;
const OFFICE: u64 = 10 << 40;
const HOME: u64 = 11 << 40;
const PERSON: u64 = 12 << 40;
const ROW: u64 = 13 << 40;

/// Writes a table of `count` rows in random order; returns the number of pairs of rows of the same person.
pub(crate) fn write(count: usize, path: &Path) -> Result<usize> {
    let extra = extra_rows((DUPLICATES * count as f64) as usize);
    let person_count = count - extra.iter().sum::<usize>();
    let mut rows: Vec<(usize, usize)> = (0..person_count).map(|person| (person, 0)).collect();
    for (person, more) in extra.iter().enumerate() {
        rows.extend((1..=*more).map(|copy| (person, copy)));
    }
    Dice::new(ROW).shuffle(&mut rows);
    write_rows(&rows, person_count, path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(extra.iter().map(|more| (more + 1) * more / 2).sum())
}

/// Number of additional rows of the first persons, with this total.
fn extra_rows(count: usize) -> Vec<usize> {
    let mut left = count;
    let mut extra = Vec::new();
    while left > 0 {
        let more = EXTRA[extra.len() % EXTRA.len()].min(left);
        extra.push(more);
        left -= more;
    }
    extra
}

fn write_rows(rows: &[(usize, usize)], person_count: usize, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "{HEADING}")?;
    for (person, copy) in rows {
        let mut dice = Dice::new(ROW + (*person as u64 * 8) + *copy as u64 + 1);
        let mut contact = Contact::new(*person, person_count);
        if *copy > 0 {
            contact.change(&mut dice, person_count);
        }
        contact.damage(&mut dice);
        writeln!(out, "{person}-{copy},{}", contact.fields().join(","))?;
    }
    out.flush()
}

struct Contact {
    given: String,
    family: String,
    email: String,
    phone: String,
    born: String,
    street: String,
    city: String,
    postcode: String,
    company: String,
}

impl Contact {
    fn new(number: usize, person_count: usize) -> Self {
        let mut dice = Dice::new(PERSON + number as u64);
        // Homes of one to four people, who share a phone number.
        let home = match number % 10 {
            0..4 => number,
            4..8 => number - number % 2,
            _ => number - number % 20 + 8,
        };
        let mut shared = Dice::new(HOME + home as u64);
        let (street, city, postcode) = place(&mut shared);
        let household = (family_name(&mut shared), given_name(&mut shared), phone(&mut shared));
        // Some members of a household have their own family name; one in forty has the father's name.
        let family = if dice.chance(0.15) { family_name(&mut dice) } else { household.0 };
        let given = if dice.chance(0.025) { household.1 } else { given_name(&mut dice) };
        let company = if dice.chance(0.4) { Some(skewed(&mut dice, person_count as u64 / 10 + 10)) } else { None };
        let phone = match company {
            Some(company) if dice.chance(0.3) => phone(&mut Dice::new(OFFICE + company)),
            _ if dice.chance(0.5) => household.2,
            _ => phone(&mut dice),
        };
        let born = format!("{}-{:02}-{:02}", 1935 + dice.below(70), 1 + dice.below(12), 1 + dice.below(28));
        let email = email(&given, &family, company, &mut dice);
        let company = company.map_or_else(String::new, company_name);
        Self { given, family, email, phone, born, street, city, postcode, company }
    }

    /// Changes the data of a person who is entered again.
    fn change(&mut self, dice: &mut Dice, person_count: usize) {
        if dice.chance(0.08) {
            (self.street, self.city, self.postcode) = place(dice);
        }
        if dice.chance(0.15) {
            self.phone = phone(dice);
        }
        if dice.chance(0.03) {
            self.family = family_name(dice);
        }
        if dice.chance(0.02) {
            std::mem::swap(&mut self.given, &mut self.family);
        }
        if dice.chance(0.05) {
            self.given.truncate(1);
        }
        if dice.chance(0.2) {
            self.email = email(&self.given, &self.family, None, dice);
        }
        if dice.chance(0.15) {
            self.company = company_name(skewed(dice, person_count as u64 / 10 + 10));
        }
        if dice.chance(0.4) {
            self.street = self.street.replace("Street", "St.").replace("Avenue", "Ave").replace("Road", "Rd");
        }
    }

    /// Typing errors and empty cells.
    fn damage(&mut self, dice: &mut Dice) {
        let fields = [
            (&mut self.given, 0.04, 0.02),
            (&mut self.family, 0.04, 0.01),
            (&mut self.email, 0.03, 0.25),
            (&mut self.phone, 0.03, 0.25),
            (&mut self.born, 0.02, 0.3),
            (&mut self.street, 0.06, 0.1),
            (&mut self.city, 0.03, 0.08),
            (&mut self.postcode, 0.03, 0.1),
            (&mut self.company, 0.03, 0.0),
        ];
        for (field, slips, missing) in fields {
            if dice.chance(missing) {
                field.clear();
            } else if dice.chance(slips) {
                *field = slip(field, dice);
            }
        }
    }

    fn fields(&self) -> [&str; 9] {
        [
            &self.given,
            &self.family,
            &self.email,
            &self.phone,
            &self.born,
            &self.street,
            &self.city,
            &self.postcode,
            &self.company,
        ]
        .map(String::as_str)
    }
}

fn email(given: &str, family: &str, company: Option<u64>, dice: &mut Dice) -> String {
    let domain = match company {
        Some(company) => format!("{}.com", word(COMPANY + company, 2)),
        None => dice.choose(&["mail.com", "post.net", "web.org", "inbox.com", "letters.io"]).to_owned(),
    };
    match dice.below(4) {
        0 => format!("{given}.{family}@{domain}"),
        1 => format!("{given}{}@{domain}", dice.below(10_000)),
        2 => format!("{given}.{family}{}@{domain}", dice.below(100)),
        _ => format!("{}{family}{}@{domain}", &given[..1], dice.below(1000)),
    }
}

fn company_name(company: u64) -> String {
    let mut dice = Dice::new(COMPANY + company);
    let kind = dice.choose(&["Ltd", "Inc", "GmbH", "Partners", "Services", "& Sons", "Group"]);
    format!("{} {kind}", word(COMPANY + company, 2))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::fs;

    use super::*;

    #[test]
    fn a_table_has_as_many_rows_and_pairs_as_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("crm.csv");
        let pair_count = write(1000, &path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let mut of_person: HashMap<&str, usize> = HashMap::new();
        for row in text.lines().skip(1) {
            *of_person.entry(row.split('-').next().unwrap()).or_default() += 1;
        }
        assert_eq!(of_person.values().sum::<usize>(), 1000);
        assert_eq!(of_person.len(), 930);
        assert_eq!(of_person.values().map(|count| count * (count - 1) / 2).sum::<usize>(), pair_count);
        assert_eq!(of_person.values().max(), Some(&6));
    }
}
