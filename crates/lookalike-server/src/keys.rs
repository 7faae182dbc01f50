//! Access keys. A key is a token that only its owner has; the server stores its SHA-256.
//!
//! The key file has one JSON object per line: name, scope and hash. A running server detects changes. Changes hold a
//! lock from reading the file until the new file has been renamed into place, so that concurrent changes are not lost.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, fs, io};

use axum::http::{HeaderMap, header};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::error::Error;
use crate::names::is_name;
use crate::problem::{Kind, Problem};

/// Scope of a key: each scope includes the previous ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Search and compare.
    Search,
    /// Read documents and results.
    Read,
    /// Add and delete documents.
    Write,
    /// Create, delete and maintain indexes.
    Admin,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Search => "search",
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        })
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Search, Self::Read, Self::Write, Self::Admin];
        let found = all.into_iter().find(|scope| scope.to_string() == text);
        found.ok_or_else(|| format!("'{text}' is not a scope: give search, read, write or admin"))
    }
}

/// A key as stored by the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Name of its owner in logs.
    pub name: String,
    /// Its scope.
    pub scope: Scope,
    /// The SHA-256 of the token, in hexadecimal digits.
    sha256: String,
}

/// The key file.
#[derive(Clone, Debug)]
pub struct KeyFile {
    path: PathBuf,
}

/// Prefix of a token, so that leaked tokens can be recognized.
const TOKEN_PREFIX: &str = "lookalike_";

impl KeyFile {
    /// Opens a key file, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns all keys; none if there is no file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a key file.
    pub fn keys(&self) -> Result<Vec<Key>, Error> {
        self.parsed(&self.bytes()?)
    }

    /// Reads the file; empty if there is none.
    fn bytes(&self) -> Result<Vec<u8>, Error> {
        match fs::read(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            bytes => bytes.map_err(|source| Error::io(&self.path, source)),
        }
    }

    fn parsed(&self, bytes: &[u8]) -> Result<Vec<Key>, Error> {
        parse(bytes).map_err(|reason| Error::NotKeys { path: self.path.clone(), reason })
    }

    /// Creates a key, and returns the token, which is not stored anywhere.
    ///
    /// # Errors
    ///
    /// If the name is taken or invalid, or the file cannot be written.
    pub fn add(&self, name: &str, scope: Scope) -> Result<String, Error> {
        if !is_name(name) {
            return Err(Error::NotAName { name: name.to_owned() });
        }
        let _lock = self.lock()?;
        let mut keys = self.keys()?;
        if keys.iter().any(|key| key.name == name) {
            return Err(Error::KeyExists { name: name.to_owned() });
        }
        let token = new_token()?;
        keys.push(Key { name: name.to_owned(), scope, sha256: hexadecimal(&hash(&token)) });
        self.write(&keys)?;
        Ok(token)
    }

    /// Revokes a key. A running server rejects it within a second.
    ///
    /// # Errors
    ///
    /// If there is no such key, or the file cannot be written.
    pub fn revoke(&self, name: &str) -> Result<(), Error> {
        let _lock = self.lock()?;
        let mut keys = self.keys()?;
        let before = keys.len();
        keys.retain(|key| key.name != name);
        if keys.len() == before {
            return Err(Error::NoSuchKey { name: name.to_owned() });
        }
        self.write(&keys)
    }

    fn folder(&self) -> &Path {
        self.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Waits until no other process changes the keys. The lock is a separate file, since each change replaces the key
    /// file.
    fn lock(&self) -> Result<fs::File, Error> {
        let mut path = self.path.clone().into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        let file = fs::OpenOptions::new().write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|source| Error::io(&path, source))?;
        match file.lock() {
            Err(source) if source.kind() != io::ErrorKind::Unsupported => Err(Error::io(&path, source)),
            // Not every file system supports locks; there, preventing concurrent changes is up to the user.
            _ => Ok(file),
        }
    }

    /// Writes a temporary file and renames it, so that a running server never reads half of it; readable only by its
    /// owner.
    fn write(&self, keys: &[Key]) -> Result<(), Error> {
        let failed = |source| Error::io(&self.path, source);
        let mut file = tempfile::NamedTempFile::new_in(self.folder()).map_err(failed)?;
        for key in keys {
            let line = serde_json::to_string(key).expect("a key is plain text");
            writeln!(file, "{line}").map_err(failed)?;
        }
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        // Sync the folder too: a revoked key must stay revoked, whatever happens.
        #[cfg(unix)]
        fs::File::open(self.folder()).and_then(|folder| folder.sync_all()).map_err(failed)?;
        Ok(())
    }
}

/// Parses a key file; the error tells the problem and its location.
fn parse(bytes: &[u8]) -> Result<Vec<Key>, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let key = |(number, line): (usize, &str)| {
        let key: Key = serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))?;
        let is_hash = digits(&key.sha256).is_some();
        if is_hash && is_name(&key.name) { Ok(key) } else { Err(format!("line {number}: not a name and a SHA-256")) }
    };
    lines.map(key).collect()
}

/// Parses arbitrary bytes, for the fuzzer.
pub fn check_bytes(bytes: &[u8]) {
    let _ = parse(bytes);
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn digits(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(bytes)
}

/// Thirty-two random bytes.
fn new_token() -> Result<String, Error> {
    let mut bytes = [0; 32];
    let provider = tokio_rustls::rustls::crypto::ring::default_provider();
    provider.secure_random.fill(&mut bytes).map_err(|_| Error::NoRandomness)?;
    Ok(format!("{TOKEN_PREFIX}{}", hexadecimal(&bytes)))
}

/// The keys known to a running server.
#[derive(Debug)]
pub(crate) struct Keys {
    /// None if every client has full access.
    file: Option<KeyFile>,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    keys: Arc<Vec<([u8; 32], Caller)>>,
    /// The file as it was read: modification times are too coarse to tell two changes apart.
    bytes: Vec<u8>,
    looked: Instant,
}

/// Sender of a request.
#[derive(Clone, Debug)]
pub(crate) enum Caller {
    /// No keys are configured.
    Anybody,
    /// No key was sent.
    Nameless,
    /// An unknown key was sent.
    Stranger,
    /// The owner of a key.
    Known { name: Arc<str>, scope: Scope },
}

/// Interval for checking the file: changes must be visible within a second.
const LOOK_EVERY: Duration = Duration::from_millis(500);

impl Keys {
    /// No keys: every client has full access.
    pub(crate) fn none() -> Self {
        Self {
            file: None,
            known: Mutex::new(Known { keys: Arc::default(), bytes: Vec::new(), looked: Instant::now() }),
        }
    }

    /// The keys of a file, which must have at least one: otherwise no client would have access.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or has no keys.
    pub(crate) fn of(file: KeyFile) -> Result<Self, Error> {
        let bytes = file.bytes()?;
        let keys = prepared(file.parsed(&bytes)?);
        if keys.is_empty() {
            return Err(Error::NotKeys { path: file.path, reason: "it has no keys: make one first".to_owned() });
        }
        let known = Known { keys: Arc::new(keys), bytes, looked: Instant::now() };
        Ok(Self { file: Some(file), known: Mutex::new(known) })
    }

    /// True if a key is required.
    pub(crate) fn are_needed(&self) -> bool {
        self.file.is_some()
    }

    /// Identifies the sender of a request by its headers.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Caller {
        if self.file.is_none() {
            return Caller::Anybody;
        }
        let Some(token) = token(headers) else { return Caller::Nameless };
        let given = hash(token);
        let keys = self.newest();
        // All are compared, so that timing does not reveal a partial match.
        let mut found = u64::MAX;
        for (at, (known, _)) in (0..).zip(keys.iter()) {
            let is_same: Choice = known.ct_eq(&given);
            found = u64::conditional_select(&found, &at, is_same);
        }
        keys.get(found as usize).map_or(Caller::Stranger, |(_, caller)| caller.clone())
    }

    /// The current keys of the file. A file that cannot be read changes nothing.
    fn newest(&self) -> Arc<Vec<([u8; 32], Caller)>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &self.file
            && known.looked.elapsed() >= LOOK_EVERY
        {
            known.looked = Instant::now();
            match file.bytes().and_then(|bytes| Ok((bytes != known.bytes).then_some((file.parsed(&bytes)?, bytes)))) {
                Ok(Some((keys, bytes))) => (known.keys, known.bytes) = (Arc::new(prepared(keys)), bytes),
                Ok(None) => {}
                Err(error) => tracing::error!(%error, "the keys are as they were"),
            }
        }
        Arc::clone(&known.keys)
    }
}

fn prepared(keys: Vec<Key>) -> Vec<([u8; 32], Caller)> {
    let prepare = |key: Key| {
        let caller = Caller::Known { name: key.name.into(), scope: key.scope };
        digits(&key.sha256).map(|hash| (hash, caller))
    };
    keys.into_iter().filter_map(prepare).collect()
}

/// Name of the cookie with the key of a browser.
pub(crate) const COOKIE: &str = "lookalike_key";

/// The token of a request: from the `Authorization` header, or for a browser from a cookie.
fn token(headers: &HeaderMap) -> Option<&str> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let (kind, token) = value.to_str().ok()?.split_once(' ')?;
        return kind.eq_ignore_ascii_case("bearer").then(|| token.trim());
    }
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut cookies = cookies.flat_map(|value| value.split(';'));
    cookies.find_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

impl Caller {
    /// Name in logs.
    pub(crate) fn name(&self) -> &str {
        self.owner().unwrap_or("-")
    }

    /// The name of the key that was sent, if it is known.
    pub(crate) fn owner(&self) -> Option<&str> {
        match self {
            Self::Known { name, .. } => Some(name),
            Self::Anybody | Self::Nameless | Self::Stranger => None,
        }
    }

    /// Checks that the caller has this scope.
    ///
    /// # Errors
    ///
    /// The missing key or scope.
    pub(crate) fn needs(&self, needed: Scope) -> Result<(), Problem> {
        match self {
            Self::Anybody => Ok(()),
            Self::Known { scope, .. } if *scope >= needed => Ok(()),
            Self::Known { name, scope } => {
                let detail = format!("the key '{name}' has the scope {scope}, and {needed} is needed");
                Err(Problem::new(Kind::ScopeTooLow, detail))
            }
            Self::Nameless => {
                let detail =
                    format!("a key with the scope {needed} is needed, in the header Authorization: Bearer KEY");
                Err(Problem::new(Kind::KeyMissing, detail))
            }
            Self::Stranger => Err(Problem::new(Kind::KeyUnknown, "the key is not known: it may have been revoked")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn scopes_contain_each_other() {
        assert!(Scope::Search < Scope::Read && Scope::Read < Scope::Write && Scope::Write < Scope::Admin);
        let reader = Caller::Known { name: "reader".into(), scope: Scope::Read };
        assert!(reader.needs(Scope::Search).is_ok() && reader.needs(Scope::Read).is_ok());
        assert_eq!(reader.needs(Scope::Write).unwrap_err().kind(), Kind::ScopeTooLow);
        assert_eq!(Caller::Nameless.needs(Scope::Search).unwrap_err().kind(), Kind::KeyMissing);
        assert_eq!(Caller::Stranger.needs(Scope::Search).unwrap_err().kind(), Kind::KeyUnknown);
    }

    #[test]
    fn a_token_opens_until_it_is_revoked_and_is_not_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = KeyFile::new(folder.path().join("keys.jsonl"));
        let token = file.add("ingest", Scope::Write).unwrap();
        file.add("other", Scope::Search).unwrap();
        assert!(!fs::read_to_string(&file.path).unwrap().contains(&token[TOKEN_PREFIX.len()..]));
        assert!(matches!(file.add("ingest", Scope::Read), Err(Error::KeyExists { .. })));

        let keys = Keys::of(file.clone()).unwrap();
        let caller = |value: &str| keys.caller(&headers(header::AUTHORIZATION, value));
        let ingest =
            |caller: &Caller| matches!(caller, Caller::Known { name, scope: Scope::Write } if &**name == "ingest");
        assert!(ingest(&caller(&format!("Bearer {token}"))) && ingest(&caller(&format!("bearer  {token}"))));
        assert!(ingest(&keys.caller(&headers(header::COOKIE, &format!("a=b; {COOKIE}={token}")))));
        for wrong in [format!("Bearer {token}0"), format!("Bearer {}", token.to_uppercase()), "Bearer ".to_owned()] {
            assert!(matches!(caller(&wrong), Caller::Stranger), "{wrong}");
        }
        assert!(matches!(caller("Basic eDp5"), Caller::Nameless));
        assert!(matches!(keys.caller(&HeaderMap::new()), Caller::Nameless));

        file.revoke("ingest").unwrap();
        keys.known.lock().unwrap().looked = Instant::now().checked_sub(LOOK_EVERY).unwrap();
        assert!(matches!(caller(&format!("Bearer {token}")), Caller::Stranger));
        assert!(matches!(file.revoke("ingest"), Err(Error::NoSuchKey { .. })));
    }

    #[test]
    fn keys_that_are_made_and_revoked_at_once_are_all_made_and_stay_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let file = KeyFile::new(folder.path().join("keys.jsonl"));
        let old: Vec<String> = (0..6).map(|at| format!("old-{at}")).collect();
        old.iter().for_each(|name| drop(file.add(name, Scope::Read).unwrap()));
        let keys = Keys::of(file.clone()).unwrap();
        std::thread::scope(|scope| {
            for at in 0..24 {
                let file = &file;
                scope.spawn(move || file.add(&format!("new-{at}"), Scope::Search).unwrap());
            }
            old.iter().for_each(|name| drop(scope.spawn(|| file.revoke(name).unwrap())));
        });
        let mut names: Vec<String> = file.keys().unwrap().into_iter().map(|key| key.name).collect();
        names.sort_unstable();
        let mut expected: Vec<String> = (0..24).map(|at| format!("new-{at}")).collect();
        expected.sort_unstable();
        assert_eq!(names, expected);
        keys.known.lock().unwrap().looked = Instant::now().checked_sub(LOOK_EVERY).unwrap();
        assert_eq!(keys.newest().len(), 24);
    }

    #[test]
    fn a_file_that_is_no_file_of_keys_is_refused_with_its_line() {
        assert_eq!(parse(b"\n").unwrap(), []);
        let key = format!("{{\"name\":\"a\",\"scope\":\"read\",\"sha256\":\"{}\"}}", "0".repeat(64));
        assert_eq!(parse(key.as_bytes()).unwrap().len(), 1);
        for wrong in [key.replace("read", "all"), key.replace("00", "0"), key.replace("\"a\"", "\"a b\""), "{}".into()]
        {
            assert!(parse(format!("{key}\n{wrong}").as_bytes()).unwrap_err().starts_with("line 2: "), "{wrong}");
        }
    }

    #[test]
    fn a_server_with_an_empty_file_of_keys_does_not_start() {
        let missing = KeyFile::new(tempfile::tempdir().unwrap().path().join("none"));
        assert!(matches!(Keys::of(missing), Err(Error::NotKeys { .. })));
    }
}
