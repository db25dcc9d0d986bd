//! One line for each interval while a run goes on.

use crate::stat::Stat;

/// Milliseconds of a second.
const MS: f64 = 1000.0;

/// `database`: the script has spoken to one. `paced`: events begin at a rate, so that there is a queue to tell of.
pub fn intermediate(stat: &Stat, percentile: u32, database: bool, paced: bool) -> String {
    let Stat { threads_running, time_total, latency_pct, queue_length, concurrency, .. } = *stat;
    let per_second = |count: u64| if stat.time_interval > 0.0 { count as f64 / stat.time_interval } else { 0.0 };
    let (events, latency) = (per_second(stat.events), latency_pct * MS);
    let mut text = if database {
        let (reads, writes, other) = (per_second(stat.reads), per_second(stat.writes), per_second(stat.other));
        let queries = per_second(stat.reads + stat.writes + stat.other);
        let (errors, reconnects) = (per_second(stat.errors), per_second(stat.reconnects));
        format!(
            "[ {time_total:.0}s ] thds: {threads_running} tps: {events:.2} qps: {queries:.2} \
             (r/w/o: {reads:.2}/{writes:.2}/{other:.2}) lat (ms,{percentile}%): {latency:.2} \
             err/s: {errors:.2} reconn/s: {reconnects:.2}\n"
        )
    } else {
        format!("[ {time_total:.0}s ] thds: {threads_running} eps: {events:.2} lat (ms,{percentile}%): {latency:.2}\n")
    };
    if paced {
        let comma = if database { "," } else { "" };
        text += &format!("[ {time_total:.0}s ] queue length: {queue_length}{comma} concurrency: {concurrency}\n");
    }
    text
}
