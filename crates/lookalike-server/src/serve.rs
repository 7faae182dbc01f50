//! The service as a whole: from options to a socket, until it is told to stop.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lookalike_index::{CreateOptions, Index};
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::watch;

use crate::connections;
use crate::keys::{KeyFile, Keys};
use crate::log::{self, LogFormat};
use crate::results::opened::InputOf;
use crate::router::router;
use crate::state::{OpenIndex, Shared};
use crate::tls;

/// What is served, and how.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Indexes; and at most one folder that has indexes in it, in which new ones are made. Without any, and without results, an
    /// empty index is made that is gone afterwards.
    pub folders: Vec<PathBuf>,
    /// Folders with results of `dedup`.
    pub results: Vec<PathBuf>,
    /// What a run read, by which its texts are read again to be shown.
    pub input_of: Option<InputOf>,
    /// Where to listen. Without keys, only an address of this machine alone is allowed.
    pub listen: SocketAddr,
    /// The file of keys.
    pub keys: Option<PathBuf>,
    /// Names of this server, besides its addresses and localhost.
    pub hosts: Vec<String>,
    /// Whether everything that writes is refused. Somebody else may write to the indexes then.
    pub is_read_only: bool,
    /// Where copies of indexes are made, when one is asked for.
    pub snapshots: Option<PathBuf>,
    /// Certificate and key, to be spoken to in HTTPS.
    pub tls: Option<Tls>,
    /// How requests are logged, on standard error.
    pub log: LogFormat,
    /// How much is taken from clients.
    pub limits: Limits,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            folders: Vec::new(),
            results: Vec::new(),
            input_of: None,
            listen: SocketAddr::from(([127, 0, 0, 1], 7811)),
            keys: None,
            hosts: Vec::new(),
            is_read_only: false,
            snapshots: None,
            tls: None,
            log: LogFormat::Text,
            limits: Limits::default(),
        }
    }
}

/// Files for HTTPS, in PEM.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate, and those that vouch for it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// How much is taken from clients, so that none of them can take the service from the others.
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
    /// All bodies that are held at once.
    pub all_bodies_bytes: usize,
    /// Searches at once.
    pub searches_at_once: usize,
    /// Writes at once: many, since they are written to the disk together.
    pub writes_at_once: usize,
    /// Requests that wait for their turn; all others are refused.
    pub most_waiting: usize,
    /// With less on the disk, the service is not ready.
    pub least_free_bytes: u64,
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
            all_bodies_bytes: 512 << 20,
            searches_at_once: 2 * cores,
            writes_at_once: 256,
            most_waiting: 1000,
            least_free_bytes: 64 << 20,
        }
    }
}

/// Why the service did not start, or had to end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder that cannot be used.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },

    /// An address that cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },

    /// An address that others can reach, without keys.
    #[error(
        "{address} can be reached from other machines, and without keys anybody could read and delete everything: make a key first"
    )]
    NeedsKeys {
        /// The address.
        address: SocketAddr,
    },

    /// A folder that is neither an index nor a folder of indexes.
    #[error("{path} does not exist: make an index there first, or a folder for several", path = path.display())]
    NoSuchFolder {
        /// The folder.
        path: PathBuf,
    },

    /// Two folders that new indexes could be made in.
    #[error("{first} and {second} are both folders of indexes: give one of them, and single indexes", first = first.display(), second = second.display())]
    TwoRoots {
        /// The one.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },

    /// Two things of one name.
    #[error("{first} and {second} would both be called '{name}': rename one of them", first = first.display(), second = second.display())]
    SameName {
        /// The name.
        name: String,
        /// The one.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },

    /// A folder without a result.
    #[error("{path} is not the output of a finished run of dedup or link: it has no summary.json", path = path.display())]
    NotAResult {
        /// The folder.
        path: PathBuf,
    },

    /// An index that cannot be opened.
    #[error(transparent)]
    Index(#[from] lookalike_index::Error),

    /// A file that is not one of keys.
    #[error("{path} is not a file of keys: {reason}", path = path.display())]
    NotKeys {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },

    /// A name that nothing can have.
    #[error("'{name}' is not a name: use up to 64 letters, digits, dots, hyphens and underscores, and no dot first")]
    NotAName {
        /// The name.
        name: String,
    },

    /// A name that a key has already.
    #[error("there is a key '{name}' already: revoke it, or choose another name")]
    KeyExists {
        /// The name.
        name: String,
    },

    /// A name that no key has.
    #[error("there is no key '{name}'")]
    NoSuchKey {
        /// The name.
        name: String,
    },

    /// The system gives no random numbers.
    #[error("the system gives no random numbers, without which no key can be made")]
    NoRandomness,

    /// A certificate or its key that cannot be used.
    #[error("{path} cannot be used for HTTPS: {reason}", path = path.display())]
    NotForTls {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

/// The result of what concerns the service as a whole.
pub type Result<T> = std::result::Result<T, Error>;

/// What is known once the service listens.
#[derive(Clone, Debug)]
pub struct Started {
    /// Where it listens, with the port that it has.
    pub address: SocketAddr,
    /// The same for a browser.
    pub url: String,
    /// The folder of the empty index that is gone afterwards, if there is one.
    pub scratch: Option<PathBuf>,
    /// Makes it stop.
    pub stopper: Stopper,
}

/// Makes a service stop, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// No more requests are taken; those under way are answered, if that does not take too long.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// The name of the index that a newcomer sees.
const SCRATCH: &str = "scratch";

/// Serves until it is told to stop. `started` is called once it listens; indexes may still be opened then.
///
/// # Errors
///
/// When an option cannot be used, the address is taken, or an index cannot be opened.
pub fn serve(options: &ServeOptions, started: impl FnOnce(&Started)) -> Result<()> {
    log::start(options.log);
    let keys = options.keys.as_ref().map_or_else(|| Ok(Keys::none()), |path| Keys::of(KeyFile::new(path)))?;
    if !keys.are_needed() && !options.listen.ip().is_loopback() {
        return Err(Error::NeedsKeys { address: options.listen });
    }
    let tls = options.tls.as_ref().map(tls::acceptor).transpose()?;
    let mut shared = Shared::new(keys, options.limits);
    shared.is_read_only = options.is_read_only;
    shared.is_secure = options.tls.is_some();
    shared.hosts.clone_from(&options.hosts);
    shared.snapshots.clone_from(&options.snapshots);
    shared.results = results(&options.results)?;
    shared.opened.input_of = options.input_of;
    let scratch = scratch(options)?;
    let folders = scratch.as_ref().map_or_else(|| options.folders.clone(), |folder| vec![folder.path().to_owned()]);
    let Places { root, indexes } = places(&folders)?;
    shared.root = root.filter(|_| !options.is_read_only);
    let shared = Arc::new(shared);

    let runtime = runtime::Builder::new_multi_thread()
        // Besides those of the lanes there are tasks, pages and files.
        .max_blocking_threads(options.limits.searches_at_once + options.limits.writes_at_once + 32)
        .thread_name("lookalike-serve")
        .enable_all()
        .build()
        .map_err(|source| Error::Listen { address: options.listen, source })?;
    let served = runtime.block_on(async {
        let listening = |source| Error::Listen { address: options.listen, source };
        let listener = TcpListener::bind(options.listen).await.map_err(listening)?;
        let address = listener.local_addr().map_err(listening)?;
        let (stopper, stop) = watch::channel(false);
        let stopper = Stopper(stopper);
        let protocol = if tls.is_some() { "https" } else { "http" };
        let scratch = scratch.as_ref().map(|folder| folder.path().to_owned());
        started(&Started { address, url: format!("{protocol}://{address}"), scratch, stopper: stopper.clone() });

        let opening = tokio::task::spawn_blocking({
            let (shared, stopper) = (Arc::clone(&shared), stopper.clone());
            move || open(&shared, &indexes).inspect_err(|_| stopper.stop())
        });
        connections::serve(listener, router(&shared), tls, &shared, stop).await;
        opening.await.unwrap_or(Ok(()))
    });
    // Work that nobody waits for any more may take a moment; what was acknowledged is on the disk.
    runtime.shutdown_timeout(Duration::from_secs(1));
    let closed = shared.indexes().iter().try_for_each(|index| index.close_if_idle());
    served.and_then(|()| Ok(closed?))
}

/// Opens all indexes, one after the other.
fn open(shared: &Shared, indexes: &BTreeMap<String, PathBuf>) -> Result<()> {
    for (name, path) in indexes {
        let index = OpenIndex::open(name, path, shared.is_read_only)?;
        tracing::info!(index = name, documents = index.snapshot().map_or(0, |snapshot| snapshot.len()), "open");
        shared.add(index);
    }
    shared.all_open();
    Ok(())
}

/// An empty index for whoever gave nothing to serve.
fn scratch(options: &ServeOptions) -> Result<Option<tempfile::TempDir>> {
    if !options.folders.is_empty() || !options.results.is_empty() {
        return Ok(None);
    }
    let folder = tempfile::Builder::new().prefix("lookalike-").tempdir();
    let folder = folder.map_err(|source| Error::io(&std::env::temp_dir(), source))?;
    Index::create(&folder.path().join(SCRATCH), &CreateOptions::default())?;
    Ok(Some(folder))
}

/// Where indexes are, by name.
#[derive(Debug, Default)]
struct Places {
    root: Option<PathBuf>,
    indexes: BTreeMap<String, PathBuf>,
}

fn places(folders: &[PathBuf]) -> Result<Places> {
    let mut places = Places::default();
    for folder in folders {
        let path = folder.canonicalize().map_err(|_| Error::NoSuchFolder { path: folder.clone() })?;
        if path.join("index.json").exists() {
            insert(&mut places.indexes, &path)?;
            continue;
        }
        let mut inside = Vec::new();
        for entry in path.read_dir().map_err(|source| Error::io(&path, source))? {
            let entry = entry.map_err(|source| Error::io(&path, source))?.path();
            inside.extend(entry.join("index.json").exists().then_some(entry));
        }
        inside.iter().try_for_each(|index| insert(&mut places.indexes, index))?;
        if let Some(first) = places.root.replace(path.clone()) {
            return Err(Error::TwoRoots { first, second: path });
        }
    }
    Ok(places)
}

fn results(folders: &[PathBuf]) -> Result<BTreeMap<String, PathBuf>> {
    let mut results = BTreeMap::new();
    for folder in folders {
        let missing = || Error::NotAResult { path: folder.clone() };
        let path = folder.canonicalize().map_err(|_| missing())?;
        if !path.join("summary.json").exists() {
            return Err(missing());
        }
        insert(&mut results, &path)?;
    }
    Ok(results)
}

/// Names a folder by its last part, in letters that need no quoting in an address.
fn insert(named: &mut BTreeMap<String, PathBuf>, path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or("root".as_ref()).to_string_lossy();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '-' };
    let name: String = name.trim_start_matches('.').chars().take(64).map(plain).collect();
    let name = if name.is_empty() { "index".to_owned() } else { name };
    match named.insert(name.clone(), path.to_owned()) {
        Some(first) => Err(Error::SameName { name, first, second: path.to_owned() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_others_can_reach_needs_keys() {
        let options =
            ServeOptions { listen: ([0, 0, 0, 0], 0).into(), log: LogFormat::None, ..ServeOptions::default() };
        let refused = serve(&options, |_| panic!("it must not listen"));
        assert!(matches!(refused, Err(Error::NeedsKeys { .. })), "{refused:?}");
    }

    #[test]
    fn a_folder_is_an_index_or_has_some_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        Index::create(&root.join("one"), &CreateOptions::default()).unwrap();
        Index::create(&root.join("all/two words"), &CreateOptions::default()).unwrap();
        Index::create(&root.join("all/one"), &CreateOptions::default()).unwrap();
        std::fs::create_dir(root.join("all/other")).unwrap();

        let found = places(&[root.join("all")]).unwrap();
        assert_eq!(found.root, Some(root.join("all")));
        assert_eq!(found.indexes.keys().collect::<Vec<_>>(), ["one", "two-words"]);
        let found = places(&[root.join("one")]).unwrap();
        assert_eq!((found.root, found.indexes.len()), (None, 1));
        assert!(
            matches!(places(&[root.join("one"), root.join("all")]), Err(Error::SameName { name, .. }) if name == "one")
        );
        assert!(matches!(places(&[root.join("none")]), Err(Error::NoSuchFolder { .. })));
        assert!(matches!(places(&[root.join("all"), root.join("all/other")]), Err(Error::TwoRoots { .. })));
        assert!(matches!(results(&[root.join("one")]), Err(Error::NotAResult { .. })));
    }
}
