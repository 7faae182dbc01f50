//! stub
use crate::error::Result;
use std::fs::File;
/// stub
#[derive(Clone, Debug)]
pub struct RemoteFile {
    /// stub
    pub url: String,
    /// stub
    pub bytes: u64,
}
/// stub
pub fn is_url(text: &str) -> bool {
    text.contains("://")
}
/// stub
pub fn find(_: &str) -> Result<Vec<RemoteFile>> {
    Ok(vec![])
}
impl RemoteFile {
    pub(crate) fn open(&self) -> Result<File> {
        todo!()
    }
    pub(crate) fn local(&self) -> Option<File> {
        None
    }
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        Ok(())
    }
}
/// stub
pub fn remove_all(_: &str, _: &[&str]) -> Result<()> {
    Ok(())
}
/// stub
pub fn upload(_: &std::path::Path, _: &str, _: &str) -> Result<()> {
    Ok(())
}
/// stub
pub fn is_empty(_: &str) -> Result<bool> {
    Ok(true)
}
/// stub
pub fn read_small(_: &str, _: usize) -> Result<Option<Vec<u8>>> {
    Ok(None)
}
/// stub
pub fn upload_file(_: &std::path::Path, _: &str) -> Result<()> {
    Ok(())
}
