# A monitor that follows what assay reads: whatever a reading wrote down is one visit, whoever asked for it.
beside() {
    await run_started
    for run in $(sed -n '/"runs"/,$p' "$record/plan.json" | grep -o '"c00[0-9]-[0-9]"' | tr -d '"'); do
        begun "$run"
        over "$run" &
        tail --follow=name --retry --lines=0 --pid=$! "$record/runs/$run/series.jsonl" 2>/dev/null | while read -r _; do
            while read -r -t 0.05 _; do :; done
            hog 0 1 0 1 0 1 0 1
            sleep 0.4
            kill $hogs
        done
    done
}
