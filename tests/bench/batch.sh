# Sourced by bench.sh: libraries, by processes of their own; and what very many files take.

# In memory if it can be, then where $work is.
make_places() {
    places=$work
    if [ -w /dev/shm ]; then
        in_memory=$(mktemp -d /dev/shm/cellpipe-bench.XXXXXX)
        places="$in_memory $work"
    fi
}

file_system_of() {
    df --output=fstype "$1" | tail -n 1
}

check_batch_output() { # output result
    found=$(find "$1" -name '*.glb' -size +0 | wc -l)
    [ "$found" -eq "$parts" ] || echo "wrong: $found of $parts" >"$2.failed"
}

# Seconds of one run as a multiple of another's, or nothing.
batch_ratio() { # folder run run
    if [ -s "$1/$2" ] && [ -s "$1/$3" ] && [ ! -e "$1/$2.failed" ] && [ ! -e "$1/$3.failed" ]; then
        compute "$(median "$1/$2") / $(median "$1/$3")" %.2f
    fi
}

# Median, least and most of a result's seconds.
print_times() { # file
    printf ' %.3f | %.3f | %.3f |' "$(median "$1")" "$(least "$1")" "$(sort -g "$1" | tail -n 1 | cut -d ' ' -f 1)"
}

batch_table() { # folder title runs
    printf '\n#### %s\n\n' "$2"
    printf '| command | processes | s | from | to | CPU s | times `cellpipe batch` |\n|---|---|---|---|---|---|---|\n'
    for run in $3; do
        name=${run%:*} file=$1/$run
        case $name in
        cellpipe) name='`cellpipe batch`' ;;
        cellpipe_before) name='the program before, `convert --out-dir`' ;;
        cellpipe_unhashed) name='`cellpipe batch` without hashes of files' ;;
        *) name="$name, $([ "${run#*:}" = 1 ] && echo "a shell's loop" || echo '`xargs -P`')" ;;
        esac
        if [ -e "$file.failed" ]; then
            printf '| %s | %s | %s | | | | |\n' "$name" "${run#*:}" "$(cat "$file.failed")"
        else
            printf '| %s | %s |' "$name" "${run#*:}"
            print_times "$file"
            printf ' %.3f | %s |\n' "$(median "$file" 2)" "$(batch_ratio "$1" "$run" "cellpipe:${run#*:}")"
        fi
    done
}

measure_library() { # place format runs
    results=$work/results/batch_$(file_system_of "$1")_$2
    after_first=check_batch_output slow_after=5 slow_rounds=3
    run_rounds "$results" "$3" batch "$1/$2" "$1/out_library"
    remove_outputs "$1/out_library"
    batch_table "$results" "$parts parts as $(echo "$2" | tr a-z A-Z), $(file_system_of "$1")" "$3"
    printf '\nTwo jobs are %s times as fast as one.' "$(batch_ratio "$results" cellpipe:1 cellpipe:2)"
    for jobs in 1 2; do
        older=cellpipe_before:$jobs
        [ -e "$results/$older" ] || continue
        printf ' Beside the program before, %s takes %s times the time' "$jobs" \
            "$(batch_ratio "$results" "cellpipe:$jobs" "$older")"
        [ -z "$unhashed" ] || printf ', and %s without hashes of files' \
            "$(batch_ratio "$results" "cellpipe_unhashed:$jobs" "$older")"
        printf '.'
    done
    printf '\n'
}

measure_libraries() { # place formats
    for format in $2; do
        mkdir "$1/$format"
        # shellcheck disable=SC2046 # nothing, or a word
        "$tools/make_shape" library "$parts" "$1/$format" $([ "$format" = stl ] || echo "$format")
        find "$1/$format" -type f -exec cat {} + >/dev/null
        runs="cellpipe:1 cellpipe:2"
        if [ "$format" = stl ]; then
            [ -z "$before" ] || runs="$runs cellpipe_before:1 cellpipe_before:2"
            [ -z "$unhashed" ] || runs="$runs cellpipe_unhashed:1 cellpipe_unhashed:2"
        fi
        for peer in $(runners_of batch); do
            case $peer:$format in
            cellpipe:* | gltfpack:stl) ;;
            *) runs="$runs $peer:1 $peer:2" ;;
            esac
        done
        measure_library "$1" "$format" "$runs"
        rm -rf "${1:?}/$format"
    done
}

# ---- very many files ----

# Files of one facet each, no two of them equal, 1,000 in a folder.
make_facets() { # count folder
    for number in $(seq 0 $((($1 - 1) / 1000))); do
        printf '%s\n' "$2/$number"
    done | xargs mkdir -p
    awk -v count="$1" -v folder="$2" 'BEGIN {
        for (i = 0; i < count; i++) {
            file = folder "/" int(i / 1000) "/" i ".stl"
            print "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0" >file
            print "vertex", i + 1, "0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid" >file
            close(file)
        }
    }'
}

# Seconds are the median of so many runs, the peak is their largest: files_line RUNS TITLE FILES OUTPUT COMMAND...
files_line() {
    runs=$1 title=$2 count=$3 output=$4
    say "files: $title, $count"
    shift 4
    rm -f "$work/files.time"
    while [ "$runs" -gt 0 ]; do
        code=0
        "$tools/run_timed" --memory --limit "$longest" "$work/files.time" "$@" >"$output" 2>"$work/files.err" || code=$?
        if [ "$code" != 0 ]; then
            printf '| %s | %s | failed, exit %s | | | | |\n' "$title" "$count" "$code"
            return
        fi
        runs=$((runs - 1))
    done
    printf '| %s | %s |' "$title" "$count"
    print_times "$work/files.time"
    printf ' %.0f | %s |\n' "$(compute "$count / $(median "$work/files.time")" %.0f)" \
        "$(cut -d ' ' -f 3 "$work/files.time" | sort -g | tail -n 1)"
}

measure_files() { # place count rounds-of-the-check
    make_facets "$2" "$1/facets"
    find "$1/facets" -type f -exec cat {} + >/dev/null
    printf '\n#### %s files of one facet each, %s\n\n' "$2" "$(file_system_of "$1")"
    printf '| command | files | s | from | to | files a second | peak MiB |\n|---|---|---|---|---|---|---|\n'
    batch="$cellpipe batch --progress none --out-dir $1/out"
    # shellcheck disable=SC2086 # a command of several words
    {
        files_line 1 '`manifest`' "$2" "$1/manifest" "$cellpipe" manifest "$1/facets" --shards 1000
        files_line 1 '`batch --manifest --dry-run`, all new' "$2" /dev/null $batch --manifest "$1/manifest" --dry-run
        files_line 1 '`batch --manifest`, all new' "$2" /dev/null $batch --manifest "$1/manifest"
        files_line "$3" '`batch`, all up to date' "$2" /dev/null $batch "$1/facets"
        files_line 1 '`batch --manifest --shard 0/1000`, all up to date' "$2" /dev/null \
            $batch --manifest "$1/manifest" --shard 0/1000
        files_line 1 '`report --manifest`' "$2" /dev/null "$cellpipe" report --manifest "$1/manifest" "$1/out"
    }
    printf '\nThe manifest has %s MB, what is known of the outputs %s MB.\n' \
        "$(compute "$(bytes_of "$1/manifest") / 1e6" %.1f)" \
        "$(compute "$(size_of_output "$1/out/.cellpipe") / 1e6" %.1f)"
    rm -rf "$1/facets" "$1/out" "$1/manifest"
}

measure_batch() {
    say "batch"
    make_places
    printf '\n### Libraries\n'
    for place in $places; do
        measure_libraries "$place" "$([ "$place" = "${places%% *}" ] && echo "stl obj glb" || echo stl)"
        measure_files "$place" $(((files + 9) / 10)) "$rounds"
    done
    measure_files "${places%% *}" "$files" 1
    printf '\nThe load was %s at the start, and %s at the end, with these runs.\n' "$load" \
        "$(cut -d ' ' -f 1 /proc/loadavg)"
}
