//! Coefficients of agreement.

mod intervals;
mod oracle;
mod properties;
mod scales;
mod spans;
