//! Relatives: how often those who share a household are one person.
//!
//! In a table with families and few duplicates, nearly all pairs that share address, phone and family name are
//! relatives; in a table where nobody has relatives, they are one person. Names show which: similar names are as
//! frequent among relatives as among any two people. It also depends on how much is shared: records that share town and
//! postcode are neighbors at most.

use super::super::config::Kind;
use super::super::measure::{ALIKE, Pattern, Scale, TWO_PEOPLE, level_of};
use super::super::records::{MOST_FIELDS, Tells};
use super::estimate::Counted;
use super::{HOUSEHOLD, Model, exact_weight};

/// Start of the first step, in bits over even odds.
const FIRST: f64 = -4.0;

/// Width of a step, in bits.
const STEP: f64 = 4.0;

/// Number of steps; the last one has no upper bound.
const STEPS: usize = 7;

/// Minimum that is learned from a table.
const LEAST: f64 = -8.0;

/// The same for the first step.
const LEAST_OF_FIRST: f64 = -6.0;

/// Logarithm of the odds by a shared household where nobody has relatives.
const NONE: f64 = 5.0;

/// Minimum number of pairs with different names and a shared birthday or number of a person that shows that names were
/// garbled and are not those of relatives: among relatives, only twins are such pairs.
const MANY: f64 = 20.0;

/// Pairs that share a household to one degree.
#[derive(Clone, Copy, Default)]
struct Shared {
    /// Pairs with different names.
    relatives: f64,
    /// Pairs with different names, but the same birthday or number.
    garbled: f64,
    /// Pairs with equal or similar names.
    alike: f64,
}

impl Shared {
    fn and(self, other: Self) -> Self {
        Self {
            relatives: self.relatives + other.relatives,
            garbled: self.garbled + other.garbled,
            alike: self.alike + other.alike,
        }
    }
}

impl Model {
    /// Maximum logarithm of the odds of two people by a shared household.
    pub(super) fn most_of_household(&self, household: f64) -> f64 {
        match self.relatives.len() {
            0 => HOUSEHOLD,
            count => self.relatives[step(household + self.prior).min(count - 1)],
        }
    }

    /// Learns these maxima from all candidates.
    pub(super) fn learn_relatives(&mut self, all: &Counted) {
        let Some(at) = self.fields.iter().position(|field| field.tells == Tells::Name) else { return };
        let mut steps = [Shared::default(); STEPS];
        for (pattern, count) in all {
            let mut said = [0.0; MOST_FIELDS];
            for (field, (said, model)) in said.iter_mut().zip(&self.fields).enumerate() {
                *said = model.weight(usize::from(level_of(*pattern, field)));
            }
            let shared = self.household(&said) + self.prior;
            if shared >= FIRST {
                let (step, level) = (&mut steps[step(shared)], level_of(*pattern, at));
                let is_other = TWO_PEOPLE.contains(&level);
                let is_garbled = is_other && self.is_one_by_number(*pattern);
                step.relatives += if is_other && !is_garbled { *count } else { 0.0 };
                step.garbled += if is_garbled { *count } else { 0.0 };
                step.alike += if level >= ALIKE { *count } else { 0.0 };
            }
        }
        let others = &self.fields[at].among_others;
        let by_chance = others[usize::from(ALIKE)..].iter().sum::<f64>()
            / TWO_PEOPLE.map(|level| others[usize::from(level)]).sum::<f64>().max(f64::MIN_POSITIVE);
        self.relatives = learned(&steps, by_chance).to_vec();
    }
}

impl Model {
    /// True if two records have an equal or nearly equal birthday or number of a person.
    fn is_one_by_number(&self, pattern: Pattern) -> bool {
        /// Minimum points of values that are as good as equal.
        const NEARLY: u8 = 75;
        self.fields.iter().enumerate().any(|(at, field)| {
            field.tells == Tells::Person
                && matches!(field.kind, Kind::Date | Kind::Code)
                && Scale::of(field.kind).level(level_of(pattern, at)).points >= NEARLY
        })
    }
}

/// Step for a number of bits over even odds.
fn step(bits: f64) -> usize {
    (((bits - FIRST) / STEP).max(0.0) as usize).min(STEPS - 1)
}

/// Merges steps so that sharing more never makes one person less likely. The first step, of those who share too little
/// to be relatives, says nothing about the others and stays as it is.
fn rising(steps: &[Shared; STEPS]) -> [Shared; STEPS] {
    let mut runs: Vec<(Shared, usize)> = Vec::new();
    for step in &steps[1..] {
        let mut run = (*step, 1);
        while let Some((before, count)) = runs.last()
            && before.alike * run.0.relatives >= run.0.alike * before.relatives
        {
            run.0 = run.0.and(*before);
            run.1 += count;
            runs.pop();
        }
        runs.push(run);
    }
    let mut all = std::iter::once((steps[0], 1)).chain(runs).flat_map(|(run, count)| std::iter::repeat_n(run, count));
    std::array::from_fn(|_| all.next().expect("runs have all steps"))
}

/// Maximum logarithm of the odds of each step.
fn learned(steps: &[Shared; STEPS], by_chance: f64) -> [f64; STEPS] {
    let odds = |shared: Shared| {
        let one = (shared.alike - shared.relatives * by_chance).max(0.0);
        // Without any pair, what is usual.
        exact_weight(((one + 2.0) / (shared.relatives + 1.0)).log2().clamp(LEAST, HOUSEHOLD))
    };
    let mut learned = rising(steps).map(odds);
    let mut beyond = Shared::default();
    for (step, learned) in steps.iter().zip(&mut learned).rev() {
        beyond = beyond.and(*step);
        if beyond.garbled >= MANY && beyond.garbled >= beyond.relatives && *learned >= HOUSEHOLD {
            *learned = NONE;
        }
    }
    // Below even odds nearly all pairs are of the lower end of a step, and less is known.
    learned[0] = learned[0].max(LEAST_OF_FIRST);
    // A step with few pairs says no less than the one before it.
    for at in 2..STEPS {
        learned[at] = learned[at].max(learned[at - 1]);
    }
    learned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(relatives: f64, garbled: f64, alike: f64) -> Shared {
        Shared { relatives, garbled, alike }
    }

    #[test]
    fn whoever_shares_more_is_not_less_one_person() {
        let numbers = [(900.0, 1.0), (500.0, 5.0), (100.0, 50.0), (20.0, 5.0), (0.0, 0.0), (1.0, 400.0), (0.0, 300.0)];
        let learned = learned(&numbers.map(|(relatives, alike)| shared(relatives, 0.0, alike)), 0.005);
        assert!(learned[1..].is_sorted(), "{learned:?}");
        assert!(
            learned[0] <= LEAST_OF_FIRST + 1e-9 && learned[2] < 0.0 && (learned[6] - HOUSEHOLD).abs() < 1e-9,
            "{learned:?}"
        );
    }

    #[test]
    fn twins_among_relatives_are_not_taken_for_garbled_names() {
        let families = [shared(300.0, 30.0, 500.0); STEPS];
        assert!(learned(&families, 0.005).iter().all(|most| *most <= HOUSEHOLD));
        let garbled = [shared(1.0, 8.0, 100.0); STEPS];
        assert!(learned(&garbled, 0.005).iter().any(|most| *most > HOUSEHOLD));
    }
}
