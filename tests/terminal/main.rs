//! The whole program in a pseudo-terminal, seen as a person sees it: keys in, screens out, and what is in the study
//! file afterwards.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod acts;
mod browse;
mod calibration;
mod chinese;
mod hostile;
mod leaving;
mod pace;
mod resume;
mod session;
mod settling;
mod sizes;
mod terminal;
mod together;
mod writing;
mod written;
