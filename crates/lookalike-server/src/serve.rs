//! Runs the service: from options to a socket, until it is told to stop.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lookalike_index::{CreateOptions, Index};
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::watch;

use crate::connections;
use crate::error::{Error, Result};
use crate::keys::{KeyFile, Keys};
use crate::limits::Limits;
use crate::log::{self, LogFormat};
use crate::router::router;
use crate::runs::opened::InputOf;
use crate::runs::store::{self, ResultStore};
use crate::state::{OpenIndex, Shared};
use crate::tls::{self, Tls};

/// Options of the service.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Indexes, and at most one folder that contains indexes, in which new ones are created. Without any, and without
    /// results, a temporary empty index is created.
    pub folders: Vec<PathBuf>,
    /// Folders with results of `dedup` or `link`, and at most one folder that contains results, in which new ones are
    /// created. Without it, new results are temporary.
    pub results: Vec<PathBuf>,
    /// Determines the input of a run, so that its texts can be read again.
    pub input_of: Option<InputOf>,
    /// The address to listen on. Without keys, it must be an address that only this machine can reach.
    pub listen: SocketAddr,
    /// The key file.
    pub keys: Option<PathBuf>,
    /// Host names of this server, in addition to its addresses and localhost.
    pub hosts: Vec<String>,
    /// True if all writes are rejected. Another process may then write to the indexes.
    pub is_read_only: bool,
    /// Folder for copies of indexes that clients request.
    pub snapshots: Option<PathBuf>,
    /// Certificate and key for HTTPS.
    pub tls: Option<Tls>,
    /// Format of request logs on standard error.
    pub log: LogFormat,
    /// Limits on the resources of clients.
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

/// Information about a running service.
#[derive(Clone, Debug)]
pub struct Started {
    /// The address, with the actual port.
    pub address: SocketAddr,
    /// The address as a URL.
    pub url: String,
    /// The folder of the temporary empty index, if there is one.
    pub scratch: Option<PathBuf>,
    /// Stops the service.
    pub stopper: Stopper,
}

/// Stops the service from any thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Stops accepting requests; pending ones are completed within a time limit.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// Name of the temporary index.
const SCRATCH: &str = "scratch";

/// Serves until it is told to stop. `started` is called once it listens; indexes may still be loading then.
///
/// # Errors
///
/// If an option cannot be used, the address is not available, or an index cannot be opened.
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
    let (given, results_root) = results(&options.results)?;
    shared.results = ResultStore::given(given);
    shared.opened.input_of = options.input_of;
    let scratch = scratch(options)?;
    let temporary = open_results(&mut shared.results, results_root.as_deref(), options)?;
    let folders = scratch.as_ref().map_or_else(|| options.folders.clone(), |folder| vec![folder.path().to_owned()]);
    let Places { root, indexes } = places(&folders)?;
    shared.root = root.filter(|_| !options.is_read_only);
    let shared = Arc::new(shared);

    let runtime = runtime::Builder::new_multi_thread()
        // In addition to those of the lanes, there are tasks, pages and files.
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
        let url = format!("{protocol}://{address}");
        shared.url.get_or_init(|| url.clone());
        started(&Started { address, url, scratch, stopper: stopper.clone() });

        let opening = tokio::task::spawn_blocking({
            let (shared, stopper) = (Arc::clone(&shared), stopper.clone());
            move || open(&shared, &indexes).inspect_err(|_| stopper.stop())
        });
        connections::serve(listener, router(&shared), tls, &shared, stop).await;
        opening.await.unwrap_or(Ok(()))
    });
    // Abandoned work may take a moment; acknowledged writes are on disk.
    runtime.shutdown_timeout(Duration::from_secs(1));
    drop(temporary);
    let closed = shared.indexes().iter().try_for_each(|index| index.close_if_idle());
    served.and_then(|()| Ok(closed?))
}

/// Opens all indexes, one after the other.
fn open(shared: &Shared, indexes: &BTreeMap<String, PathBuf>) -> Result<()> {
    for (name, path) in indexes {
        let index = OpenIndex::open(name, path, shared)?;
        tracing::info!(index = name, documents = index.snapshot().map_or(0, |snapshot| snapshot.len()), "open");
        shared.add(index);
    }
    shared.all_open();
    Ok(())
}

/// Creates a temporary empty index if nothing was given to serve.
fn scratch(options: &ServeOptions) -> Result<Option<tempfile::TempDir>> {
    if !options.folders.is_empty() || !options.results.is_empty() {
        return Ok(None);
    }
    let folder = tempfile::Builder::new().prefix("lookalike-").tempdir();
    let folder = folder.map_err(|source| Error::io(&std::env::temp_dir(), source))?;
    Index::create(&folder.path().join(SCRATCH), &CreateOptions::default())?;
    Ok(Some(folder))
}

/// Opens the folder for new results: the given one, or else a temporary one.
fn open_results(
    results: &mut ResultStore,
    root: Option<&Path>,
    options: &ServeOptions,
) -> Result<Option<tempfile::TempDir>> {
    let most = options.limits.results_bytes;
    if options.is_read_only {
        root.map_or(Ok(()), |root| results.read_root(root).map_err(|source| Error::io(root, source)))?;
        return Ok(None);
    }
    if let Some(root) = root {
        results.open_root(root, false, most).map_err(|source| Error::io(root, source))?;
        return Ok(None);
    }
    let folder = tempfile::Builder::new().prefix("lookalike-results-").tempdir();
    let folder = folder.map_err(|source| Error::io(&std::env::temp_dir(), source))?;
    results.open_root(folder.path(), true, most).map_err(|source| Error::io(folder.path(), source))?;
    Ok(Some(folder))
}

/// Locations of indexes, by name.
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

/// Results by name, and the folder for new results.
fn results(folders: &[PathBuf]) -> Result<(BTreeMap<String, PathBuf>, Option<PathBuf>)> {
    let (mut results, mut root) = (BTreeMap::new(), None);
    for folder in folders {
        let missing = || Error::NotAResult { path: folder.clone() };
        let path = folder.canonicalize().map_err(|_| missing())?;
        if path.join("summary.json").exists() {
            insert(&mut results, &path)?;
        } else if store::is_root(&path) {
            if let Some(first) = root.replace(path.clone()) {
                return Err(Error::TwoRoots { first, second: path });
            }
        } else {
            return Err(missing());
        }
    }
    Ok((results, root))
}

/// Names a folder by its last component, in characters that need no quoting in a URL.
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
        assert!(
            matches!(results(std::slice::from_ref(&root)), Err(Error::NotAResult { .. })),
            "a folder that was named by mistake"
        );
        let (given, place) = results(&[root.join("all/other")]).unwrap();
        assert_eq!((given.len(), place), (0, Some(root.join("all/other"))));
    }
}
