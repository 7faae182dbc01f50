//! The allocator of Linux (glibc) keeps most of the memory that a long text took, for the next one. A server runs for
//! months, and should return it to the system. The allocator reads this setting from an environment variable when a
//! program starts.

/// Restarts this program in the same process, with an allocator that returns large blocks to the system. Does nothing
/// with other allocators, or if the user has set the variable.
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
    // It returns only if it fails, and then the allocator keeps its settings.
    let _ = Command::new(own).arg0(name).args(words).env(VARIABLES[0], LARGE).exec();
}

/// Other allocators return memory on their own.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back_what_is_large() {}
