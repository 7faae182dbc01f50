//! Two tables of N customers each, made up: typing errors, missing fields, moved and married people, households, skewed
//! names. Links them and holds the result against what is known.
//!
//! `cargo run --release -p lookalike-core --example link_large -- [N]`

use std::error::Error;
use std::time::Instant;

use lookalike_core::hash::mix;
use lookalike_core::link::cluster::Clusters;
use lookalike_core::link::decide::{matches, suggest_threshold};
use lookalike_core::link::guess::guess;
use lookalike_core::link::key::{Bounds, find_candidates};
use lookalike_core::link::records::Records;
use lookalike_core::link::score::Scorer;
use lookalike_core::link::weigh::{Frequencies, Model, compare_all};
use lookalike_core::table::Table;

/// Of the customers of the second table, those that are in the first too.
const SHARED: f64 = 0.7;

fn main() -> Result<(), Box<dyn Error>> {
    let count: u32 = std::env::args().nth(1).map_or(Ok(100_000), |count| count.parse())?;
    let start = Instant::now();
    let (first, second) = tables(count);
    let is_match = |left: u32, right: u32| left == right && f64::from(left) < SHARED * f64::from(count);
    let truth = (SHARED * f64::from(count)) as usize;
    println!("{count} records each, {truth} of them the same, made in {:.1} s", start.elapsed().as_secs_f64());
    for row in 0..3 {
        println!("  {:?}", (1..first.names().len()).map(|at| first.column(at).get(row)).collect::<Vec<_>>());
        println!("  {:?}", (1..first.names().len()).map(|at| second.column(at).get(row)).collect::<Vec<_>>());
    }

    let start = Instant::now();
    let lap = |name: &str| {
        println!(
            "{:>8.1} s {:>8.1} s of work {:>6} MB  {name}",
            start.elapsed().as_secs_f64(),
            work_seconds(),
            peak_megabytes()
        );
    };
    let config = guess(&first, Some(&second), Some("id"));
    lap("guessed");
    let records = Records::prepare(&first, Some(&second), &config)?;
    lap("prepared");
    let candidates = find_candidates(&records, &Bounds::for_count(records.count()));
    lap(&format!("{} candidates", candidates.len()));
    for (kind, report) in candidates.reports().filter(|(_, report)| report.candidate_count > 0) {
        println!("            {:10} {report:?}", kind.name());
    }
    let covered = (0..candidates.len())
        .filter(|at| {
            let (left, right) = candidates.pair(*at);
            is_match(left, right - count)
        })
        .count();
    println!("            {:.4} of the true pairs are candidates", covered as f64 / truth as f64);
    let patterns = compare_all(&records, &candidates);
    lap("compared");
    let model = Model::estimate(&records, &candidates, &patterns);
    lap(&format!("estimated: {:.0} matches", model.match_count));
    let frequencies = Frequencies::new(&records, &candidates, &patterns, &model);
    let scorer = Scorer { records: &records, model: &model, frequencies: &frequencies };
    let scored = scorer.score_all(&candidates, &patterns);
    lap(&format!("{} scored", scored.len()));
    let threshold = suggest_threshold(&scored);
    let matches = matches(&records, &scored, threshold);
    let clusters = Clusters::join(&scorer, &matches);
    lap(&format!("{} matches from {threshold:.3} on, {} clusters", matches.len(), clusters.count()));
    let right = matches.iter().filter(|pair| is_match(pair.left, pair.right - count)).count() as f64;
    let (precision, recall) = (right / matches.len() as f64, right / truth as f64);
    println!("precision {precision:.4}, recall {recall:.4}, F1 {:.4}", 2.0 * precision * recall / (precision + recall));
    let shown = std::env::args().nth(2).map_or(0, |shown| shown.parse().unwrap_or(0));
    let wrong = matches.iter().filter(|pair| !is_match(pair.left, pair.right - count));
    let wrong: Vec<_> = wrong.collect();
    for pair in wrong.iter().step_by(wrong.len() / shown.max(1) + 1) {
        let why = scorer.explain(pair.left, pair.right);
        println!("{:.2} = {:.2} + fields, bounded {:.2}", why.weight, why.prior, why.bounded);
        for field in &why.fields {
            println!("  {:>6.2} {:12} {:24} {:?} {:?}", field.weight, field.name, field.level, field.left, field.right);
        }
    }
    Ok(())
}

/// Seconds that all threads worked, however busy the machine was.
fn work_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: u64 = status.split(' ').skip(13).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn chance(&mut self, share: f64) -> bool {
        self.next() as f64 / (u64::MAX as f64) < share
    }

    /// Few of the numbers often, most of them rarely.
    fn skewed(&mut self, bound: usize) -> usize {
        let even = self.next() as f64 / u64::MAX as f64;
        ((bound as f64 + 1.0).powf(even) - 1.0) as usize % bound
    }
}

fn word(seed: u64, syllables: usize) -> String {
    const STARTS: [&str; 20] =
        ["b", "br", "c", "d", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v", "w"];
    const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ee", "ou", "ay"];
    const ENDS: [&str; 8] = ["", "", "n", "r", "s", "l", "tt", "ck"];
    let mut dice = Dice(mix(seed));
    (0..syllables).flat_map(|_| [STARTS[dice.below(20)], VOWELS[dice.below(8)], ENDS[dice.below(8)]]).collect()
}

#[derive(Clone)]
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

fn place(dice: &mut Dice) -> (String, String, String) {
    const TYPES: [&str; 5] = ["Street", "Road", "Avenue", "Lane", "Drive"];
    let street = format!(
        "{} {} {}",
        1 + dice.skewed(400),
        word(2_000_000 + dice.skewed(20_000) as u64, 2),
        TYPES[dice.below(5)]
    );
    let city = dice.skewed(3_000);
    (street, word(3_000_000 + city as u64, 2), format!("{:05}", 10_000 + city * 17 % 80_000 + dice.below(10)))
}

fn customer(number: u32, household: u32) -> Customer {
    let mut home = Dice(mix(u64::from(household) ^ 0xABCD));
    let mut dice = Dice(mix(u64::from(number)));
    let (street, city, postcode) = place(&mut home);
    let family = word(1_000_000 + home.skewed(30_000) as u64, 2);
    let given = word(dice.skewed(3_000) as u64, 1 + dice.below(2));
    let phone = format!("0{}{:07}", 20 + home.below(70), home.below(10_000_000));
    let born = format!("{}-{:02}-{:02}", 1930 + dice.below(75), 1 + dice.below(12), 1 + dice.below(28));
    let domain = ["mail.com", "post.net", "web.org"][dice.below(3)];
    let email = match dice.below(3) {
        0 => format!("{given}.{family}@{domain}"),
        1 => format!("{given}{}@{domain}", dice.below(10_000)),
        _ => format!("{}{family}{}@{domain}", &given[..1], dice.below(100)),
    };
    Customer { given, family, street, city, postcode, phone, born, email }
}

/// A letter more, less, other, or two swapped.
fn slip(text: &str, dice: &mut Dice) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if letters.len() < 3 {
        return text.to_owned();
    }
    let at = dice.below(letters.len() - 1);
    let other = if letters[at].is_ascii_digit() {
        char::from(b'0' + dice.below(10) as u8)
    } else {
        char::from(b'a' + dice.below(26) as u8)
    };
    match dice.below(4) {
        0 => letters.insert(at, other),
        1 => drop(letters.remove(at)),
        2 => letters[at] = other,
        _ => letters.swap(at, at + 1),
    }
    letters.into_iter().collect()
}

/// The customer as another shop wrote it down, some years later.
fn again(customer: &Customer, number: u32) -> Customer {
    let mut dice = Dice(mix(u64::from(number) ^ 0x5555_0000));
    let mut other = customer.clone();
    if dice.chance(0.1) {
        (other.street, other.city, other.postcode) = place(&mut dice);
        if dice.chance(0.5) {
            other.phone = format!("0{}{:07}", 20 + dice.below(70), dice.below(10_000_000));
        }
    }
    if dice.chance(0.04) {
        other.family = word(1_000_000 + dice.skewed(30_000) as u64, 2);
    }
    if dice.chance(0.02) {
        std::mem::swap(&mut other.given, &mut other.family);
    }
    if dice.chance(0.2) {
        other.email = format!("{}{}@mail.com", word(u64::from(number), 2), dice.below(1000));
    }
    other.street = if dice.chance(0.5) {
        other.street.replace("Street", "St.").replace("Avenue", "Ave").replace("Road", "Rd")
    } else {
        other.street
    };
    other
}

fn damaged(mut customer: Customer, seed: u64) -> Customer {
    let mut dice = Dice(mix(seed));
    let fields: [(&mut String, f64, f64); 8] = [
        (&mut customer.given, 0.08, 0.03),
        (&mut customer.family, 0.08, 0.01),
        (&mut customer.street, 0.10, 0.05),
        (&mut customer.city, 0.06, 0.05),
        (&mut customer.postcode, 0.04, 0.10),
        (&mut customer.phone, 0.05, 0.25),
        (&mut customer.born, 0.03, 0.15),
        (&mut customer.email, 0.04, 0.40),
    ];
    for (field, slips, missing) in fields {
        if dice.chance(missing) {
            field.clear();
        } else if dice.chance(slips) {
            *field = slip(field, &mut dice);
        }
    }
    customer
}

fn tables(count: u32) -> (Table, Table) {
    let names = ["id", "given_name", "family_name", "street", "city", "postcode", "phone", "birth_date", "email"];
    let mut tables = [Table::new(names), Table::new(names)];
    for (side, table) in tables.iter_mut().enumerate() {
        for row in 0..count {
            let is_shared = f64::from(row) < SHARED * f64::from(count);
            let number = if side == 0 || is_shared { row } else { count + row };
            // A third of all customers live with another one.
            let known = customer(number, if number.is_multiple_of(3) { number + 1 } else { number });
            let known = if side == 1 && is_shared { again(&known, number) } else { known };
            let made = damaged(known, u64::from(row) << 1 | side as u64);
            let id = row.to_string();
            let fields = [
                &id,
                &made.given,
                &made.family,
                &made.street,
                &made.city,
                &made.postcode,
                &made.phone,
                &made.born,
                &made.email,
            ];
            table.push(&fields).expect("as many fields as names");
        }
    }
    let [first, second] = tables;
    (first, second)
}
