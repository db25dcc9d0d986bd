//! What memcached's daemon counts, itself or as InnoDB's plugin, by its own `stats` over a connection of ours. It is
//! the one count of gets that moves on every version: InnoDB's `dml_reads` and the server's `Handler_read_key` do not
//! see what comes this way. Keys are counted, not requests, and reading the statistics counts as neither.

use crate::backends::access::Endpoint;
use crate::backends::keyed::control::Control;
use crate::backends::keyed::{KeyEndpoint, KeyProtocol, Keys};
use crate::samplers::{Occasion, Reading, Source};
use model::record::counters;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

pub(crate) const NAME: &str = "memcached";

const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Memcached {
    endpoint: KeyEndpoint,
    control: Option<Control>,
    /// How often the statistics were asked for.
    requests: Rc<Cell<u64>>,
}

impl Memcached {
    /// The sampler of an endpoint that has statistics. They are asked for without a container, which only gets need.
    pub(crate) fn of(endpoint: &dyn Endpoint) -> Option<Self> {
        let KeyEndpoint { address, protocol: KeyProtocol::Memcached { dialect, .. } } = endpoint.downcast()? else {
            return None;
        };
        let protocol = KeyProtocol::Memcached { dialect: *dialect, keys: Keys::All };
        let endpoint = KeyEndpoint { address: address.clone(), protocol };
        Some(Self { endpoint, control: None, requests: Rc::default() })
    }

    pub(crate) fn requests(&self) -> Rc<Cell<u64>> {
        self.requests.clone()
    }

    fn stats(&mut self) -> Result<Vec<(String, String)>, String> {
        let control = match self.control.take() {
            Some(control) => control,
            None => Control::connect(&self.endpoint, PATIENCE).map_err(|e| e.to_string())?,
        };
        self.requests.set(self.requests.get() + 1);
        self.control.insert(control).stats().map_err(|e| e.to_string())
    }
}

impl Source for Memcached {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&mut self, _: Occasion, reading: &mut Reading) {
        let stats = match self.stats() {
            Ok(stats) => stats,
            Err(why) => {
                self.control = None;
                return reading.missing("memcached stats", why);
            }
        };
        for counter in counters::of(NAME) {
            let told = stats.iter().find(|(told, _)| told == counter.own_name());
            if let Some(value) = told.and_then(|(_, value)| value.parse().ok()) {
                reading.row(counter, value);
            }
        }
    }
}
