//! Readers and writers, as one program.

mod hostile;
mod linear;
mod units;
