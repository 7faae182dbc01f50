//! Confidence intervals of estimates, at 95 %.

use serde::{Deserialize, Serialize};

/// An estimate with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// A known value.
    pub(crate) fn exactly(value: f64) -> Self {
        Self { value, low: value, high: value }
    }

    /// Limits the estimate to a known range.
    pub(crate) fn within(self, least: f64, most: f64) -> Self {
        let Self { value, low, high } = self;
        Self { value: value.clamp(least, most), low: low.clamp(least, most), high: high.clamp(least, most) }
    }

    /// Adds a known value.
    pub(crate) fn plus(self, known: f64) -> Self {
        Self { value: self.value + known, low: self.low + known, high: self.high + known }
    }
}

/// Number of standard deviations of a normal distribution that leave 2.5 % on each side.
const Z: f64 = 1.959_964;

/// The interval of a sum of weights of random events, from the variance of the sum and the maximum weight of an event.
/// Uses the gamma distribution, which is conservative for few events, and for none: then the upper end is 3.7 times the
/// maximum weight. (Fay and Feuer, Confidence intervals for directly standardized rates, 1997)
pub(crate) fn of_sum(sum: f64, variance: f64, greatest: f64) -> Estimate {
    let quantile = |sum: f64, variance: f64, z: f64| {
        if sum <= 0.0 || variance <= 0.0 {
            sum
        } else {
            variance / (2.0 * sum) * chi_square(2.0 * sum * sum / variance, z)
        }
    };
    Estimate {
        value: sum,
        low: quantile(sum, variance, -Z).clamp(0.0, sum),
        high: quantile(sum + greatest, variance + greatest * greatest, Z).max(sum),
    }
}

/// The quantile of a chi-square distribution at `z` standard deviations of a normal one. (Wilson and Hilferty 1931)
fn chi_square(degrees: f64, z: f64) -> f64 {
    let part = 2.0 / (9.0 * degrees);
    degrees * (1.0 - part + z * part.sqrt()).max(0.0).powi(3)
}

/// The interval of the share of hits among draws. (Wilson 1927)
pub(crate) fn of_share(hits: usize, draws: usize) -> Estimate {
    if draws == 0 {
        return Estimate { value: 0.0, low: 0.0, high: 1.0 };
    }
    let (count, share) = (draws as f64, hits as f64 / draws as f64);
    let middle = (share + Z * Z / (2.0 * count)) / (1.0 + Z * Z / count);
    let half = Z / (1.0 + Z * Z / count) * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    Estimate { value: share, low: (middle - half).clamp(0.0, share), high: (middle + half).clamp(share, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_tables() {
        // 0 and 10 events of a Poisson distribution: 0 to 3.69, and 4.80 to 18.39.
        let none = of_sum(0.0, 0.0, 1.0);
        assert!(none.low.abs() < 1e-9 && (none.high - 3.69).abs() < 0.05, "{none:?}");
        let ten = of_sum(10.0, 10.0, 1.0);
        assert!((ten.low - 4.80).abs() < 0.05 && (ten.high - 18.39).abs() < 0.05, "{ten:?}");
        // 5 of 20: 0.112 to 0.469.
        let share = of_share(5, 20);
        assert!((share.low - 0.112).abs() < 0.001 && (share.high - 0.469).abs() < 0.001, "{share:?}");
        assert!(of_share(0, 100).low.abs() < 1e-12 && of_share(100, 100).high >= 1.0);
    }

    #[test]
    fn what_is_known_has_no_error() {
        assert_eq!(of_sum(7.0, 0.0, 0.0), Estimate::exactly(7.0));
        assert_eq!(Estimate::exactly(7.0).plus(3.0), Estimate::exactly(10.0));
    }
}
