//! The allocator of Linux (glibc) keeps most of what a long text took, for the next one. A server is there for months, and
//! should give it back. The allocator is told so by a variable that it reads when a program starts.

/// Starts this program over in the same process, with an allocator that gives back what is large. Does nothing where there is
/// another allocator, or where the person who starts it has said what it should do.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back_what_is_large() {
    use std::env;
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    const LARGE: &str = "1000000";
    const VARIABLES: [&str; 2] = ["MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"];
    if VARIABLES.iter().any(|name| env::var_os(name).is_some()) {
        return;
    }
    let Ok(own) = env::current_exe() else { return };
    let mut words = env::args_os();
    let name = words.next().unwrap_or_else(|| own.clone().into_os_string());
    // It returns only if it fails, and then the allocator stays as it is.
    let _ = Command::new(own).arg0(name).args(words).env(VARIABLES[0], LARGE).exec();
}

/// Other allocators give memory back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_what_is_large() {}
