#!/bin/sh
# run_peer.sh PEER JOB IN OUT [MORE]: does one job with one peer; how stands in peers/PEER.sh. bench.sh sets `tools`.
peers=$(dirname "$0")/peers
# shellcheck source=/dev/null
. "$peers/$1.sh"
shift
"$@"
