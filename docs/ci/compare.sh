#!/bin/sh
# What a pipeline asks of assay for a pull request: is the server that it built slower than the one before it?
#   compare.sh EXPERIMENT.toml BASE CANDIDATE
# BASE and CANDIDATE are builds: names of the catalogue, or folders that have bin/mariadbd or bin/mysqld.
# Leaves table.md (for the pull request) and cases.xml (JUnit); ends with 1 when the limit is broken, surely.
set -eu
experiment=$1 base=$2 candidate=$3
limit=${LIMIT:-qps<-3%}
pairs=${PAIRS:-5}

# One record of each says what is asked; a check that fails on them (status 1) decides nothing yet.
measure() {
    assay run "$experiment" --on "$1" --out "$2" ${SCALE:+--scale "$SCALE"} > /dev/null || [ $? -eq 1 ]
}
measure "$base" records/base
measure "$candidate" records/candidate

status=0
assay compare records/base records/candidate --again "$pairs" --out records/again \
    --fail-if "$limit" --markdown --junit cases.xml > table.md || status=$?
cat table.md
exit "$status"
