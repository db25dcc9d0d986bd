//! The graph against the numbers that LinkBench's own loader gives, some of which others have published.

use super::*;

fn graph(nodes: u64, edition: &str, split: Split) -> Arc<Graph> {
    Graphs::default().of(edition, Shape { first_id: 1, nodes, types: 2, split, most_links: u64::MAX })
}

#[test]
fn degrees_are_those_of_linkbench() {
    let degrees = |nodes| -> Vec<u64> {
        let graph = graph(nodes, "2011", Split::Inflated);
        (1..=12).map(|id| graph.degree(id)).collect()
    };
    assert_eq!(degrees(1_000_000), [0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0]);
    assert_eq!(degrees(10_000_000), [0, 1, 0, 1, 3, 1, 0, 1, 2, 6, 0, 1]);
    assert_eq!(degrees(20_000_000), [0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 52, 1]);
    assert_eq!(degrees(100_000), [0, 1, 0, 0, 1, 3, 1, 1, 3, 1, 0, 0]);
}

#[test]
fn the_node_with_most_links_has_them_at_any_size() {
    for (nodes, id) in [(1_000, 1), (10_000, 5_121), (1_000_000, 389_121), (20_000_000, 214_017)] {
        let graph = graph(nodes, "2011", Split::Inflated);
        assert_eq!((graph.degree(id), graph.links(id, 0), graph.links(id, 1)), (961_963, 480_982, 480_982));
    }
}

#[test]
fn hot_nodes_have_the_links_that_linkbench_gives_them() {
    for (nodes, hot) in [
        (1_000_000, [(692_225, 1), (477_186, 0), (946_179, 1), (159_748, 0), (608_261, 1)]),
        (10_000_000, [(5_915_649, 0), (7_568_386, 2), (3_737_603, 2), (7_279_620, 4), (7_622_661, 0)]),
        (20_000_000, [(15_894_529, 0), (15_279_106, 1), (1_418_243, 1), (723_972, 0), (14_842_885, 1)]),
    ] {
        let graph = graph(nodes, "2011", Split::Inflated);
        let heat = Shuffle::over(nodes, super::super::shuffle::BY_LINK_HEAT);
        for (rank, (id, degree)) in hot.into_iter().enumerate() {
            assert_eq!((1 + heat.place(rank as u64), graph.degree(id)), (id, degree));
        }
    }
}

#[test]
fn a_remainder_dealt_wrongly_makes_half_a_link_more() {
    let dealt = |split: Split| [0, 1, 2, 3, 4, 5].map(|t| (split.deal(t, 0, 2), split.deal(t, 1, 2)));
    assert_eq!(dealt(Split::Inflated), [(0, 0), (1, 0), (2, 1), (2, 2), (3, 3), (3, 3)]);
    assert_eq!(dealt(Split::Even), [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2)]);
    assert_eq!(dealt(Split::AtLeastOne), [(1, 1), (1, 1), (1, 1), (1, 1), (2, 2), (2, 2)]);
}

/// Links of both types, rows of counts, sum of id2 - id1, sum of id1, links that lead beyond the last node.
fn sums(graph: &Graph) -> [u64; 6] {
    let (mut distance, mut ids, mut beyond) = (0, 0, 0);
    let last = graph.shape.first_id + graph.shape.nodes - 1;
    for Count { id, links, .. } in graph.counts_from(0) {
        distance += links * (links - 1) / 2;
        ids += id * links;
        beyond += (id + links).saturating_sub(last + 1).min(links);
    }
    [graph.links_of_type(0), graph.links_of_type(1), graph.count_rows_loaded(), distance, ids, beyond]
}

#[test]
fn sums_over_whole_graphs_are_those_of_linkbench() {
    for (nodes, wanted) in [
        (1_000, [482_142, 481_726, 547 + 226, 231_343_224_961, 1_182_940, 959_964]),
        (10_000, [499_651, 495_489, 5_467 + 2_254, 231_357_102_681, 5_067_089_211, 952_204]),
        (100_000, [705_263, 663_636, 54_669 + 22_538, 231_806_990_938, 34_808_443_150, 790_636]),
        (1_000_000, [2_832_817, 2_416_553, 546_684 + 225_375, 238_663_729_287, 2_499_412_227_168, 0]),
    ] {
        assert_eq!(sums(&graph(nodes, "2011", Split::Inflated)), wanted, "{nodes} nodes");
    }
}

#[test]
fn other_editions_and_splits_have_the_links_that_they_have_there() {
    for (edition, split, links, counts) in [
        ("2017", Split::Inflated, 8_066_577, 1_202_530),
        ("2011", Split::AtLeastOne, 6_121_516, 2_000_000),
        ("2017", Split::AtLeastOne, 8_566_648, 2_000_000),
    ] {
        let graph = graph(1_000_000, edition, split);
        assert_eq!((graph.link_rows(), graph.count_rows_loaded()), (links, counts), "{edition} {split:?}");
    }
}

/// Each degree that a node has, with the ranks that have it: degrees fall with the rank, so the next one is searched
/// for.
fn spans(graph: &Graph) -> Vec<(u64, std::ops::Range<u64>)> {
    let nodes = graph.shape.nodes;
    let of = |rank| graph.degrees.of_rank(rank, nodes).min(graph.shape.most_links);
    let (mut all, mut rank) = (Vec::new(), 0);
    while rank < nodes {
        let (degree, mut low, mut high) = (of(rank), rank, nodes);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if of(middle) == degree { low = middle } else { high = middle }
        }
        all.push((degree, rank..high));
        rank = high;
    }
    all
}

/// The same sums without walking through a graph: a graph of twenty million nodes has some thousand degrees.
fn sums_by_degree(graph: &Graph) -> [u64; 6] {
    /// Up to here each place is as cheap as a sum over all groups.
    const FEW: u64 = 1_024;
    let Shape { first_id, nodes, types, split, .. } = graph.shape;
    let (mut links, mut counts, mut distance, mut ids) = ([0; 2], 0, 0, 0);
    for (degree, ranks) in spans(graph) {
        let many = ranks.end - ranks.start;
        let places: u64 = match many {
            0..=FEW => ranks.map(|rank| graph.by_degree.place(rank)).sum(),
            _ => graph.by_degree.sum_of_places(ranks),
        };
        for (link_type, links) in links.iter_mut().enumerate() {
            let each = split.deal(degree, link_type as u64, types);
            *links += each * many;
            counts += u64::from(each > 0) * many;
            distance += each * each.saturating_sub(1) / 2 * many;
            ids += each * (places + first_id * many);
        }
    }
    let (last, most) = (first_id + nodes - 1, graph.degrees.of_rank(0, nodes));
    let near = (first_id.max((last + 1).saturating_sub(most))..=last).map(|id| {
        (0..types)
            .map(|t| graph.links(id, t))
            .map(|links| (id + links).saturating_sub(last + 1).min(links))
            .sum::<u64>()
    });
    [links[0], links[1], counts, distance, ids, near.sum()]
}

#[test]
fn sums_by_degree_are_those_of_all_nodes() {
    for (edition, split) in [("2011", Split::Inflated), ("2017", Split::AtLeastOne), ("2011", Split::Even)] {
        let graph = graph(20_000, edition, split);
        assert_eq!(sums_by_degree(&graph), sums(&graph), "{edition} {split:?}");
    }
}

#[test]
fn sums_over_large_graphs_are_those_of_linkbench() {
    for (nodes, wanted) in [
        (10_000_000, [24_310_600, 20_147_955, 5_466_840 + 2_253_741, 326_822_890_260, 211_262_544_445_008, 5_348]),
        (20_000_000, [48_210_751, 39_885_461, 10_933_679 + 4_507_482, 431_811_070_789, 871_068_202_585_131, 104]),
    ] {
        assert_eq!(sums_by_degree(&graph(nodes, "2011", Split::Inflated)), wanted, "{nodes} nodes");
    }
}

#[test]
fn large_graphs_have_the_links_that_others_published() {
    for (nodes, edition, split, wanted) in [
        (19_999_999, "2011", Split::Inflated, 88_096_207),
        (32_000_000, "2011", Split::Inflated, 140_489_958),
        (100_000_000, "2011", Split::Inflated, 437_452_202),
        (10_000_000, "2017", Split::Inflated, 44_118_052),
        (20_000_000, "2011", Split::AtLeastOne, 105_539_180),
        (20_000_000, "2017", Split::AtLeastOne, 94_753_830),
    ] {
        let graph = graph(nodes, edition, split);
        let dealt = |degree| split.deal(degree, 0, 2) + split.deal(degree, 1, 2);
        let links: u64 =
            spans(&graph).into_iter().map(|(degree, ranks)| dealt(degree) * (ranks.end - ranks.start)).sum();
        assert_eq!(links, wanted, "{nodes} nodes of {edition}");
    }
}

#[test]
fn rows_begin_where_they_are_looked_for() {
    for (nodes, split) in [(3_000, Split::Inflated), (5_000, Split::AtLeastOne)] {
        let shape = Shape { first_id: 11, nodes, types: 3, split, most_links: 40 };
        let graph = Graphs::default().of("2011", shape);
        let links: Vec<_> = graph.links_from(0).collect();
        assert_eq!(links.len() as u64, graph.link_rows());
        let counts: Vec<_> = graph.counts_from(0).collect();
        assert_eq!(counts.len() as u64, graph.count_rows_loaded());
        assert_eq!(counts.iter().map(|c| c.links).sum::<u64>(), graph.link_rows());
        for at in (0..links.len()).step_by(97) {
            assert_eq!(graph.links_from(at as u64).next(), Some(links[at]));
        }
        for at in (0..counts.len()).step_by(97) {
            assert_eq!(graph.counts_from(at as u64).next(), Some(counts[at]));
        }
        let key = |l: &Link| (l.link_type, l.id, l.number);
        assert!(links.windows(2).all(|w| key(&w[0]) < key(&w[1])), "links come in the order of their key");
    }
}
