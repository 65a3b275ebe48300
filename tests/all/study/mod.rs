//! The study file: opened, checked, merged, and at the centre of a whole study.

mod checking;
mod file;
mod merging;
mod simulated;
