//! A network of a test's own: what goes through it is cut at any byte, or not let through at all.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A way to a port of this machine.
pub struct Proxy {
    pub port: u16,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    is_down: AtomicBool,
    /// How many more bytes the next connections let through, each; 0 lets all through.
    budget: AtomicU64,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    pub fn to(port: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let proxy = Proxy { port: listener.local_addr().expect("a port").port(), state: Arc::default() };
        let state = Arc::clone(&proxy.state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if state.is_down.load(Ordering::Relaxed) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let budget = state.budget.load(Ordering::Relaxed);
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().expect("a copy"), to.try_clone().expect("a copy"));
                    state.open.lock().expect("open").push(from.try_clone().expect("a copy"));
                    thread::spawn(move || carry(from, to, budget));
                }
            }
        });
        proxy
    }

    /// Cuts every connection; later ones end by themselves after `budget` bytes in one direction.
    pub fn cut(&self, budget: u64) {
        self.state.budget.store(budget, Ordering::Relaxed);
        for open in self.state.open.lock().expect("open").drain(..) {
            let _ = open.shutdown(Shutdown::Both);
        }
    }

    /// Whether nobody gets through from now on.
    pub fn set_down(&self, is_down: bool) {
        self.state.is_down.store(is_down, Ordering::Relaxed);
        if is_down {
            self.cut(0);
        }
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, budget: u64) {
    let mut left = if budget == 0 { u64::MAX } else { budget };
    let mut bytes = [0; 4096];
    while left > 0 {
        let Ok(count @ 1..) = from.read(&mut bytes) else { break };
        let count = count.min(usize::try_from(left).unwrap_or(usize::MAX));
        left -= count as u64;
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
