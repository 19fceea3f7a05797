use petriflow_net::analysis::Explorer;
use petriflow_testkit::workloads;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t: usize = a[2].parse().unwrap();
    let net = match a[1].as_str() {
        "phil" => workloads::philosophers(16),
        "ring" => workloads::token_ring(16),
        "kanban" => workloads::kanban(5),
        _ => workloads::flexible_manufacturing(5),
    };
    for _ in 0..2 {
        let s = std::time::Instant::now();
        let sp = Explorer::new(&net).threads(t).explore().complete().unwrap();
        println!(
            "{} {} {:?} words {}",
            sp.len(),
            sp.edges(),
            s.elapsed(),
            sp.memory_bytes() / sp.len()
        );
    }
}
