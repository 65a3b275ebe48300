//! Readers of what other programs write.

mod benchmark;
mod malformed;
mod outside;
