//! Retry limits for requests to a store.
//!
//! `object_store` retries failed requests; it resumes an interrupted body only if there is an etag. The ranges and
//! streams here therefore retry bodies themselves, and only bodies: otherwise retries would multiply.

use std::time::Duration;

use object_store::{BackoffConfig, RetryConfig};

/// Retry limits for requests to a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Number of retries.
    pub tries: usize,
    /// Wait before the first retry.
    pub first_wait: Duration,
    /// Longest wait between retries.
    pub longest_wait: Duration,
    /// Time after which there are no more retries. A signature is valid for five minutes, and is not renewed for a
    /// retry.
    pub in_all: Duration,
    /// Maximum total time without receiving a byte, including retries.
    pub without_progress: Duration,
}

impl Default for Patience {
    /// Ten attempts in one and a half minutes: a store that moves a partition answers "slow down" for about that long.
    fn default() -> Self {
        Self {
            tries: 10,
            first_wait: Duration::from_millis(200),
            longest_wait: Duration::from_secs(20),
            in_all: Duration::from_mins(2),
            without_progress: Duration::from_mins(2),
        }
    }
}

impl Patience {
    /// The limits for requests. A wait is drawn between the first one and four times the last, so it doubles on
    /// average; with a factor of two it would not grow at all.
    pub(super) fn for_requests(&self) -> RetryConfig {
        let backoff = BackoffConfig { init_backoff: self.first_wait, max_backoff: self.longest_wait, base: 4.0 };
        RetryConfig { backoff, max_retries: self.tries, retry_timeout: self.in_all }
    }

    /// Wait before the attempt with this number, counted from 1.
    pub(super) fn wait(&self, attempt: usize) -> Duration {
        let doublings = attempt.saturating_sub(1).min(16) as u32;
        self.first_wait.saturating_mul(1 << doublings).min(self.longest_wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_until_the_longest() {
        let patience = Patience::default();
        let waits: Vec<u128> = (1..=10).map(|attempt| patience.wait(attempt).as_millis()).collect();
        assert_eq!(waits, [200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000, 20_000]);
        assert_eq!(patience.wait(usize::MAX), patience.longest_wait);
    }
}
