mod plot;
mod tables;
