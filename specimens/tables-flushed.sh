# SIGHUP is to a server what FLUSH TABLES, LOGS, STATUS and HOSTS are together.
beside() {
    begun c001-2
    sleep 0.5
    for _ in $(seq 15); do
        kill -HUP "$(server)"
        sleep 0.1
    done
}
