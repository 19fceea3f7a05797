//! The gate and the naive model agree on the policy and history that the bytes stand for.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    petriflow_testkit::gate::agree(bytes);
});
