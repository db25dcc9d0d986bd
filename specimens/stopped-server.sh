beside() {
    begun c001-1
    sleep 1.5
    local pid=$(server)
    kill -STOP "$pid"
    sleep 0.7
    kill -CONT "$pid"
}
