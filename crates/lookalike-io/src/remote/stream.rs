//! Reads a file of a web server without range support as a sequence of pieces, one of them ahead of the reader.
//!
//! An interrupted stream starts again from the first byte, so each piece has its offset, and may repeat earlier data.
//! The reader compares such a piece with what it has.

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::client::{HttpClient, HttpError};
use url::Url;

use super::patience::Patience;
use super::ranges::Failure;
use super::runtime::{self, Pending};
use super::version::Version;
use super::waiting::{Pulse, Waiting};
use super::web;
use crate::problem::Problem;

/// Maximum size of a piece.
const PIECE_BYTES: usize = 1 << 20;

type Pieces = BoxStream<'static, Result<Bytes, HttpError>>;

/// Result of reading the next piece.
enum Step {
    Piece(Pieces, Bytes),
    End,
    Cut(String),
    Failed(Failure),
}

/// A file, read from its start to its end.
pub(super) struct Stream {
    client: HttpClient,
    url: Url,
    version: Version,
    patience: Patience,
    waiting: Waiting,
    /// Offset of the next piece.
    offset: u64,
    /// Number of interruptions: in total, not in a row, since a server that sends one more byte each time would never
    /// end.
    cuts: usize,
    under_way: Option<Pending<Step>>,
    is_done: bool,
}

impl Stream {
    /// The file at `url`, which must be of this version.
    pub(super) fn new(client: HttpClient, url: Url, version: Version, patience: Patience, waiting: Waiting) -> Self {
        Self { waiting, client, url, version, patience, offset: 0, cuts: 0, under_way: None, is_done: false }
    }

    /// The next piece and its offset; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Bytes)>, Failure> {
        while !self.is_done {
            let step = self.under_way.take().unwrap_or_else(|| self.open());
            let cause = match self.waiting.wait(&step)? {
                Step::Piece(pieces, bytes) => {
                    let at = self.offset;
                    self.offset += bytes.len() as u64;
                    self.under_way = Some(runtime::start(read(pieces, self.waiting.pulse.clone())));
                    return Ok(Some((at, bytes)));
                }
                Step::End if self.version.bytes.is_none_or(|bytes| bytes == self.offset) => {
                    self.is_done = true;
                    break;
                }
                Step::End => "the file is not as long as it should be".to_owned(),
                Step::Cut(cause) => cause,
                Step::Failed(failure) => return Err(failure),
            };
            self.cuts += 1;
            if self.cuts > self.patience.tries {
                return Err(Problem::Cut { cause }.into());
            }
            self.offset = 0;
        }
        Ok(None)
    }

    fn open(&self) -> Pending<Step> {
        let (client, url, version, patience) =
            (self.client.clone(), self.url.clone(), self.version.clone(), self.patience);
        let (cuts, pulse) = (self.cuts, self.waiting.pulse.clone());
        runtime::start(async move {
            if cuts > 0 {
                tokio::time::sleep(patience.wait(cuts)).await;
            }
            match web::send(&client, &url, None, patience).await {
                Err(problem) => Step::Failed(problem.into()),
                Ok(answer) if answer.status().as_u16() != 200 => {
                    Step::Failed(Problem::of_status(answer.status().as_u16(), "").into())
                }
                Ok(answer) if !version.is_same(&web::version(&answer)) => Step::Failed(Failure::Changed),
                Ok(answer) => read(answer.into_body().bytes_stream(), pulse).await,
            }
        })
    }
}

/// Reads the available data, until a piece is full.
async fn read(mut pieces: Pieces, pulse: Pulse) -> Step {
    let mut bytes = Vec::new();
    while bytes.len() < PIECE_BYTES {
        match pieces.next().await {
            Some(Ok(piece)) => {
                pulse.beat();
                bytes.extend_from_slice(&piece);
            }
            Some(Err(error)) => return Step::Cut(super::cause::gist(&error)),
            None if bytes.is_empty() => return Step::End,
            None => break,
        }
    }
    Step::Piece(pieces, Bytes::from(bytes))
}
