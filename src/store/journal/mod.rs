//! The journal in the study file: rows that are only added, and the tables that are folded from them.

pub(super) mod acts;
pub(super) mod adjudications;
pub(super) mod amend;
pub(super) mod append;
pub(super) mod asides;
pub(super) mod caches;
mod erase;
pub(super) mod gold;
pub(super) mod judged;
pub(super) mod judgments;
pub(super) mod log;
pub(super) mod material;
pub(super) mod packed;
pub(super) mod past;
pub(super) mod people;
pub(super) mod phrases;
pub(super) mod revise;
pub(super) mod sessions;
pub(super) mod undo;
pub(super) mod views;
