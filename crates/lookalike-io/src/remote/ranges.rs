//! Reads an object in large parts, several of them in parallel ahead of the reader.
//!
//! The total read-ahead of all readers of a job is limited. A part that its reader is waiting for is always requested,
//! whatever the others hold, so readers cannot deadlock.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::{GetOptions, ObjectStore as _};

use super::find::Object;
use super::runtime::{self, Pending};
use super::version::Version;
use super::waiting::{Pulse, Waiting};
use crate::problem::Problem;

/// Large enough that a store's latency of about 50 ms is small in comparison.
const PART_BYTES: u64 = 8 << 20;
/// Minimum size of parts if memory is scarce.
const LEAST_PART_BYTES: u64 = 1 << 20;
/// Maximum number of parts a reader requests at once.
const AHEAD: usize = 4;
/// Maximum number of parts all readers request ahead: 256 MB.
const ALL_AHEAD: usize = 32;

/// The total read-ahead of some files, in addition to one part each.
#[derive(Debug)]
pub struct Ahead {
    /// The size of parts, and the number that may be held ahead.
    part_bytes: u64,
    most: usize,
    held: AtomicUsize,
}

impl Default for Ahead {
    fn default() -> Self {
        Self::of(ALL_AHEAD as u64 * PART_BYTES)
    }
}

impl Ahead {
    /// Creates a limit of about this many bytes.
    pub fn of(bytes: u64) -> Self {
        let part_bytes = (bytes / ALL_AHEAD as u64).clamp(LEAST_PART_BYTES, PART_BYTES);
        Self { part_bytes, most: ((bytes / part_bytes) as usize).min(ALL_AHEAD), held: AtomicUsize::new(0) }
    }
}

/// One part's share of the read-ahead limit.
#[derive(Debug)]
struct Share(Arc<Ahead>);

impl Share {
    fn take(ahead: &Arc<Ahead>) -> Option<Self> {
        let more = |held: usize| (held < ahead.most).then_some(held + 1);
        let taken = ahead.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.ok().map(|_| Self(Arc::clone(ahead)))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.0.held.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reason why a part is not available.
#[derive(Debug)]
pub(super) enum Failure {
    Changed,
    Problem(Problem),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// A requested part, and its share of the read-ahead limit, if it is ahead.
type Part = (Pending<Result<Bytes, Failure>>, Option<Share>);

/// The remaining parts of an object.
pub(super) struct Ranges {
    object: Arc<Object>,
    /// The etag of the first response, if the object was found without one: parts must not be of different versions.
    first_etag: Arc<OnceLock<String>>,
    next: u64,
    end: u64,
    under_way: VecDeque<Part>,
    waiting: Waiting,
    ahead: Arc<Ahead>,
}

impl Ranges {
    /// All parts of `object`, which has this size.
    pub(super) fn new(object: Arc<Object>, bytes: u64, waiting: Waiting) -> Self {
        let ahead = Arc::clone(object.ahead.get_or_init(Arc::default));
        Self { waiting, object, first_etag: Arc::default(), next: 0, end: bytes, under_way: VecDeque::new(), ahead }
    }

    /// The next part; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        if self.under_way.is_empty() {
            self.ask(None);
        }
        let Some((part, share)) = self.under_way.pop_front() else { return Ok(None) };
        while self.under_way.len() + 1 < AHEAD && self.next < self.end {
            let Some(share) = Share::take(&self.ahead) else { break };
            self.ask(Some(share));
        }
        let part = self.waiting.wait(&part).map_err(Failure::from).and_then(|part| part);
        drop(share);
        part.map(Some)
    }

    fn ask(&mut self, share: Option<Share>) {
        if self.next >= self.end {
            return;
        }
        let range = self.next..self.end.min(self.next + self.ahead.part_bytes);
        self.next = range.end;
        let (object, first_etag) = (Arc::clone(&self.object), Arc::clone(&self.first_etag));
        let pulse = self.waiting.pulse.clone();
        let part = runtime::start(async move { part(&object, &first_etag, range, &pulse).await });
        self.under_way.push_back((part, share));
    }
}

/// Reads one part. An interrupted body is resumed where it ended.
async fn part(
    object: &Object,
    first_etag: &OnceLock<String>,
    range: Range<u64>,
    pulse: &Pulse,
) -> Result<Bytes, Failure> {
    let wanted = (range.end - range.start) as usize;
    let mut version = object.version.clone();
    let mut bytes = Vec::with_capacity(wanted);
    let mut attempt = 0;
    loop {
        version.etag = version.etag.or_else(|| first_etag.get().cloned());
        let rest = range.start + bytes.len() as u64..range.end;
        let options = GetOptions { range: Some(rest.into()), if_match: version.condition(), ..GetOptions::default() };
        let answer = match object.location.store.get_opts(&object.location.path, options).await {
            Ok(answer) => answer,
            Err(object_store::Error::Precondition { .. } | object_store::Error::NotFound { .. }) => {
                return Err(Failure::Changed);
            }
            Err(error) => return Err(Problem::of(&error).into()),
        };
        let now = Version::of_object(&answer.meta);
        let is_as_first = now.etag.as_ref().is_none_or(|etag| first_etag.get_or_init(|| etag.clone()) == etag);
        // Not every store honors the condition.
        if !is_as_first || !version.is_same(&now) {
            return Err(Failure::Changed);
        }
        let mut pieces = answer.into_stream();
        let mut cause = "the body is too short".to_owned();
        while let Some(piece) = pieces.next().await {
            pulse.beat();
            match piece {
                Ok(piece) if bytes.len() + piece.len() <= wanted => bytes.extend_from_slice(&piece),
                Ok(_) => {
                    return Err(
                        Problem::Other { cause: "the store sends more than it was asked for".to_owned() }.into()
                    );
                }
                Err(error) => {
                    cause = super::cause::gist(&error);
                    break;
                }
            }
        }
        if bytes.len() == wanted {
            return Ok(Bytes::from(bytes));
        }
        attempt += 1;
        if attempt > object.patience.tries {
            return Err(Problem::Cut { cause }.into());
        }
        tokio::time::sleep(object.patience.wait(attempt)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_ahead_is_bounded_and_given_back() {
        let held = |ahead: &Arc<Ahead>| -> Vec<Share> {
            std::iter::from_fn(|| Share::take(ahead)).take(ALL_AHEAD * 2).collect()
        };
        let much = Arc::new(Ahead::of(1 << 30));
        let shares = held(&much);
        assert_eq!((shares.len(), much.part_bytes), (ALL_AHEAD, PART_BYTES));
        assert!(Share::take(&much).is_none());
        drop(shares);
        assert!(Share::take(&much).is_some());
        // With little memory, fewer; and another job has its own limit.
        let little = Arc::new(Ahead::of(8 << 20));
        let of_other = held(&much);
        let shares = held(&little);
        assert!(!shares.is_empty() && shares.len() as u64 * little.part_bytes <= 8 << 20, "{}", shares.len());
        drop(of_other);
    }
}
