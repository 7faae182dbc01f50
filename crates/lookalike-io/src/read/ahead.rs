//! A buffer of bytes that were read ahead. Consuming bytes takes time proportional to their number, however many more
//! are buffered: a record with a false length causes much read-ahead, which must not be moved for every following
//! record.

/// A buffer that is filled at its end and consumed from its start.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    bytes: Vec<u8>,
    /// Number of consumed bytes.
    used: usize,
}

impl Ahead {
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.used..]
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.used
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.used = 0;
    }

    /// The vector to which more bytes are appended.
    pub(super) fn end(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Consumes the first bytes.
    pub(super) fn consume(&mut self, count: usize) {
        self.used += count;
        // The rest is moved only if more has been consumed than is left, which amortizes the cost.
        if self.used > self.bytes.len() / 2 {
            self.bytes.drain(..self.used);
            self.used = 0;
        }
    }

    /// Consumes the first `used` bytes, and moves the first `length` of them into `chunk`.
    pub(super) fn take(&mut self, length: usize, used: usize, chunk: &mut Vec<u8>) {
        chunk.clear();
        let rest = self.len() - used;
        if self.used == 0 && rest < used {
            // The usual case: only the start of the next entry is left, so that is what is copied.
            chunk.extend_from_slice(&self.bytes[used..]);
            std::mem::swap(chunk, &mut self.bytes);
            chunk.truncate(length);
        } else {
            chunk.extend_from_slice(&self.as_slice()[..length]);
            self.consume(used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_and_what_is_left_is_everything() {
        let all: Vec<u8> = (0..100).collect();
        for (first, length, used) in [(0, 80, 90), (0, 3, 5), (7, 60, 60), (40, 10, 10), (99, 1, 1), (0, 100, 100)] {
            let (mut ahead, mut chunk) = (Ahead::default(), vec![1, 2, 3]);
            ahead.end().extend(&all);
            ahead.consume(first);
            ahead.take(length, used, &mut chunk);
            assert_eq!(chunk, all[first..first + length]);
            assert_eq!(ahead.as_slice(), &all[first + used..]);
            ahead.end().push(200);
            assert_eq!((ahead.len(), ahead.as_slice().last()), (101 - first - used, Some(&200)));
        }
    }

    #[test]
    fn what_is_left_is_not_moved_for_every_byte_that_is_used() {
        let mut ahead = Ahead::default();
        ahead.end().resize(1 << 20, 0);
        let mut moved = 0;
        let mut before = ahead.bytes.len();
        while !ahead.is_empty() {
            ahead.consume(1);
            moved += if ahead.bytes.len() == before { 0 } else { ahead.len() };
            before = ahead.bytes.len();
        }
        assert!(moved <= 1 << 20, "{moved}");
    }
}
