# Sourced by bench.sh: simplifiers on real parts, at equal numbers of triangles.
#
# Each peer simplifies each part to each share; cellpipe then gets by with as many triangles as the peer has left. A row
# of $work/results/parts is, between tabs: part, peer, share, triangles, mean and max of the peer, and those of cellpipe.

part_count=60
part_shares="50 20 10 5 2"

# The largest distinct STL files below a folder, with their triangles.
list_parts() {
    find "$1" -type f -iname '*.stl' | LC_ALL=C sort | while read -r file; do
        printf '%s\t%s\t%s\n' "$(cksum <"$file" | tr ' ' _)" "$(triangles_of "$file")" "$file"
    done | sort -t '	' -k1,1 -u | sort -t '	' -k2,2nr -k3,3 | head -n "$part_count" | cut -f 2,3
}

# Triangles, mean and max, of measure_surface's lines.
measured_part() { # file
    "$tools/measure_surface" --samples "$samples" "$part" "$1" | tail -n 1 | cut -f 2,4,6
}

simplify_part() { # peer share name
    rm -f "$work"/out.stl*
    run_once "$work/out" "$1" simplify "$part" "$work/out.stl" "$((total * $2 / 100))" "$total" 2>/dev/null || return 0
    if [ -e "$work/out.stl.glb" ]; then "$cellpipe" convert -q "$work/out.stl.glb" "$work/out.stl"; fi
    theirs=$(measured_part "$work/out.stl")
    left=$(echo "$theirs" | cut -f 1)
    [ "$left" -gt 0 ] || return 0
    if [ ! -e "$work/ours_$left" ]; then
        run_once "$work/out" cellpipe simplify "$part" "$work/ours.stl" "$left" || return 0
        measured_part "$work/ours.stl" >"$work/ours_$left"
    fi
    printf '%s\t%s\t%s\t%s\t%s\n' "$3" "$1" "$2" "$theirs" "$(cat "$work/ours_$left")" >>"$work/results/parts"
}

# Distances below a ten-thousandth of a per cent of the diagonal are noise of floats.
parts_table() {
    awk -F '\t' '
        function note(key) {
            rows[key]++
            mean[key] += $8 <= $5 + 1e-4
            most[key] += $9 <= $6 + 1e-4
            missed[key] += $7 > 1.01 * $4
            means[key] += log(($8 + 1e-4) / ($5 + 1e-4))
            mosts[key] += log(($9 + 1e-4) / ($6 + 1e-4))
        }
        { note($2 " | " $3 " %"); note($2 " | all"); if (!($2 in seen)) { seen[$2]; peers[++count] = $2 } }
        function line(key) {
            if (rows[key])
                printf "| %s | %d | %.1f | %.1f | %d | %.2f | %.2f |\n", key, rows[key], 100 * mean[key] / rows[key],
                    100 * most[key] / rows[key], missed[key], exp(means[key] / rows[key]), exp(mosts[key] / rows[key])
        }
        END {
            n = split(shares, list, " ")
            for (i = 1; i <= count; i++) {
                for (k = 1; k <= n; k++)
                    line(peers[i] " | " list[k] " %")
                line(peers[i] " | all")
            }
        }' shares="$part_shares" "$work/results/parts"
}

# Calls FUNCTION PEER SHARE FILE for each part, share and peer with the JOB; $part and its .glb (written with the words) are
# there. Rows of the table NAME go to $work/results/NAME. Fails, and says so on the page, without parts.
each_part() { # NAME JOB FUNCTION WORDS...
    row=$1 job=$2 function=$3
    shift 3
    mkdir -p "$work/results"
    : >"$work/results/$row"
    if [ ! -d "$corpus" ]; then
        printf 'There are no parts in %s (--corpus).\n' "$corpus"
        return 1
    fi
    list_parts "$corpus" >"$work/parts"
    while IFS='	' read -r total file; do
        part=$work/part.stl
        "$cellpipe" convert -q "$file" "$part" --in unit=m --out format=binary
        "$cellpipe" convert -q "$part" "$work/part.glb" --in unit=m "$@"
        say "$row: $total triangles, $file"
        for share in $part_shares; do
            for peer in $chosen_peers; do
                if has_job "$peer" "$job"; then "$function" "$peer" "$share" "$file"; fi
            done
        done
        rm -f "$work"/ours_* "$work"/part.*
    done <"$work/parts"
    printf '%s parts' "$(wc -l <"$work/parts" | tr -d ' ')"
}

measure_parts() {
    printf '\n### Simplification of real parts\n\n'
    each_part parts simplify simplify_part --out normals=none || return 0
    printf '. Each peer simplifies each to a share of its triangles; cellpipe gets as many as the peer has left.\n\n'
    printf '| peer | to | cases | mean at most its, %% | max at most its, %% | missed by more than 1 %% | mean, of its | max, of its |\n'
    printf '|---|---|---|---|---|---|---|---|\n'
    parts_table
}
