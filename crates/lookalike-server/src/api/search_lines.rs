//! Many searches in one request: one line per query and per answer, in batches that are searched together on all cores.
//!
//! A batch is limited in lines, bytes and possible matches, so that a long body does not cause a large response in
//! memory. The answers are the same as for one search after the other.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use lookalike::index::Search;
use lookalike_index::{Query, SearchOptions, Snapshot};
use rayon::prelude::*;
use tokio::sync::mpsc;

use super::search::{Asked, MOST_MATCHES, SearchAnswer, SearchRequest, answer};
use crate::access::Sight;
use crate::body::{self, Held};
use crate::memory::Memory;
use crate::problem::Problem;
use crate::state::{OpenIndex, Shared};

/// Maximum number of answers that wait for the client to read them.
const ANSWERS_AHEAD: usize = 16;

/// Maximum number of lines in a batch: enough for all cores to have work most of the time.
const MOST_LINES: usize = 64;

/// Maximum number of bytes in the lines of a batch, unless a single line has more.
const MOST_BYTES: usize = 256 << 10;

/// Answers line by line, as fast as the client takes the answers.
pub(super) fn answer_lines(shared: &Arc<Shared>, index: Arc<OpenIndex>, held: Held, sight: Sight) -> Response {
    let (sender, mut receiver) = mpsc::channel::<Bytes>(ANSWERS_AHEAD);
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let held = Arc::new(held);
        let mut lines = Lines::default();
        loop {
            let piece = lines.piece(held.bytes());
            let Some(last) = piece.last().cloned() else { return };
            let (bytes, index, ranges) = (Arc::clone(&held), Arc::clone(&index), piece.clone());
            let (of_job, counted) = (Arc::clone(&shared), piece.iter().map(ExactSizeIterator::len).sum());
            let find = async {
                let work = shared.memory.work(counted).await?;
                let find = move || {
                    let _work = work;
                    let lines: Vec<&[u8]> = ranges.into_iter().map(|range| &bytes.bytes()[range]).collect();
                    answer_some(&index, &lines, sight, &of_job.memory, counted)
                };
                shared.work.search(find).await
            };
            let answers = match find.await {
                Ok(answers) => answers,
                // Too many are waiting, or it took too long: each line is tried separately, with its own time limit.
                Err(_) if piece.len() > 1 => {
                    lines.alone_until = last.end;
                    continue;
                }
                Err(problem) => vec![line_of(Err(problem))],
            };
            // Unanswered lines start the next batch.
            lines.from = piece[answers.len() - 1].end;
            for answer in answers {
                if sender.send(answer).await.is_err() {
                    return;
                }
            }
        }
    });
    let lines = futures_util::stream::poll_fn(move |context| receiver.poll_recv(context));
    let lines = futures_util::StreamExt::map(lines, Ok::<_, std::convert::Infallible>);
    ([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response()
}

/// Position of the next batch in a body.
#[derive(Debug, Default)]
struct Lines {
    from: usize,
    /// Lines before this position are batches of their own.
    alone_until: usize,
}

impl Lines {
    /// Returns the lines of the next batch that are not empty; an empty list at the end.
    fn piece(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let most = if self.from < self.alone_until { 1 } else { MOST_LINES };
        let mut piece: Vec<Range<usize>> = Vec::new();
        let mut from = self.from;
        while from < bytes.len() && piece.len() < most {
            let end = bytes[from..].iter().position(|byte| *byte == b'\n');
            let to = end.map_or(bytes.len(), |end| from + end + 1);
            if !bytes[from..to].trim_ascii().is_empty() {
                if !piece.is_empty() && to - self.from > MOST_BYTES {
                    break;
                }
                piece.push(from..to);
            }
            from = to;
        }
        piece
    }
}

/// Answers the first of these lines, at least one: as many as together request no more matches than a single one may.
fn answer_some(
    index: &OpenIndex,
    lines: &[&[u8]],
    sight: Sight,
    memory: &Memory,
    counted: usize,
) -> Result<Vec<Bytes>, Problem> {
    let start = Instant::now();
    let snapshot = index.snapshot()?;
    let mut requests: Vec<Result<Asked, Problem>> = Vec::new();
    let mut matches = 0;
    for line in lines {
        let request = body::parse::<SearchRequest>(line).and_then(SearchRequest::check);
        // Passages are slow, and as large as the texts.
        matches +=
            request.as_ref().map_or(0, |asked| if asked.passages { MOST_MATCHES } else { asked.search.options.top() });
        if !requests.is_empty() && matches > MOST_MATCHES {
            break;
        }
        requests.push(request);
    }
    let needed = requests.iter().flatten().map(|asked| asked.working_bytes(index, &snapshot));
    let _more = memory.beyond(counted, needed.sum::<Result<u64, Problem>>()?)?;
    let mut answers = answer_texts(index, &snapshot, &requests, start);
    let others = answers.par_iter_mut().zip(requests).filter(|(answer, _)| answer.is_none());
    others.for_each(|(found, request)| {
        *found = Some(request.and_then(|asked| answer(index, &snapshot, &asked, sight, Instant::now())));
    });
    Ok(answers.into_iter().flatten().map(line_of).collect())
}

/// Answers lines that search for texts with the same options, which are searched for together; `None` for all others.
fn answer_texts(
    index: &OpenIndex,
    snapshot: &Snapshot,
    requests: &[Result<Asked, Problem>],
    start: Instant,
) -> Vec<Option<Result<SearchAnswer, Problem>>> {
    let mut groups: Vec<(SearchOptions, Vec<usize>, Vec<Query<'_>>)> = Vec::new();
    for (at, request) in requests.iter().enumerate() {
        let Ok(Asked { search: Search { query, options, .. }, passages: false, .. }) = request else { continue };
        let Some(query @ (Query::Text(_) | Query::Document { .. })) = query.single() else { continue };
        match groups.iter_mut().find(|group| group.0 == *options) {
            Some((_, places, queries)) => {
                places.push(at);
                queries.push(query);
            }
            None => groups.push((*options, vec![at], vec![query])),
        }
    }
    let mut answers: Vec<Option<Result<SearchAnswer, Problem>>> = requests.iter().map(|_| None).collect();
    for (options, places, queries) in groups {
        // Errors are found when each query is searched separately.
        let Ok(found) = snapshot.search_each(&queries, &options) else { continue };
        for (at, found) in places.into_iter().zip(found) {
            let with_fields = requests[at].as_ref().is_ok_and(|asked| asked.fields);
            answers[at] = Some(Ok(SearchAnswer::of(index, snapshot, found, with_fields, start)));
        }
    }
    answers
}

fn line_of(answer: Result<SearchAnswer, Problem>) -> Bytes {
    let mut line = match answer {
        Ok(answer) => serde_json::to_vec(&answer).expect("an answer is plain data"),
        Err(problem) => serde_json::to_vec(&problem).expect("a problem is plain data"),
    };
    line.push(b'\n');
    line.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(bytes: &[u8]) -> Vec<usize> {
        let mut lines = Lines::default();
        let mut counts = Vec::new();
        while let Some(last) = lines.piece(bytes).last() {
            counts.push(lines.piece(bytes).len());
            lines.from = last.end;
        }
        counts
    }

    #[test]
    fn a_piece_has_a_bound_on_its_lines_and_bytes() {
        assert!(pieces(b"").is_empty() && pieces(b"\n \n").is_empty());
        assert_eq!(pieces(b"a\n\nb"), [2]);
        assert_eq!(pieces(&b"a\n".repeat(MOST_LINES + 1)), [MOST_LINES, 1]);
        let long = [vec![b'a'; MOST_BYTES / 2], b"\n".to_vec()].concat();
        assert_eq!(pieces(&long.repeat(3)), [1, 1, 1]);
        let longer = [vec![b'a'; 2 * MOST_BYTES], b"\nb\nc\n".to_vec()].concat();
        assert_eq!(pieces(&longer), [1, 2]);
    }

    #[test]
    fn lines_of_a_piece_that_failed_are_taken_alone() {
        let lines = Lines { from: 2, alone_until: 4 };
        assert_eq!(lines.piece(b"a\nb\nc\nd\n").as_slice(), std::slice::from_ref(&(2..4)));
        let lines = Lines { from: 4, alone_until: 4 };
        assert_eq!(lines.piece(b"a\nb\nc\nd\n"), [4..6, 6..8]);
    }
}
