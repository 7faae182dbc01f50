//! Defines which methods support which measures, and with which parameters.

use super::{MethodName, MethodOptions};
use crate::error::{Error, Result};
use crate::measure::criterion::Criterion;
use crate::method::SimHash;

impl MethodName {
    /// True if the method finds pairs that are similar by this criterion.
    pub fn finds(self, criterion: Criterion) -> bool {
        match criterion {
            Criterion::Jaccard(_) => true,
            // A quotation and the book that contains it differ in most bits and groups of minima, and are not copies.
            Criterion::Containment(_) => matches!(self, Self::MinHash | Self::Exact),
            Criterion::Cosine(_) | Criterion::Overlap(_) => self == Self::Exact,
        }
    }
}

impl MethodOptions {
    /// Checks that the method supports this criterion, and that its parameters are valid.
    pub(super) fn check(&self, criterion: Criterion) -> Result<()> {
        let is_containment = matches!(criterion, Criterion::Containment(_));
        let has_fitting_form = match self {
            Self::MinHash { .. } => !is_containment,
            // A few features of a document tell how much of it is contained in another, and nothing about the rest of
            // the other.
            Self::Part(_) => is_containment,
            Self::SimHash { .. } | Self::SuperShingle { .. } | Self::Exact | Self::Copies(_) => true,
        };
        if !has_fitting_form || !self.method_name().finds(criterion) {
            let (measure, allowed) = (criterion.measure(), allowed(criterion));
            return Err(Error::MethodDoesNotFit { method: self.to_string(), measure, allowed });
        }
        match self {
            Self::SimHash { distance, .. } => SimHash::check_distance(*distance),
            Self::SuperShingle { banding, .. } if banding.is_random() => Err(Error::RandomGroups),
            _ => Ok(()),
        }
    }
}

/// The methods for a criterion, as text.
fn allowed(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Jaccard(_) => "minhash with bands, simhash, supershingle, exact and copies",
        Criterion::Containment(_) => "minhash without bands, and exact",
        Criterion::Cosine(_) | Criterion::Overlap(_) => "exact",
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use strum::VariantNames;

    use super::*;
    use crate::bucket::banding::Banding;
    use crate::bucket::hamming::Tables;
    use crate::measure::similarity::Threshold;
    use crate::method::{Part, Weights, Width};
    use crate::scheme::Scheme;
    use crate::sketch::SlotKind;
    use crate::text::checksum::Checksum;

    fn simhash(distance: u32) -> MethodOptions {
        let (width, weights, tables) = (Width::Bits64, Weights::Idf, Tables::Blocks);
        MethodOptions::SimHash { width, weights, distance, tables, is_verified: true }
    }

    fn groups(banding: Banding) -> MethodOptions {
        MethodOptions::SuperShingle { banding, slots: SlotKind::Fast }
    }

    /// Every method, and whether it supports Jaccard, containment, cosine and overlap.
    fn table() -> Vec<(MethodOptions, [bool; 4])> {
        let banding = Banding::new(20, 7).unwrap();
        let random = Banding::random(30, 4, 64).unwrap();
        let minhash = |banding| MethodOptions::MinHash { banding, slots: SlotKind::Fast };
        vec![
            (minhash(banding), [true, false, false, false]),
            (minhash(random), [true, false, false, false]),
            (MethodOptions::Part(Part::of_taken(3).unwrap()), [false, true, false, false]),
            (simhash(3), [true, false, false, false]),
            (groups(banding), [true, false, false, false]),
            (MethodOptions::Exact, [true, true, true, true]),
            (MethodOptions::Copies(Checksum::Text), [true, false, false, false]),
        ]
    }

    fn criteria() -> [Criterion; 4] {
        let threshold = Threshold::new(0.8).unwrap();
        let overlap = Criterion::Overlap(NonZeroU32::new(3).unwrap());
        [Criterion::Jaccard(threshold), Criterion::Containment(threshold), Criterion::Cosine(threshold), overlap]
    }

    #[test]
    fn every_measure_has_its_methods_and_no_other() {
        for (method, allowed) in table() {
            for (criterion, is_allowed) in criteria().into_iter().zip(allowed) {
                let made = Scheme::new(criterion, method.clone());
                assert_eq!(made.is_ok(), is_allowed, "{method} with {}", criterion.measure());
                let swapped = Scheme::new(criterion, MethodOptions::Exact).unwrap().with_method(method.clone());
                assert_eq!(swapped.is_ok(), is_allowed, "{method} put into a scheme with {}", criterion.measure());
                match made {
                    // The parameters were checked, so this cannot fail.
                    Ok(scheme) => drop(scheme.build_method()),
                    Err(error) => assert!(matches!(error, Error::MethodDoesNotFit { .. }), "{error:?}"),
                }
            }
        }
    }

    #[test]
    fn a_name_goes_with_a_measure_if_one_of_its_forms_does() {
        for name in MethodName::VARIANTS {
            for (at, criterion) in criteria().into_iter().enumerate() {
                let of_name = table().into_iter().filter(|(method, _)| method.name() == *name);
                let (forms, allowed): (Vec<_>, Vec<bool>) = of_name.map(|(method, all)| (method, all[at])).unzip();
                assert!(!forms.is_empty(), "{name} is missing from the table");
                let finds = name.parse::<MethodName>().unwrap().finds(criterion);
                assert_eq!(finds, allowed.contains(&true), "{name} with {}", criterion.measure());
            }
        }
    }

    #[test]
    fn the_refusal_names_both_and_what_would_do() {
        let containment = Scheme::containment(0.8).unwrap();
        assert_eq!(
            containment.with_method(simhash(3)).unwrap_err().to_string(),
            "the method 'simhash sketch-bits=64 weights=idf bits=3 verify' does not find pairs by containment; \
             containment goes with minhash without bands, and exact"
        );
    }

    #[test]
    fn parameters_that_do_not_fit_the_method_are_refused() {
        let scheme = || Scheme::jaccard(0.8).unwrap();
        let drawn = Banding::random(6, 14, 128).unwrap();
        assert_eq!(scheme().with_method(groups(drawn)).unwrap_err(), Error::RandomGroups);
        assert!(matches!(scheme().with_method(simhash(65)), Err(Error::DistanceOutOfRange { distance: 65, .. })));
    }

    #[test]
    fn a_written_scheme_is_held_to_the_same_rules() {
        let [jaccard, containment, ..] = criteria();
        for (method, allowed) in table() {
            // Every method is supported by some scheme.
            let (fitting, other) = if allowed[0] { (jaccard, containment) } else { (containment, jaccard) };
            let written = serde_json::to_string(&Scheme::new(fitting, method.clone()).unwrap()).unwrap();
            assert!(serde_json::from_str::<Scheme>(&written).is_ok());
            let changed = written.replacen(fitting.measure(), other.measure(), 1);
            let is_allowed = Scheme::new(other, method).is_ok();
            assert_eq!(serde_json::from_str::<Scheme>(&changed).is_ok(), is_allowed, "{changed}");
        }
    }
}
