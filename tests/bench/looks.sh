# Sourced by bench.sh: what simplified parts look like, at equal numbers of bytes.
#
# Each peer simplifies each part to each share and packs it for the web; cellpipe gets its bytes as the budget. A row of
# $work/results/looks is, between tabs: part, peer, share, bytes and mean difference of a pixel of the peer, those of
# cellpipe ("-": it needs more bytes).

look_part() { # peer share name
    rm -f "$work"/peer.glb "$work"/ours.glb
    run_once "$work/out" "$1" look "$work/part.glb" "$work/peer.glb" "0.$(printf %02d "$2")" 2>/dev/null || return 0
    size=$(wc -c <"$work/peer.glb" | tr -d ' ')
    "$cellpipe" convert -q "$part" "$work/ours.glb" --in unit=m --out web=yes --out extras=no --out budget="$size" \
        2>/dev/null || true
    if [ -e "$work/ours.glb" ] && [ "$(wc -c <"$work/ours.glb")" -le "$size" ]; then
        "$tools/compare_looks" "$work/part.glb" "$work/peer.glb" "$work/ours.glb" >"$work/looks"
        theirs=$(sed -n 1p "$work/looks" | cut -f 1) ours=$(sed -n 2p "$work/looks" | cut -f 1)
        left=$(wc -c <"$work/ours.glb" | tr -d ' ')
    else
        theirs=$("$tools/compare_looks" "$work/part.glb" "$work/peer.glb" | cut -f 1) ours=- left=-
    fi
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$3" "$1" "$2" "$size" "$theirs" "$left" "$ours" >>"$work/results/looks"
}

# Differences below a thousandth of a level of grey are none.
looks_table() {
    awk -F '\t' '
        function note(key) {
            rows[key]++
            if ($7 == "-") {
                missed[key]++
                return
            }
            won[key] += $7 <= $5 + 1e-3
            ratios[key] += log(($7 + 1e-3) / ($5 + 1e-3))
        }
        { note($2 " | " $3 " %"); note($2 " | all"); if (!($2 in seen)) { seen[$2]; peers[++count] = $2 } }
        function line(key) {
            if (rows[key])
                printf "| %s | %d | %.1f | %.2f | %d |\n", key, rows[key], 100 * won[key] / rows[key],
                    exp(ratios[key] / fmax(1, rows[key] - missed[key])), missed[key]
        }
        function fmax(a, b) { return a > b ? a : b }
        END {
            n = split(shares, list, " ")
            for (i = 1; i <= count; i++) {
                for (k = 1; k <= n; k++)
                    line(peers[i] " | " list[k] " %")
                line(peers[i] " | all")
            }
        }' shares="$part_shares" "$work/results/looks"
}

measure_looks() {
    printf '\n### What real parts look like\n\n'
    each_part looks look look_part || return 0
    printf ' from 12 directions, 512 x 512 pixels, beside the part with its normals by the crease angle. Each peer\n'
    printf 'simplifies each to a share of its triangles and packs it; cellpipe gets as many bytes.\n\n'
    printf '| peer | to | cases | difference at most its, %% | difference, of its | missed |\n|---|---|---|---|---|---|\n'
    looks_table
}
