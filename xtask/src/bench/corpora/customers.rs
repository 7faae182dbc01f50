//! Two synthetic tables of customers, and the records of the two that are the same person.
//!
//! The second table is from another shop, some years later: people have moved, married or changed their email address,
//! and both shops mistyped and omitted data. Names, streets and cities have skewed, realistic frequencies, and a third
//! of all customers share a home with another, which makes linking difficult.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context, Result};

use super::dice::Dice;

/// Share of customers of the second table that are also in the first.
pub(in crate::bench) const SHARED: f64 = 0.7;

/// The column of ids.
pub(in crate::bench) const ID: &str = "id";

const HEADING: &str = "id,given_name,family_name,street,city,postcode,phone,birth_date,email";

/// Writes both tables: ids are `a` and `b` with a number, which is equal for a customer in both.
///
/// The rows of each are in random order, so that the order carries no information.
pub(in crate::bench) fn write(count: usize, first: &Path, second: &Path) -> Result<()> {
    for (side, path) in [(Side::First, first), (Side::Second, second)] {
        write_table(count, side, path).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Number of customers in both tables of `count`.
pub(in crate::bench) fn shared_count(count: usize) -> usize {
    (SHARED * count as f64) as usize
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    First,
    Second,
}

fn write_table(count: usize, side: Side, path: &Path) -> std::io::Result<()> {
    let mut order: Vec<usize> = (0..count).collect();
    Dice::new(side as u64).shuffle(&mut order);
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "{HEADING}")?;
    for place in order {
        // Customers that are only in the second come after all of the first.
        let number = if side == Side::First || place < shared_count(count) { place } else { count + place };
        let mut customer = Customer::new(number);
        if side == Side::Second {
            customer.some_years_later(number);
        }
        let letter = if side == Side::First { 'a' } else { 'b' };
        customer.damage(&mut Dice::new((number as u64) << 1 | side as u64));
        writeln!(out, "{letter}{number},{}", customer.fields().join(","))?;
    }
    out.flush()
}

struct Customer {
    given: String,
    family: String,
    street: String,
    city: String,
    postcode: String,
    phone: String,
    born: String,
    email: String,
}

/// Purpose of a random stream, so that streams of the same number differ.
const HOME: u64 = 1 << 40;
const PERSON: u64 = 2 << 40;
const LATER: u64 = 3 << 40;

/// Start of the words of each kind, so that a city name is not a family name.
const GIVEN: u64 = 4 << 40;
const FAMILY: u64 = 5 << 40;
const STREET: u64 = 6 << 40;
const CITY: u64 = 7 << 40;
const MAILBOX: u64 = 8 << 40;

impl Customer {
    fn new(number: usize) -> Self {
        // A third of all customers live with another one.
        let home = if number.is_multiple_of(3) { number + 1 } else { number };
        let mut home = Dice::new(HOME + home as u64);
        let mut dice = Dice::new(PERSON + number as u64);
        let (street, city, postcode) = place(&mut home);
        let family = family_name(&mut home);
        let given = given_name(&mut dice);
        let phone = phone(&mut home);
        let born = format!("{}-{:02}-{:02}", 1930 + dice.below(75), 1 + dice.below(12), 1 + dice.below(28));
        let domain = dice.choose(&["mail.com", "post.net", "web.org"]);
        let email = match dice.below(3) {
            0 => format!("{given}.{family}@{domain}"),
            1 => format!("{given}{}@{domain}", dice.below(10_000)),
            _ => format!("{}{family}{}@{domain}", &given[..1], dice.below(100)),
        };
        Self { given, family, street, city, postcode, phone, born, email }
    }

    /// Some have moved, some have married, some have another email address, and some clerks abbreviate.
    fn some_years_later(&mut self, number: usize) {
        let mut dice = Dice::new(LATER + number as u64);
        if dice.chance(0.1) {
            (self.street, self.city, self.postcode) = place(&mut dice);
            if dice.chance(0.5) {
                self.phone = phone(&mut dice);
            }
        }
        if dice.chance(0.04) {
            self.family = family_name(&mut dice);
        }
        if dice.chance(0.02) {
            std::mem::swap(&mut self.given, &mut self.family);
        }
        if dice.chance(0.2) {
            self.email = format!("{}{}@mail.com", word(MAILBOX + number as u64, 2), dice.below(1000));
        }
        if dice.chance(0.5) {
            self.street = self.street.replace("Street", "St.").replace("Avenue", "Ave").replace("Road", "Rd");
        }
    }

    /// Typing errors and omissions.
    fn damage(&mut self, dice: &mut Dice) {
        let fields = [
            (&mut self.given, 0.08, 0.03),
            (&mut self.family, 0.08, 0.01),
            (&mut self.street, 0.10, 0.05),
            (&mut self.city, 0.06, 0.05),
            (&mut self.postcode, 0.04, 0.10),
            (&mut self.phone, 0.05, 0.25),
            (&mut self.born, 0.03, 0.15),
            (&mut self.email, 0.04, 0.40),
        ];
        for (field, slips, missing) in fields {
            if dice.chance(missing) {
                field.clear();
            } else if dice.chance(slips) {
                *field = slip(field, dice);
            }
        }
    }

    fn fields(&self) -> [&str; 8] {
        [&self.given, &self.family, &self.street, &self.city, &self.postcode, &self.phone, &self.born, &self.email]
            .map(String::as_str)
    }
}

pub(super) fn place(dice: &mut Dice) -> (String, String, String) {
    let name = word(STREET + skewed(dice, 20_000), 2);
    let kind = dice.choose(&["Street", "Road", "Avenue", "Lane", "Drive"]);
    let street = format!("{} {name} {kind}", 1 + skewed(dice, 400));
    let city = skewed(dice, 3_000);
    (street, word(CITY + city, 2), format!("{:05}", 10_000 + city * 17 % 80_000 + dice.below(10) as u64))
}

pub(super) fn family_name(dice: &mut Dice) -> String {
    word(FAMILY + skewed(dice, 30_000), 2)
}

pub(super) fn given_name(dice: &mut Dice) -> String {
    word(GIVEN + skewed(dice, 3_000), 1 + dice.below(2))
}

pub(super) fn phone(dice: &mut Dice) -> String {
    format!("0{}{:07}", 20 + dice.below(70), dice.below(10_000_000))
}

/// A number with skewed frequencies by the Zipf–Mandelbrot law: the most frequent of 30,000 has 1.2 % of all draws,
/// like the most frequent family name.
pub(super) fn skewed(dice: &mut Dice, end: u64) -> u64 {
    const OFFSET: f64 = 10.0;
    let stretch = (end as f64 + OFFSET) / OFFSET;
    ((OFFSET * stretch.powf(dice.unit()) - OFFSET) as u64).min(end - 1)
}

/// A pronounceable word for a number.
pub(super) fn word(number: u64, syllables: usize) -> String {
    const STARTS: [&str; 20] =
        ["b", "br", "c", "d", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v", "w"];
    const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ee", "ou", "ay"];
    const ENDS: [&str; 8] = ["", "", "n", "r", "s", "l", "tt", "ck"];
    let mut dice = Dice::new(number);
    (0..syllables).flat_map(|_| [dice.choose(&STARTS), dice.choose(&VOWELS), dice.choose(&ENDS)]).collect()
}

/// Inserts, removes or replaces a letter, or swaps two.
pub(super) fn slip(text: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if letters.len() < 3 {
        return text.to_owned();
    }
    let at = dice.below(letters.len() - 1);
    let start = if letters[at].is_ascii_digit() { (b'0', 10) } else { (b'a', 26) };
    let other = char::from(start.0 + dice.below(start.1) as u8);
    match dice.below(4) {
        0 => letters.insert(at, other),
        1 => drop(letters.remove(at)),
        2 => letters[at] = other,
        _ => letters.swap(at, at + 1),
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::fs;

    use super::*;

    #[test]
    fn tables_are_the_same_each_time_and_share_what_they_should() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second, again] = ["first", "second", "again"].map(|name| folder.path().join(name));
        write(100, &first, &second).unwrap();
        write(100, &first, &again).unwrap();
        assert_eq!(fs::read(&second).unwrap(), fs::read(&again).unwrap());
        let numbers = |path: &Path| -> HashSet<String> {
            let text = fs::read_to_string(path).unwrap();
            text.lines().skip(1).map(|row| row.split(',').next().unwrap()[1..].to_owned()).collect()
        };
        assert_eq!((numbers(&first).len(), numbers(&second).len()), (100, 100));
        assert_eq!(numbers(&first).intersection(&numbers(&second)).count(), shared_count(100));
    }
}
