//! Any text is read as shell commands or refused, and maps survive it.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    petriflow_testkit::shell::survive(&String::from_utf8_lossy(bytes));
});
