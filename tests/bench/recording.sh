# Sourced by bench.sh: recordings of 1000 robots, read with and without thinning. The bound is 64 MiB, two steps of the
# text, and the clip that is kept: a time and a value a key, most keys being of joints.

recording_devices=1000

recording_line() { # steps tolerance
    code=0
    text=$work/recording/cell.dcr
    rm -f "$work/memory"
    "$tools/run_timed" --memory --limit "$longest" "$work/memory" "$cellpipe" check -v "$text" --in "tolerance=$2" \
        >/dev/null 2>"$work/memory.err" || code=$?
    keys=$(sed -n 's/.*note: \([0-9]*\) of \([0-9]*\) keys are kept.*/\1 \2/p' "$work/memory.err")
    # without a tolerance all are kept, and nothing is said
    [ "$2" = 0 ] && kept=$all || kept=${keys% *} all=${keys#* }
    bytes=$(bytes_of "$text")
    if [ "$code" != 0 ]; then
        printf '| %s | %s | failed, exit %s | | | | | |\n' "$1" "$2" "$code"
        return
    fi
    peak=$(cut -d ' ' -f 3 "$work/memory")
    seconds=$(cut -d ' ' -f 1 "$work/memory")
    bound=$(compute "64 + (2 * $bytes / $1 + 16 * $kept) / 1048576" %.1f)
    within=yes
    is_true "$peak <= $bound" || within=no
    printf '| %s | %s | %s | %s of %s | %s | %s | %s | %s |\n' "$1" "$2" "$(compute "$bytes / 1048576" %.1f)" "$kept" "$all" "$seconds" \
        "$(compute "$seconds / $1 * 1000" %.2f)" "$peak, $bound" "$within"
}

measure_recordings() {
    say "recordings"
    mkdir -p "$work/recording"
    printf '\n### Recordings\n\n%s robots of 6 joints.\n\n' "$recording_devices"
    printf '| steps | tolerance | text, MiB | keys kept | s | ms a step | MiB: peak, bound | within |\n|---|---|---|---|---|---|---|---|\n'
    for share in 8 4 2 1; do
        steps=$(((recorded + share - 1) / share))
        "$tools/make_recording" "$recording_devices" "$steps" "$work/recording"
        recording_line "$steps" 0.1mm
        recording_line "$steps" 0
    done
    rm -rf "$work/recording"
}
