//! Finds the objects of an address, sorted by name.
//!
//! A name may be an object and a prefix at once; the object comes first. Listing includes sizes, so a listed object is
//! not queried again before it is read.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use futures_util::TryStreamExt;
use glob::{MatchOptions, Pattern};
use object_store::client::HttpClient;
use object_store::{ObjectMeta, ObjectStoreExt};
use url::Url;

use super::access::{Access, Location};
use super::address::Address;
use super::patience::Patience;
use super::ranges::Ahead;
use super::version::Version;
use super::waiting::Waiting;
use super::{runtime, web};
use crate::error::{Error, Result};
use crate::problem::Problem;

/// A remote object to read.
#[derive(Clone)]
pub struct RemoteFile {
    /// Its address.
    pub url: String,
    /// Its size; zero if the server does not report it.
    pub bytes: u64,
    pub(super) object: Arc<Object>,
}

/// State shared by the copies of a [`RemoteFile`].
pub(super) struct Object {
    pub(super) location: Location,
    pub(super) way: Way,
    pub(super) version: Version,
    pub(super) patience: Patience,
    /// The read-ahead limit it shares with others.
    pub(super) ahead: OnceLock<Arc<Ahead>>,
    /// The local copy, once it is opened, and whether it is complete.
    pub(super) local: OnceLock<Arc<File>>,
    pub(super) is_whole: AtomicBool,
}

/// The access path to an object.
#[derive(Clone, Debug)]
pub(super) enum Way {
    Bucket,
    Web { client: HttpClient, url: Url, has_ranges: bool },
}

impl fmt::Debug for RemoteFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.shown();
        out.debug_struct("RemoteFile")
            .field("url", &shown)
            .field("version", &self.object.version)
            .finish_non_exhaustive()
    }
}

impl RemoteFile {
    fn new(address: &Address, location: Location, way: Way, version: Version, patience: Patience) -> Self {
        let bytes = version.bytes.unwrap_or(0);
        let (ahead, local, is_whole) = (OnceLock::new(), OnceLock::new(), AtomicBool::new(false));
        Self {
            url: address.url(),
            bytes,
            object: Arc::new(Object { location, way, version, patience, ahead, local, is_whole }),
        }
    }

    /// Shares the limit on read-ahead with other files; the first call counts.
    pub fn share_ahead(&self, ahead: &Arc<Ahead>) {
        let _ = self.object.ahead.set(Arc::clone(ahead));
    }

    /// The address to show in messages: without a signature.
    pub fn shown(&self) -> String {
        crate::address::shown(&self.url)
    }

    /// Its etag, if the store has one.
    pub fn etag(&self) -> Option<&str> {
        self.object.version.etag.as_deref()
    }

    /// The time of the last modification, in seconds since 1970, if the store reports it.
    pub fn last_modified(&self) -> Option<i64> {
        self.object.version.modified
    }

    /// Checks with the store that the object has not changed since it was found.
    ///
    /// # Errors
    ///
    /// [`Error::Changed`] if it has changed; or an error if the store cannot be reached.
    pub fn check_unchanged(&self) -> Result<()> {
        let now = match self.ask() {
            Err(Error::Remote { problem: Problem::NotThere, .. }) => return Err(self.changed()),
            now => now?,
        };
        if self.object.version.is_same(&now) { Ok(()) } else { Err(self.changed()) }
    }

    /// The current version of the object.
    fn ask(&self) -> Result<Version> {
        let object = Arc::clone(&self.object);
        let waiting = Waiting::new(&self.shown(), object.patience.without_progress);
        let asked = waiting.wait(&runtime::start(async move {
            match &object.way {
                Way::Web { client, url, .. } => Ok(web::probe(client, url, object.patience).await?.version),
                Way::Bucket => match object.location.store.head(&object.location.path).await {
                    Ok(meta) => Ok(Version::of_object(&meta)),
                    Err(error) => Err(Problem::of(&error)),
                },
            }
        }));
        asked.and_then(|asked| asked).map_err(|problem| self.error(problem))
    }

    pub(super) fn changed(&self) -> Error {
        Error::Changed { path: PathBuf::from(self.shown()) }
    }

    pub(super) fn error(&self, problem: Problem) -> Error {
        Error::Remote { url: self.shown(), problem }
    }
}

impl Access {
    /// Finds the files of `url`. See [`crate::remote::find`].
    ///
    /// # Errors
    ///
    /// If there are none, or the store returns an error.
    pub fn find(&self, url: &str) -> Result<Vec<RemoteFile>> {
        let address = Address::parse(url)?;
        let found = match &address {
            Address::Web(url) if !url.path().ends_with('/') => vec![self.find_page(&address, url)?],
            Address::Web(url) => self.find_pages(&address, url)?,
            Address::Bucket { key, .. } => self.find_objects(&address, key)?,
        };
        if found.is_empty() { Err(Error::NothingToRead { path: PathBuf::from(address.shown()) }) } else { Ok(found) }
    }

    fn find_page(&self, address: &Address, url: &Url) -> Result<RemoteFile> {
        let problem = |problem| Error::Remote { url: address.shown(), problem };
        let client = self.web_client(url).map_err(problem)?;
        let (asking, at, patience) = (client.clone(), url.clone(), self.patience);
        let waiting = Waiting::new(&address.shown(), patience.without_progress);
        let probe = waiting.wait(&runtime::start(async move { web::probe(&asking, &at, patience).await }));
        let probe = probe.and_then(|probe| probe).map_err(problem)?;
        let way = Way::Web { client, url: url.clone(), has_ranges: probe.has_ranges };
        Ok(RemoteFile::new(address, self.single(url).map_err(problem)?, way, probe.version, self.patience))
    }

    /// Lists a folder of a web server that supports `WebDAV`.
    fn find_pages(&self, address: &Address, url: &Url) -> Result<Vec<RemoteFile>> {
        let names = match list(address, &self.location(address)?, self.patience) {
            // Many kinds of response mean that listing is not supported.
            Err(Error::Remote { url, problem: Problem::Other { .. } | Problem::NotThere }) => {
                return Err(Error::Remote { url, problem: Problem::NoList });
            }
            names => names?,
        };
        let pages = names.into_iter().map(|meta| {
            let mut page = url.clone();
            page.set_path("/");
            let page = Address::Web(page).below(meta.location.as_ref());
            let Address::Web(url) = &page else { unreachable!("below the web is the web") };
            self.find_page(&page, url)
        });
        pages.collect()
    }

    fn find_objects(&self, address: &Address, key: &str) -> Result<Vec<RemoteFile>> {
        let location = self.location(address)?;
        let object = |meta: &ObjectMeta| {
            let location = Location { store: Arc::clone(&location.store), path: meta.location.clone() };
            let Address::Bucket { cloud, root, .. } = address else { unreachable!("only buckets have objects") };
            let address = Address::Bucket { cloud: *cloud, root: root.clone(), key: meta.location.to_string() };
            RemoteFile::new(&address, location, Way::Bucket, Version::of_object(meta), self.patience)
        };
        if let Some(first) = key.find(['*', '?', '[']) {
            let pattern = Pattern::new(key).map_err(|error| Error::Remote {
                url: address.shown(),
                problem: Problem::Address { cause: error.to_string() },
            })?;
            // A single star does not cross folders, but two do.
            let options = MatchOptions {
                require_literal_separator: true,
                require_literal_leading_dot: true,
                ..MatchOptions::new()
            };
            let folder = key[..first].rsplit_once('/').map_or("", |(folder, _)| folder);
            let below = object_store::path::Path::parse(folder).unwrap_or_default();
            let below = Location { store: Arc::clone(&location.store), path: below };
            let listed = list(address, &below, self.patience)?;
            let found: Vec<_> = listed
                .iter()
                .filter(|meta| pattern.matches_with(meta.location.as_ref(), options))
                .map(object)
                .collect();
            if !found.is_empty() {
                return Ok(found);
            }
        }
        if !key.is_empty() && !key.ends_with('/') {
            let (store, path) = (Arc::clone(&location.store), location.path.clone());
            let waiting = Waiting::new(&address.shown(), self.patience.without_progress);
            let asked = runtime::start(async move { store.head(&path).await.map_err(|error| Problem::of(&error)) });
            match waiting.wait(&asked).and_then(|meta| meta) {
                Ok(meta) => return Ok(vec![object(&meta)]),
                Err(Problem::NotThere) => {}
                Err(problem) => return Err(Error::Remote { url: address.shown(), problem }),
            }
        }
        Ok(list(address, &location, self.patience)?.iter().map(object).collect())
    }
}

/// All objects below a prefix by name, except hidden ones and folder markers.
fn list(address: &Address, location: &Location, patience: Patience) -> Result<Vec<ObjectMeta>> {
    let Location { store, path } = location.clone();
    let prefix = path.clone();
    let waiting = Waiting::new(&address.shown(), patience.without_progress);
    let pulse = waiting.pulse.clone();
    let listed = waiting.wait(&runtime::start(async move {
        let listed = store.list(Some(&prefix)).inspect_ok(|_| pulse.beat());
        listed.try_collect::<Vec<_>>().await.map_err(|error| Problem::of(&error))
    }));
    let mut listed =
        listed.and_then(|listed| listed).map_err(|problem| Error::Remote { url: address.shown(), problem })?;
    listed.sort_by(|left, right| left.location.as_ref().cmp(right.location.as_ref()));
    let is_hidden = |meta: &ObjectMeta| {
        let mut parts = meta.location.prefix_match(&path).into_iter().flatten();
        parts.any(|part| part.as_ref().starts_with('.'))
    };
    listed.retain(|meta| !is_mark(meta) && !is_hidden(meta));
    Ok(listed)
}

/// True if an object only marks a folder. Its slash has been removed, so it is recognized by being empty and having no
/// extension.
fn is_mark(meta: &ObjectMeta) -> bool {
    let name = meta.location.filename().unwrap_or_default();
    meta.size == 0 && (!name.contains('.') || name.ends_with("_$folder$"))
}
