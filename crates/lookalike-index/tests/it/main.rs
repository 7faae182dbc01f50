//! The saved index, as one program.

mod crash;
mod damage;
mod deceived;
mod hostile;
#[path = "../made/mod.rs"]
mod made;
mod model;
mod versions;
