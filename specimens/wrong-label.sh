# The distribution's server under a name that it does not deserve.
carry_out() {
    cat >"$ASSAY_HOME/servers.toml" <<STANZA
["mariadb-10.6.18"]
kind    = "mariadb"
version = "$(mariadbd --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -1)"
server  = "sbin/mariadbd"
basedir = "/usr"
STANZA
    ask "$1.toml" --out "$record"
    rm "$ASSAY_HOME/servers.toml"
}
