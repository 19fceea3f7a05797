//! Prints what the text on the standard input would run, one command per line.
#![allow(clippy::print_stdout, reason = "this is what the example is for")]

use std::io::Read as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    for command in petriflow_shell::parse(&text)?.commands {
        let lost = if command.may_be_skipped_or_lost() { " lost" } else { "" };
        println!("{}  [{:?}{lost}] {:?}", command.full_text(), command.connective, command.nature);
    }
    Ok(())
}
