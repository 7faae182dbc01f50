//! Limits on what clients may take.

use std::time::Duration;

/// Limits on what clients may take, so that none of them can deny the service to the others.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// Until all headers of a request are here; and how long a connection may be without a request.
    pub header_time: Duration,
    /// Until more of a body comes.
    pub body_time: Duration,
    /// What a body must have per second, once [`body_time`](Self::body_time) is over.
    pub body_bytes_per_second: u64,
    /// Until a client takes more of its answer.
    pub answer_time: Duration,
    /// For a search or a comparison.
    pub search_time: Duration,
    /// For requests under way when the service ends.
    pub drain_time: Duration,
    /// A body that is held as a whole, and one line of any other, unpacked.
    pub body_bytes: usize,
    /// A body that is read line by line, unpacked.
    pub stream_bytes: u64,
    /// Memory of all requests and runs, besides what indexes take.
    pub memory_bytes: u64,
    /// How long a request waits for memory.
    pub memory_time: Duration,
    /// Searches at once.
    pub searches_at_once: usize,
    /// Writes at once: many, since they are written to the disk together.
    pub writes_at_once: usize,
    /// Requests that wait for their turn; all others are refused.
    pub most_waiting: usize,
    /// All results that were made here, with what was sent for them.
    pub results_bytes: u64,
    /// What a file that was sent may unpack to.
    pub input_bytes: u64,
    /// Runs that wait for the one under way; all others are refused.
    pub runs_waiting: usize,
    /// With less on the disk, the service is not ready.
    pub least_free_bytes: u64,
}

impl Limits {
    /// The lowest possible [`memory_bytes`](Self::memory_bytes).
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
