//! Reads bodies with a timeout and a size limit, plain or compressed, as a whole or line by line.
//!
//! Compressed bodies are decompressed in pieces of about 32 KiB, so that a decompression bomb is detected early.

use std::io::{self, Write};
use std::ops::Range;
use std::time::{Duration, Instant};

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::{HeaderMap, header};
use flate2::write::MultiGzDecoder;
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use tokio::time::timeout;
use zstd::stream::raw::{DParameter, Decoder};
use zstd::stream::zio;

use crate::limits::Limits;
use crate::memory::{self, Share, TIMES};
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// Content type of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// One JSON value.
    Json,
    /// One JSON value per line.
    Lines,
}

/// Returns the content type in the headers.
///
/// # Errors
///
/// If it is not supported. A browser can send other types on behalf of another site, but not these.
pub(crate) fn content(headers: &HeaderMap) -> Result<Content, Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "application/json" => Ok(Content::Json),
        "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Ok(Content::Lines),
        "" => Err(Problem::new(Kind::OtherContent, "the header Content-Type is missing: send application/json")),
        _ => Err(Problem::new(Kind::OtherContent, "send application/json, or application/x-ndjson for many")),
    }
}

/// A complete body, with the memory reserved for it.
#[derive(Debug)]
pub(crate) struct Held {
    bytes: Vec<u8>,
    _room: Share,
    /// Memory reserved for processing it.
    _work: Option<Share>,
}

impl Held {
    /// Reads the whole body, and waits until there is memory to process it.
    ///
    /// # Errors
    ///
    /// If it is too large, too slow, incomplete or inconsistent with its headers, or if there is not enough memory.
    pub(crate) async fn read(shared: &Shared, headers: &HeaderMap, body: Body) -> Result<Self, Problem> {
        let held = Self::receive(shared, headers, body).await?;
        let work = shared.memory.work(held.bytes.len()).await?;
        Ok(Self { _work: Some(work), ..held })
    }

    /// Reads the whole body, to be processed in pieces.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) async fn receive(shared: &Shared, headers: &HeaderMap, body: Body) -> Result<Self, Problem> {
        let most = most_body(shared);
        let mut source = Source::new(shared, headers, body, most)?;
        let mut room = shared.memory.incoming();
        let mut bytes = Vec::new();
        loop {
            let is_more = source.unpack(&mut bytes).await?;
            if bytes.len() as u64 > most {
                return Err(source.too_large("the body"));
            }
            room.grow_to(bytes.len() as u64)?;
            if !is_more {
                return Ok(Self { bytes, _room: room, _work: None });
            }
        }
    }

    /// True if it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Parses the body. Large ones take a while: see [`Work`](crate::work::Work).
    ///
    /// # Errors
    ///
    /// If it is not JSON, or not of this type.
    pub(crate) fn parse<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        parse(&self.bytes)
    }

    /// Parses the body and frees its bytes.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub(crate) fn take<T: DeserializeOwned>(&mut self) -> Result<T, Problem> {
        parse(&std::mem::take(&mut self.bytes))
    }
}

/// Maximum size of a body that is held as a whole: the size limit, and what the memory allows to process.
fn most_body(shared: &Shared) -> u64 {
    (shared.limits.body_bytes as u64).min(shared.memory.most_body())
}

/// Parses a request, which must be an object: serde would accept a list of the fields in order.
///
/// # Errors
///
/// If it is not JSON, or not of this type. The error names an invalid option.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if !is_object(bytes) {
        return Err(Problem::new(Kind::Malformed, "it must be a JSON object"));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        // Parse it again as options, which is slower but tells which one is invalid.
        let refused =
            serde_json::from_slice(bytes).ok().and_then(|options| lookalike::from_options::<T>(options).err());
        match refused.filter(|refused| !refused.name().is_empty()) {
            Some(refused) => refused.into(),
            None => Problem::new(Kind::Malformed, error.to_string()),
        }
    })
}

/// True if the first non-space byte starts an object.
pub(crate) fn is_object(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().first() == Some(&b'{')
}

/// Some lines of a body, with their numbers from 1.
pub(crate) type Batch = Vec<(u64, Vec<u8>)>;

/// Reads the lines of a body in batches.
#[derive(Debug)]
pub(crate) struct Lines {
    source: Source,
    room: Share,
    limits: Limits,
    most_line: u64,
    /// Decompressed data.
    buffer: Vec<u8>,
    /// End of the lines already returned.
    given: usize,
    /// Position up to which there is no further line end.
    searched: usize,
    line: u64,
    unpacked: u64,
    is_done: bool,
}

/// Maximum number of lines and of bytes per batch: enough for infrequent disk writes.
const LINES_AT_ONCE: usize = 1000;
const BYTES_AT_ONCE: usize = 4 << 20;

impl Lines {
    /// Reads the lines of this body.
    ///
    /// # Errors
    ///
    /// If its declared size is too large, or its compression is unknown.
    pub(crate) fn new(shared: &Shared, headers: &HeaderMap, body: Body) -> Result<Self, Problem> {
        Ok(Self {
            source: Source::new(shared, headers, body, shared.limits.stream_bytes)?,
            room: shared.memory.incoming(),
            limits: shared.limits,
            most_line: most_body(shared),
            buffer: Vec::new(),
            given: 0,
            searched: 0,
            line: 0,
            unpacked: 0,
            is_done: false,
        })
    }

    /// Returns the next non-empty lines; none at the end.
    ///
    /// # Errors
    ///
    /// If the body is too large, too slow, incomplete or inconsistent with its headers.
    pub(crate) async fn next(&mut self) -> Result<Batch, Problem> {
        let (mut some, mut bytes) = (Batch::new(), 0);
        loop {
            while some.len() < LINES_AT_ONCE && bytes < BYTES_AT_ONCE {
                let Some(range) = self.take_line() else { break };
                let line = &self.buffer[range];
                if !line.trim_ascii().is_empty() {
                    bytes += line.len();
                    some.push((self.line, line.to_vec()));
                }
            }
            let is_enough = some.len() >= LINES_AT_ONCE || bytes >= BYTES_AT_ONCE;
            if is_enough || self.is_done {
                return Ok(some);
            }
            self.more(bytes).await?;
        }
    }

    /// The range of the next line, if it is complete.
    fn take_line(&mut self) -> Option<Range<usize>> {
        let end = match self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
            Some(end) => self.searched + end + 1,
            None if self.is_done && self.given < self.buffer.len() => self.buffer.len(),
            None => {
                self.searched = self.buffer.len();
                return None;
            }
        };
        let line = self.given..end;
        (self.given, self.searched) = (end, end);
        self.line += 1;
        Some(line)
    }

    /// Decompresses more data, while `waiting` bytes of lines are pending.
    async fn more(&mut self, waiting: usize) -> Result<(), Problem> {
        self.buffer.drain(..self.given);
        self.searched -= self.given;
        self.given = 0;
        // All of it is one incomplete line.
        let before = self.buffer.len();
        if before as u64 > self.most_line {
            return Err(too_large(&format!("line {}", self.line + 1), self.most_line, &self.limits));
        }
        // Highly compressed data is much work for little input: let other tasks run.
        tokio::task::yield_now().await;
        self.is_done = !self.source.unpack(&mut self.buffer).await?;
        self.unpacked += (self.buffer.len() - before) as u64;
        if self.unpacked > self.limits.stream_bytes {
            return Err(self.source.too_large("the body"));
        }
        self.room.grow_to((self.buffer.len() + waiting) as u64)
    }
}

/// The error for a body that exceeds the limit or the memory; for memory, it names the required size.
fn too_large(what: &str, most: u64, limits: &Limits) -> Problem {
    let what = format!("{what} is larger than {} MiB", most >> 20);
    let allowed = limits.body_bytes as u64;
    let problem =
        if most < allowed { memory::too_large(&what, 2 * TIMES * allowed) } else { Problem::new(Kind::TooLarge, what) };
    problem.with("limit_bytes", most)
}

/// A body while it is received.
#[derive(Debug)]
struct Source {
    stream: BodyDataStream,
    unpacker: Unpacker,
    /// Received data that has not been decompressed.
    packed: Bytes,
    limits: Limits,
    most: u64,
    received: u64,
    waited: Duration,
}

impl Source {
    fn new(shared: &Shared, headers: &HeaderMap, body: Body, most: u64) -> Result<Self, Problem> {
        // A body whose declared size is too large need not be read.
        let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > most) {
            return Err(too_large("the body", most, &shared.limits));
        }
        Ok(Self {
            stream: body.into_data_stream(),
            unpacker: Unpacker::new(headers)?,
            packed: Bytes::new(),
            limits: shared.limits,
            most,
            received: 0,
            waited: Duration::ZERO,
        })
    }

    fn too_large(&self, what: &str) -> Problem {
        too_large(what, self.most, &self.limits)
    }

    /// Appends decompressed data to `target`; returns false at the end.
    async fn unpack(&mut self, target: &mut Vec<u8>) -> Result<bool, Problem> {
        let wrong = |error: io::Error| Problem::new(Kind::Malformed, format!("the body cannot be unpacked: {error}"));
        if self.packed.is_empty() {
            let Some(bytes) = self.receive().await? else {
                self.unpacker.finish(target).map_err(wrong)?;
                return Ok(false);
            };
            self.packed = bytes;
        }
        let taken = self.unpacker.take(&self.packed, target).map_err(wrong)?;
        self.packed = self.packed.slice(taken..);
        Ok(true)
    }

    /// Receives the next piece, unless the client is too slow: only time spent waiting counts.
    async fn receive(&mut self) -> Result<Option<Bytes>, Problem> {
        let slow = || Problem::new(Kind::TooSlow, "the body comes too slowly");
        let start = Instant::now();
        let received = timeout(self.limits.body_time, self.stream.next()).await.map_err(|_| slow())?;
        self.waited += start.elapsed();
        let received = received.transpose();
        let received = received.map_err(|_| Problem::new(Kind::Malformed, "the body was cut off"))?;
        self.received += received.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let earned = Duration::from_secs(self.received / self.limits.body_bytes_per_second.max(1));
        if self.waited > self.limits.body_time + earned { Err(slow()) } else { Ok(received) }
    }
}

/// Incremental decompression.
enum Unpacker {
    Plain,
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Zstd(Box<zio::Writer<Vec<u8>, Decoder<'static>>>),
}

impl std::fmt::Debug for Unpacker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain => "Plain",
            Self::Gzip(_) => "Gzip",
            Self::Zstd(_) => "Zstd",
        })
    }
}

/// Maximum window of zstd: 8 MiB, which is enough for all but the highest levels.
const ZSTD_WINDOW_LOG: u32 = 23;

impl Unpacker {
    fn new(headers: &HeaderMap) -> Result<Self, Problem> {
        let mut packings = headers.get_all(header::CONTENT_ENCODING).iter();
        let unknown = || Problem::new(Kind::OtherContent, "send the body plain, or packed once with gzip or zstd");
        let packing = match (packings.next(), packings.next()) {
            (None, _) => return Ok(Self::Plain),
            (Some(packing), None) => packing.to_str().map_err(|_| unknown())?.trim().to_ascii_lowercase(),
            (Some(_), Some(_)) => return Err(unknown()),
        };
        match packing.as_str() {
            "identity" | "" => Ok(Self::Plain),
            "gzip" | "x-gzip" => Ok(Self::gzip()),
            "zstd" => Self::zstd().map_err(|error| Problem::new(Kind::Internal, error.to_string())),
            _ => Err(unknown()),
        }
    }

    fn gzip() -> Self {
        Self::Gzip(Box::new(MultiGzDecoder::new(Vec::new())))
    }

    fn zstd() -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))?;
        Ok(Self::Zstd(Box::new(zio::Writer::new(Vec::new(), decoder))))
    }

    /// Decompresses a piece of `bytes` to `target`; returns the number of bytes consumed.
    fn take(&mut self, bytes: &[u8], target: &mut Vec<u8>) -> io::Result<usize> {
        let (taken, unpacked) = match self {
            Self::Plain => {
                target.extend_from_slice(bytes);
                return Ok(bytes.len());
            }
            Self::Gzip(decoder) => (decoder.write(bytes)?, decoder.get_mut()),
            Self::Zstd(decoder) => (decoder.write(bytes)?, decoder.writer_mut()),
        };
        target.append(unpacked);
        if taken == 0 { Err(io::ErrorKind::InvalidData.into()) } else { Ok(taken) }
    }

    /// Decompresses the end.
    fn finish(&mut self, target: &mut Vec<u8>) -> io::Result<()> {
        let unpacked = match self {
            Self::Plain => return Ok(()),
            Self::Gzip(decoder) => {
                decoder.try_finish()?;
                decoder.get_mut()
            }
            Self::Zstd(decoder) => {
                decoder.finish()?;
                decoder.writer_mut()
            }
        };
        target.append(unpacked);
        Ok(())
    }
}

/// Decompresses arbitrary bytes, up to 1 MiB, for the fuzzer.
pub fn check_packed(bytes: &[u8]) {
    let unpackers = [Some(Unpacker::gzip()), Unpacker::zstd().ok()];
    for mut unpacker in unpackers.into_iter().flatten() {
        let (mut rest, mut target) = (bytes, Vec::new());
        while !rest.is_empty() && target.len() <= 1 << 20 {
            let Ok(taken) = unpacker.take(rest, &mut target) else { break };
            rest = &rest[taken..];
        }
        let _ = unpacker.finish(&mut target);
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;
    use crate::keys::Keys;

    fn shared() -> Shared {
        let limits = Limits { body_bytes: 1 << 20, stream_bytes: 4 << 20, memory_bytes: 60 << 20, ..Limits::default() };
        let moment = Duration::from_millis(50);
        Shared::new(Keys::none(), Limits { body_time: moment, memory_time: moment, ..limits })
    }

    fn packed(packing: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_ENCODING, HeaderValue::from_static(packing))])
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd::encode_all(bytes, 3).unwrap()
    }

    async fn lines(shared: &Shared, headers: &HeaderMap, body: impl Into<Body>) -> Result<Vec<(u64, String)>, Problem> {
        let mut lines = Lines::new(shared, headers, body.into())?;
        let mut all = Vec::new();
        loop {
            let some = lines.next().await?;
            if some.is_empty() {
                return Ok(all);
            }
            all.extend(some.into_iter().map(|(number, line)| (number, String::from_utf8(line).unwrap())));
        }
    }

    #[tokio::test]
    async fn a_body_is_the_same_plain_and_packed() {
        let text: Vec<u8> = (0..20_000).flat_map(|number: u32| format!("{number}\n").into_bytes()).collect();
        // Concatenated members and frames are one body.
        let (left, right) = text.split_at(5000);
        let all = [
            (HeaderMap::new(), text.clone()),
            (packed("gzip"), [gzip(left), gzip(right)].concat()),
            (packed("zstd"), [zstd(left), zstd(right)].concat()),
        ];
        for (headers, body) in all {
            let held = Held::read(&shared(), &headers, body.clone().into()).await.unwrap();
            assert_eq!(held.bytes(), text, "{headers:?}");
            let found = lines(&shared(), &headers, body).await.unwrap();
            assert_eq!(found.len(), 20_000);
            assert_eq!((found[0].clone(), found[19_999].clone()), ((1, "0\n".into()), (20_000, "19999\n".into())));
        }
    }

    #[tokio::test]
    async fn bombs_are_refused_and_so_is_what_is_cut_or_damaged() {
        let zeros = vec![b'0'; 64 << 20];
        let blank = b"\n".repeat(64 << 20);
        for (packing, pack) in [("gzip", gzip as fn(&[u8]) -> Vec<u8>), ("zstd", zstd)] {
            for bomb in [&zeros, &blank] {
                let kind = Held::read(&shared(), &packed(packing), pack(bomb).into()).await.unwrap_err().kind();
                assert_eq!(kind, Kind::TooLarge, "{packing}");
                let kind = lines(&shared(), &packed(packing), pack(bomb)).await.unwrap_err().kind();
                assert_eq!(kind, Kind::TooLarge, "{packing}");
            }
            let whole = pack(&[b"some text that is long enough to be cut".as_slice(), &[7; 300]].concat());
            // Gzip ends with a checksum; zstd has one only on request, so here its start is damaged.
            let mut damaged = whole.clone();
            damaged[if packing == "gzip" { whole.len() - 6 } else { 0 }] ^= 0x55;
            for wrong in [&whole[..whole.len() - 5], &damaged[..], b"not packed at all"] {
                let read = Held::read(&shared(), &packed(packing), wrong.to_vec().into()).await;
                assert_eq!(read.unwrap_err().kind(), Kind::Malformed, "{packing} {}", wrong.len());
            }
        }
        let kind = Held::read(&shared(), &packed("br"), Body::empty()).await.unwrap_err().kind();
        assert_eq!(kind, Kind::OtherContent);
    }

    #[tokio::test]
    async fn a_line_has_a_cap_and_empty_ones_are_counted_and_passed_over() {
        let long = [b"a\n\n".to_vec(), vec![b'x'; (1 << 20) + 1]].concat();
        let problem = lines(&shared(), &HeaderMap::new(), long).await.unwrap_err();
        assert!(problem.kind() == Kind::TooLarge && problem.detail().starts_with("line 3 "), "{problem:?}");
        let found = lines(&shared(), &HeaderMap::new(), "a\n\n  \r\nb").await.unwrap();
        assert_eq!(found, [(1, "a\n".to_owned()), (4, "b".to_owned())]);
    }

    #[tokio::test]
    async fn who_says_that_much_will_come_is_refused_before_it_comes() {
        let headers = HeaderMap::from_iter([(header::CONTENT_LENGTH, HeaderValue::from_static("10000000000"))]);
        let body = Body::from_stream(futures_util::stream::pending::<io::Result<Bytes>>());
        let refused = Held::read(&shared(), &headers, body).await;
        assert_eq!(refused.unwrap_err().kind(), Kind::TooLarge);
    }

    #[tokio::test]
    async fn a_body_that_does_not_come_or_trickles_is_given_up() {
        let silent = Body::from_stream(futures_util::stream::pending::<io::Result<Bytes>>());
        assert_eq!(Held::read(&shared(), &HeaderMap::new(), silent).await.unwrap_err().kind(), Kind::TooSlow);
        let trickle = futures_util::stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Some((Ok::<_, io::Error>(Bytes::from_static(b"x")), ()))
        });
        let trickle = Body::from_stream(trickle);
        assert_eq!(Held::read(&shared(), &HeaderMap::new(), trickle).await.unwrap_err().kind(), Kind::TooSlow);
    }

    #[tokio::test]
    async fn all_bodies_together_have_a_cap_that_is_given_back() {
        let shared = shared();
        let none = HeaderMap::new();
        let read = || Held::read(&shared, &none, vec![b'x'; 1 << 20].into());
        let (first, second) = (read().await.unwrap(), read().await.unwrap());
        assert_eq!(read().await.unwrap_err().kind(), Kind::Overloaded);
        drop((first, second));
        assert!(read().await.is_ok());
    }
}
