//! Checks that a Linux program is static: it names no loader, so it needs no shared libraries.

use anyhow::{Context, Result, ensure};

/// The program header that names the loader of shared libraries (System V ABI, `PT_INTERP`).
const INTERPRETER: u32 = 3;

/// Reads the program headers of a 64-bit, little-endian ELF file.
///
/// # Errors
///
/// If it is not such a file, or is truncated.
pub(super) fn is_static(program: &[u8]) -> Result<bool> {
    ensure!(program.starts_with(&[0x7f, b'E', b'L', b'F', 2, 1]), "it is not a 64-bit Linux program");
    let bytes = |from: usize, length: usize| {
        let cut_off = || format!("the program is cut off at byte {from}");
        program.get(from..).and_then(|rest| rest.get(..length)).with_context(cut_off)
    };
    let start = usize::try_from(u64::from_le_bytes(bytes(0x20, 8)?.try_into()?))?;
    let size = usize::from(u16::from_le_bytes(bytes(0x36, 2)?.try_into()?));
    let count = usize::from(u16::from_le_bytes(bytes(0x38, 2)?.try_into()?));
    for header in 0..count {
        let from =
            header.checked_mul(size).and_then(|offset| offset.checked_add(start)).context("it has no headers")?;
        if u32::from_le_bytes(bytes(from, 4)?.try_into()?) == INTERPRETER {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with only these headers.
    fn program(headers: &[u32]) -> Vec<u8> {
        let mut bytes = vec![0; 0x40];
        bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        bytes[0x20] = 0x40;
        bytes[0x36] = 56;
        bytes[0x38] = u8::try_from(headers.len()).unwrap();
        for header in headers {
            bytes.extend(header.to_le_bytes());
            bytes.extend([0; 52]);
        }
        bytes
    }

    #[test]
    fn a_program_with_a_loader_is_not_static() {
        assert!(is_static(&program(&[1, 1, 2])).unwrap());
        assert!(!is_static(&program(&[1, 3, 2])).unwrap());
    }

    #[test]
    fn this_very_test_is_not_static_where_the_compiler_links_to_the_system() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        if cfg!(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")) {
            assert!(!is_static(&own).unwrap());
        }
    }

    #[test]
    fn what_is_no_program_is_refused() {
        assert!(is_static(b"#!/bin/sh\n").is_err());
        assert!(is_static(&program(&[1, 1])[..0x50]).is_err());
    }
}
