//! The whole program in a pseudo-terminal, seen as a person sees it: keys in, screens out, and what is in the study
//! file afterwards.

mod acts;
mod background;
mod browse;
mod calibration;
mod chinese;
pub mod hostile;
mod leaving;
mod pace;
mod resume;
pub mod settling;
mod sizes;
mod together;
mod waiting;
pub mod writing;
mod written;
