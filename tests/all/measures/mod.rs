//! Scores, against published and hand-made cases.

mod citations;
mod power;
mod published;
mod rules;
mod scoring;
