//! Writes output to disks of many sizes: a run completes, or ends with exit code 2 and leaves nothing on the disk.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::{Means, Tally, kills};

/// Mounts a disk of this many kilobytes over the folder, runs the command, and lists the contents.
const SCRIPT: &str = r#"mount -t tmpfs -o size="$1"k tmpfs "$2" || exit 99
cd "$2" && TMPDIR="$2" "$3" dedup "$4" -o out --quiet --memory 64M >/dev/null 2>stderr-of-run
code=$?
grep -q panicked stderr-of-run && code=101
rm stderr-of-run
if test $code = 2 && test -n "$(ls -A)"; then ls -A; exit 98; fi
if test $code = 0 && ! test -s out/summary.json; then exit 97; fi
exit $code"#;

pub(super) fn attack(means: &Means<'_>) -> Result<Tally> {
    let mut tally = Tally::default();
    let corpus = means.folder.join("corpus");
    kills::write_corpus(&corpus)?;
    let disk = means.folder.join("disk");
    fs::create_dir(&disk)?;
    let sizes = [64, 256, 512, 1024, 1500, 2048, 3000, 4096, 6000, 8192, 12_000, 16_384, 24_000, 32_768, 65_536];
    let mut ended_well = 0;
    for size in sizes {
        if !means.has_time() {
            break;
        }
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", SCRIPT, "sh", &size.to_string()]).arg(&disk).arg(means.lookalike).arg(&corpus);
        let output = command.stdin(Stdio::null()).output().context("cannot run unshare")?;
        let failure = match output.status.code() {
            Some(0) => {
                ended_well += 1;
                None
            }
            Some(2) => None,
            Some(99) => {
                tally.note = String::from("left out: users cannot mount a disk here");
                return Ok(tally);
            }
            Some(98) => Some(format!("left behind: {}", String::from_utf8_lossy(&output.stdout).replace('\n', " "))),
            Some(97) => Some("exit 0 and no summary.json".to_owned()),
            code => Some(format!("exit {code:?}")),
        };
        tally.count(failure.map(|why| format!("a disk of {size} kB: {why}")));
    }
    tally.note = format!("{ended_well} of them were large enough");
    Ok(tally)
}
