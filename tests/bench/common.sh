# Sourced by bench.sh: running, results, numbers. Set there: work, tools, peers_folder, cellpipe, rounds, threads.
#
# A result is a file with a line a round (seconds, CPU seconds, MiB, as run_timed writes it), NAME.failed beside it says why there
# are no more.

LC_ALL=C
export LC_ALL

say() {
    printf '%s\n' "$*" >&2
}

# median FILE [COLUMN]
median() {
    awk -v column="${2-1}" '{ print $column }' "$1" | sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# least FILE [COLUMN]
least() {
    awk -v column="${2-1}" 'NR == 1 || $column < least { least = $column } END { print least }' "$1"
}

# compute 'EXPRESSION' [FORMAT]
compute() {
    awk "BEGIN { printf \"${2-%.4g}\", $1 }"
}

is_true() { # 'EXPRESSION'
    awk "BEGIN { exit !($1) }"
}

bytes_of() {
    wc -c <"$1" | tr -d ' '
}

# ---- peers ----

# Prints what a file in peers/ says: ask_peer PEER COMMAND...
ask_peer() {
    (
        peers=$peers_folder
        # shellcheck source=/dev/null
        . "$peers/$1.sh"
        shift
        "$@"
    ) 2>/dev/null
}

has_job() { # peer job
    grep -q "^$2()" "$peers_folder/$1.sh"
}

# Those of the chosen peers that do a job, cellpipe first, and its draft quality if that has a job of its own.
runners_of() { # job
    for peer in cellpipe cellpipe_fast $chosen_peers; do
        if has_job "$peer" "$1"; then printf '%s ' "$peer"; fi
    done
}

peer_version() {
    if grep -q '^version()' "$peers_folder/$1.sh"; then
        ask_peer "$1" version
    else
        # shellcheck disable=SC2016 # dpkg-query's own variables
        ask_peer "$1" eval 'dpkg-query -W -f "\${Version}" "${package%% *}"'
    fi
}

# ---- running ----

# run_once RESULT [--memory] PEER JOB WORDS...
run_once() {
    result=$1 measure=
    shift
    if [ "$1" = --memory ]; then
        measure=--memory
        shift
    fi
    # shellcheck disable=SC2086 # nothing, or a word
    "$tools/run_timed" $measure --limit "$longest" "$result" "$here/run_peer.sh" "$@" >"$result.out" 2>"$result.err" </dev/null || return
    # what a program says of its own time
    grep -E '^[0-9]+\.[0-9]{4}$' "$result.out" | tail -n 1 >>"$result.stage" || true
}

explain_failure() { # peer exit-code result
    if [ "${1%_fast}" = cellpipe ] && [ "$2" = 2 ]; then
        echo "not built"
    elif [ "$2" = 124 ]; then
        echo "took more than $longest s"
    else
        echo "failed, exit $2: $(grep -v '^$' "$3.err" | tail -n 1 | tr '|' ' ' | cut -c 1-120)"
    fi
}

# A program that needs more than slow_after seconds in the first round has slow_rounds alone.
wants_round() { # result round
    [ ! -e "$1.failed" ] || return 1
    [ "$2" -le "$slow_rounds" ] || ! is_true "$(head -n 1 "$1" | cut -d ' ' -f 1) > $slow_after"
}

# Rounds of all runners, interleaved, each round beginning with another: run_rounds FOLDER "RUNNERS" JOB IN OUT [MORE]
# $after_first names what is done with OUT after the first round: FUNCTION OUT RESULT.
run_rounds() {
    folder=$1 runners=$2
    shift 2
    mkdir -p "$folder"
    round=1
    while [ "$round" -le "$rounds" ]; do
        for runner in $runners; do
            wants_round "$folder/$runner" "$round" || continue
            prepare_output "$3"
            code=0
            run_once "$folder/$runner" "$runner" "$@" || code=$?
            if [ "$code" != 0 ]; then
                explain_failure "$runner" "$code" "$folder/$runner" >"$folder/$runner.failed"
            elif [ "$round" = 1 ]; then
                "$after_first" "$3" "$folder/$runner"
            fi
        done
        # shellcheck disable=SC2086 # a list of words
        runners=$(rotate $runners)
        round=$((round + 1))
    done
}

# A file is removed. A folder is put aside, its files emptied, until remove_outputs: for minutes after thousands of files were
# removed ext4 searches long for a free name for each new one, and every program would pay for those before it.
prepare_output() {
    case $1 in
    *library)
        if [ -e "$1" ]; then
            # shellcheck disable=SC2016 # the inner shell's
            find "$1" -type f -exec sh -c 'for file; do : >"$file"; done' sh {} +
            mv "$1" "$(mktemp -d "$1.XXXXXX")"
        fi
        mkdir "$1"
        ;;
    *) rm -f "$1" ;;
    esac
}

remove_outputs() {
    rm -rf "$1" "$1".*
}

rotate() {
    front=$1
    shift
    echo "$* $front"
}

# The number of triangles that cellpipe finds in a file.
triangles_of() {
    "$cellpipe" info --json "$1" 2>/dev/null | sed -n 's/^ "triangles": \([0-9]*\),.*/\1/p'
}
