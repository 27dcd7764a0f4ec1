#!/bin/sh
# run_peer.sh PEER[:JOBS] JOB IN OUT [MORE]: does one job with one peer; how stands in peers/PEER.sh. bench.sh sets
# `tools`.
peers=$(dirname "$0")/peers
# shellcheck source=/dev/null
. "$peers/${1%:*}.sh"
# shellcheck disable=SC2034 # the peer's
jobs=${1#*:}
shift
"$@"
