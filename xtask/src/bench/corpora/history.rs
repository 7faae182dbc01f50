//! A synthetic table of historical people: names, place and date of birth from the year 1600 on, occupation. Nobody
//! occurs twice unless requested.
//!
//! Few names were in use, many people were born in one town and had the same trade, and often only the year is known,
//! so there are many more namesakes than in other tables.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

use super::customers::{skewed, slip, word};
use super::dice::Dice;

/// Column of ids: the number of the person, a hyphen, and the number of the record.
pub(crate) const ID: &str = "id";

const HEADING: &str = "id,full_name,first_name,surname,dob,birth_place,postcode,gender,occupation";

const MEN: [&str; 24] = [
    "John",
    "William",
    "Thomas",
    "James",
    "Charles",
    "George",
    "Robert",
    "Henry",
    "Edward",
    "Richard",
    "Joseph",
    "Samuel",
    "David",
    "Arthur",
    "Francis",
    "Alexander",
    "Peter",
    "Daniel",
    "Benjamin",
    "Walter",
    "Hugh",
    "Edmund",
    "Philip",
    "Matthew",
];
const WOMEN: [&str; 12] = [
    "Mary",
    "Elizabeth",
    "Anne",
    "Sarah",
    "Jane",
    "Margaret",
    "Catherine",
    "Alice",
    "Frances",
    "Susan",
    "Emma",
    "Ruth",
];
const TRADES: [&str; 30] = [
    "politician",
    "painter",
    "writer",
    "cricketer",
    "priest",
    "lawyer",
    "physician",
    "merchant",
    "engineer",
    "actor",
    "composer",
    "botanist",
    "journalist",
    "architect",
    "poet",
    "judge",
    "botanical illustrator",
    "naval officer",
    "printer",
    "sculptor",
    "astronomer",
    "explorer",
    "teacher",
    "chemist",
    "banker",
    "singer",
    "bookseller",
    "surgeon",
    "clockmaker",
    "translator",
];

const SURNAME: u64 = 14 << 40;
const TOWN: u64 = 15 << 40;
const PERSON: u64 = 16 << 40;
const ROW: u64 = 17 << 40;

/// Writes `count` people in random order, and a share of them twice.
pub(crate) fn write(count: usize, twice: f64, path: &Path) -> Result<()> {
    let mut rows: Vec<(usize, usize)> = (0..count).map(|person| (person, 0)).collect();
    rows.extend((0..(twice * count as f64).round() as usize).map(|person| (person, 1)));
    Dice::new(ROW).shuffle(&mut rows);
    write_rows(&rows, path).with_context(|| format!("cannot write {}", path.display()))
}

fn write_rows(rows: &[(usize, usize)], path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "{HEADING}")?;
    for (person, copy) in rows {
        let fields = fields(*person, *copy);
        writeln!(out, "{person}-{copy},{}", fields.join(","))?;
    }
    out.flush()
}

fn fields(person: usize, copy: usize) -> [String; 8] {
    let mut dice = Dice::new(PERSON + person as u64);
    let is_woman = dice.chance(0.2);
    let given = if is_woman { frequent(&WOMEN, &mut dice) } else { frequent(&MEN, &mut dice) };
    let surname = capital(&word(SURNAME + skewed(&mut dice, 6_000), 2));
    let year = 1600 + (350.0 * dice.unit().sqrt()) as usize;
    let born = match dice.below(10) {
        0..3 => String::new(),
        3..5 => format!("{year}-01-01"),
        _ => format!("{year}-{:02}-{:02}", 1 + dice.below(12), 1 + dice.below(28)),
    };
    let town = skewed(&mut dice, 2_000);
    let place = if dice.chance(0.25) { String::new() } else { capital(&word(TOWN + town, 2)) };
    let postcode = if place.is_empty() { String::new() } else { format!("b{} {}ab", town % 90 + 1, dice.below(10)) };
    let trade = if dice.chance(0.1) { "" } else { frequent(&TRADES, &mut dice) };
    let title = if dice.chance(0.1) { ["Sir ", "Rev. ", "Dr. "][dice.below(3)] } else { "" };
    let gender = if is_woman { "female" } else { "male" };
    let mut fields = [
        format!("{title}{given} {surname}"),
        given.to_owned(),
        surname,
        born,
        place,
        postcode,
        gender.to_owned(),
        trade.to_owned(),
    ];
    if copy > 0 {
        let mut dice = Dice::new(ROW + (person * 8 + copy) as u64);
        for field in &mut fields[1..6] {
            let is_slipped = dice.chance(0.1);
            if is_slipped {
                *field = slip(field, &mut dice);
            } else if dice.chance(0.1) {
                field.clear();
            }
        }
        let full_name = format!("{} {}", fields[1], fields[2]);
        full_name.trim().clone_into(&mut fields[0]);
    }
    fields
}

/// One of the choices, with decreasing frequency: the first has about 15 of 100.
fn frequent<'a>(choices: &[&'a str], dice: &mut Dice) -> &'a str {
    let weight = |at: usize| 1.0 / (at as f64 + 2.0);
    let mut left = dice.unit() * (0..choices.len()).map(weight).sum::<f64>();
    for (at, choice) in choices.iter().enumerate() {
        left -= weight(at);
        if left <= 0.0 {
            return choice;
        }
    }
    choices[choices.len() - 1]
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_ascii_uppercase() + rest
}
