# Of the sessions that ask nothing now, the one that was opened last.
beside() {
    await disturbance_began
    sleep 1
    sql --execute "KILL $(sql --execute "SELECT MAX(id) FROM information_schema.processlist WHERE command = 'Sleep' AND db IS NULL")"
}
