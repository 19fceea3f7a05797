//! Benchmarks live in `benches/`; this library is empty so that the package has a target that
//! ordinary builds can skip cheaply.
