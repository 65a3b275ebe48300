//! Scores, against published and hand-made cases.

mod citations;
mod judge;
mod pairwise;
mod power;
mod published;
mod retrieval;
mod rules;
mod sampling;
mod scoring;
