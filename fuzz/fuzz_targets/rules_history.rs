//! Compiled rules decide as a direct interpreter of them does, and documents print as themselves.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Bytes that run out end the case.
    let _ = petriflow_testkit::rules::agree(&mut petriflow_testkit::cases::Unstructured::new(bytes));
    let _ = petriflow_testkit::rules::print_and_parse(&mut petriflow_testkit::cases::Unstructured::new(bytes));
});
