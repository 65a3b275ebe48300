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

pub(super) use acts::{
    ANSWER, ActKind, ActWriter, Acts, BITS, NUMBERS, SPAN, WaitingAct, lost_writer, numbered, said,
};
pub(super) use append::AnnotatorStep;
pub(super) use caches::{state_code, state_of};
pub(super) use judgments::import_writer;
pub(super) use log::Log;
pub(super) use packed::PackedPart;
pub(super) use people::{HER_NAMES, key_of, person, person_of};
pub(super) use phrases::{Phrase, Phrases};
