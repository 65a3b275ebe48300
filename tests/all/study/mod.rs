//! The study file: opened, checked, merged, and at the centre of a whole study.

mod amending;
mod checking;
#[cfg(target_os = "linux")]
mod durability;
mod file;
mod merging;
mod orders;
mod simulated;
