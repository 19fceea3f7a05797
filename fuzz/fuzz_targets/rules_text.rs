//! The rules parser survives any bytes, and what it reads prints and reads as the same.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    petriflow_testkit::rules::survive(&String::from_utf8_lossy(bytes));
});
