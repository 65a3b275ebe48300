//! What is said of a study: judgments become findings, and these tables.
//!
//! Below [`crate::cli`], which asks for it and prints it, and above all that is arithmetic: it knows no
//! argument, no terminal and no other form than [`table::Table`]. What is asked of each is a struct `…Asked`.

pub mod agree;
pub mod amendments;
pub mod annotators;
pub mod clusters;
pub mod contents;
pub mod corpus;
mod corrected;
pub mod display;
pub mod filtered;
pub mod frame;
pub mod gold;
pub mod grouped;
pub mod items;
pub mod judged;
pub mod judges;
pub mod part;
pub mod pivot;
pub mod protocols;
pub mod rounds;
pub mod score;
pub mod settled;
pub mod status;
pub mod strata;
pub mod table;
