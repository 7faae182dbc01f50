//! Limits on the resources of clients.

use std::time::Duration;

/// Limits on the resources of clients, so that none of them can deny the service to others.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of connections.
    pub connections: usize,
    /// Time to receive the headers of a request, and for an idle connection.
    pub header_time: Duration,
    /// Time to wait for more of a body.
    pub body_time: Duration,
    /// Minimum rate of a body, once [`body_time`](Self::body_time) is over.
    pub body_bytes_per_second: u64,
    /// Time to wait for a client to receive more of a response.
    pub answer_time: Duration,
    /// Time for a search or a comparison.
    pub search_time: Duration,
    /// Time for pending requests when the service ends.
    pub drain_time: Duration,
    /// Maximum decompressed size of a body that is held as a whole, and of one line of any other.
    pub body_bytes: usize,
    /// Maximum decompressed size of a body that is read line by line.
    pub stream_bytes: u64,
    /// Memory of all requests and runs, in addition to the indexes.
    pub memory_bytes: u64,
    /// Time a request waits for memory.
    pub memory_time: Duration,
    /// Maximum number of concurrent searches.
    pub searches_at_once: usize,
    /// Maximum number of concurrent writes: many, since they share disk writes.
    pub writes_at_once: usize,
    /// Maximum number of queued requests; all others are rejected.
    pub most_waiting: usize,
    /// Maximum size of all results created here, with their uploads.
    pub results_bytes: u64,
    /// Maximum decompressed size of an uploaded file.
    pub input_bytes: u64,
    /// Maximum number of queued runs; all others are rejected.
    pub runs_waiting: usize,
    /// Minimum free disk space for the service to be ready.
    pub least_free_bytes: u64,
}

impl Limits {
    /// The minimum of [`memory_bytes`](Self::memory_bytes).
    pub const LEAST_MEMORY: u64 = 4 * lookalike::Memory::LEAST;

    /// Memory of a run.
    pub(crate) fn run_bytes(&self) -> u64 {
        (self.memory_bytes / 4).clamp(lookalike::Memory::LEAST, 1 << 30)
    }
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            connections: 512,
            header_time: Duration::from_secs(10),
            body_time: Duration::from_secs(10),
            body_bytes_per_second: 4 << 10,
            answer_time: Duration::from_secs(30),
            search_time: Duration::from_secs(30),
            drain_time: Duration::from_secs(30),
            body_bytes: 32 << 20,
            stream_bytes: 1 << 30,
            memory_bytes: lookalike::Memory::half_of_machine().bytes().max(Self::LEAST_MEMORY),
            memory_time: Duration::from_secs(2),
            searches_at_once: 2 * cores,
            writes_at_once: 256,
            most_waiting: 1000,
            results_bytes: 16 << 30,
            input_bytes: 8 << 30,
            runs_waiting: 8,
            least_free_bytes: 64 << 20,
        }
    }
}
