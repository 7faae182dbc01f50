//! Limits login attempts with wrong keys: a client may make a few at once, and then a few per second.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::problem::{Kind, Problem};

/// The client address of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Number of attempts a client may make at once.
const AT_ONCE: f64 = 20.0;

/// Number of further attempts per second.
const PER_SECOND: f64 = 1.0;

/// Maximum number of clients to remember. If there are more, those with all attempts left are forgotten, or else all.
const MOST_CLIENTS: usize = 10_000;

/// Attempts per client.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    clients: Mutex<HashMap<IpAddr, Left>>,
}

/// Number of attempts a client had left at a given time.
#[derive(Clone, Copy, Debug)]
struct Left {
    count: f64,
    at: Instant,
}

impl Left {
    fn now(self, now: Instant) -> f64 {
        AT_ONCE.min(self.count + PER_SECOND * now.duration_since(self.at).as_secs_f64())
    }
}

impl Attempts {
    /// Checks that a client has an attempt left.
    ///
    /// # Errors
    ///
    /// If it has tried too often.
    pub(crate) fn check(&self, client: IpAddr) -> Result<(), Problem> {
        self.check_at(client, Instant::now())
    }

    /// Counts a failed attempt.
    pub(crate) fn count(&self, client: IpAddr) {
        self.count_at(client, Instant::now());
    }

    fn check_at(&self, client: IpAddr, now: Instant) -> Result<(), Problem> {
        let client = network(client);
        let clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        match clients.get(&client) {
            Some(left) if left.now(now) < 1.0 => {
                Err(Problem::new(Kind::TooOften, "too many attempts with a wrong key came from this address"))
            }
            _ => Ok(()),
        }
    }

    fn count_at(&self, client: IpAddr, now: Instant) {
        let client = network(client);
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MOST_CLIENTS && !clients.contains_key(&client) {
            clients.retain(|_, left| left.now(now) < AT_ONCE);
            if clients.len() >= MOST_CLIENTS {
                clients.clear();
            }
        }
        let count = clients.get(&client).map_or(AT_ONCE, |left| left.now(now));
        clients.insert(client, Left { count: (count - 1.0).max(0.0), at: now });
    }
}

/// Identifies a client: its address, or the network of one that has 2^64 addresses.
fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_client_that_fails_again_and_again_must_wait_and_others_need_not() {
        let (attempts, start) = (Attempts::default(), Instant::now());
        let [client, other] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)));
        for _ in 0..20 {
            assert!(attempts.check_at(client, start).is_ok());
            attempts.count_at(client, start);
        }
        assert_eq!(attempts.check_at(client, start).unwrap_err().kind(), Kind::TooOften);
        assert!(attempts.check_at(other, start).is_ok());
        let later = start + Duration::from_millis(1500);
        assert!(attempts.check_at(client, later).is_ok());
        attempts.count_at(client, later);
        assert!(attempts.check_at(client, later).is_err());
    }

    #[test]
    fn a_client_with_many_addresses_is_one() {
        let network = |address: &str| network(address.parse().unwrap());
        assert_eq!(network("2001:db8::1"), network("2001:db8::2:3:4:5"));
        assert_ne!(network("2001:db8:0:1::1"), network("2001:db8::1"));
        assert_eq!(network("::ffff:10.0.0.1"), network("10.0.0.1"));
    }

    #[test]
    fn the_memory_for_clients_is_bounded() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for number in 0..3 * MOST_CLIENTS as u32 {
            attempts.count_at(IpAddr::V4(Ipv4Addr::from_bits(number)), now);
        }
        assert!(attempts.clients.lock().unwrap().len() <= MOST_CLIENTS);
    }
}
