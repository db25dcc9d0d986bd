# The hog's runs: all of three users (c003), one of eight (c006-2), and those of the cell under another label (c007).
beside() {
    await run_started
    for run in $(sed -n '/"runs"/,$p' "$record/plan.json" | grep -o '"c00[0-9]-[0-9]"' | tr -d '"'); do
        begun "$run"
        case $run in
        c003-* | c006-2 | c007-*)
            hog 0 1
            over "$run"
            kill $hogs
            ;;
        esac
    done
}
