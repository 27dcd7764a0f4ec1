# Sourced by bench.sh: simplifiers on several shapes, to 10 % and to 1 % of the triangles.

quality_shapes="torus gear block panel sheet crumbs micro far"

# The torus as large as --triangles says, the others a fifth.
quality_count() { # shape
    if [ "$1" = torus ]; then echo "$triangles"; else echo $((triangles / 5)); fi
}

quality_runners() { # shape
    printf 'cellpipe cellpipe_fast '
    for peer in $chosen_peers; do
        if has_job "$peer" simplify && { [ "$1" = torus ] || ! grep -q '^only_torus=yes' "$peers_folder/$peer.sh"; }; then
            printf '%s ' "$peer"
        fi
    done
}

# What gltfpack wrote is read back, to the axes and bits of the STL.
keep_simplified() { # output result
    if [ -e "$1.glb" ]; then
        "$cellpipe" convert -q "$1.glb" "$2.stl" --out up=y
        rm "$1.glb"
    else
        mv "$1" "$2.stl"
    fi
}

# The values of measure_surface in the order of the table; vtk: VTK's mean or nothing.
measured_columns() { # measured vtk
    awk -F '\t' -v vtk="$2" '{
        printf "%s | %s | %s | %s | %s", $2, $4, (vtk > 0 ? sprintf("%.2f", $4 / vtk) : ""), $5, $6
        printf " | %s | %s | %s | %s | %s | %s | %s", $11, $12, $13, $14, $15, $9, $10
    }' "$1"
}

measure_outputs() { # folder runners
    for runner in $2; do
        if [ ! -e "$1/$runner.failed" ]; then
            "$tools/measure_surface" --samples "$samples" "$part" "$1/$runner.stl" | tail -n 1 >"$1/$runner.measured"
        fi
    done
}

quality_line() { # folder runner
    if [ -e "$1/$2.failed" ]; then
        printf '| %s | %s | | | | | | | | | | | | | | |\n' "$2" "$(cat "$1/$2.failed")"
        return
    fi
    stage='' memory='' vtk=0
    if [ -e "$1/vtk.measured" ]; then vtk=$(cut -f 4 "$1/vtk.measured"); fi
    if [ -s "$1/$2.stage" ]; then stage=$(compute "$(median "$1/$2.stage")" %.3f); fi
    if [ -e "$1/$2.memory" ]; then memory=$(cut -d ' ' -f 3 "$1/$2.memory"); fi
    printf '| %s | %s | %s | %.3f | %s |\n' "$2" "$(measured_columns "$1/$2.measured" "$vtk")" "$stage" "$(median "$1/$2")" "$memory"
}

measure_peaks() { # folder runners target total
    for runner in $2; do
        [ -e "$1/$runner.failed" ] ||
            run_once "$1/$runner.memory" --memory "$runner" simplify "$part" "$work/out.stl" "$3" "$4" || true
    done
}

quality_table() { # shape share
    part=$work/part.stl
    total=$(triangles_of "$part")
    target=$((total / $2)) folder=$work/results/quality_$1_$2
    say "quality: $1, $total triangles to $target"
    runners_here=$(quality_runners "$1")
    run_rounds "$folder" "$runners_here" simplify "$part" "$work/out.stl" "$target" "$total"
    if [ "$1$2" = torus10 ]; then
        measure_peaks "$folder" "$runners_here" "$target" "$total"
    fi
    measure_outputs "$folder" "$runners_here"
    printf '\n#### %s, %s to %s triangles\n\n' "$1 ($("$tools/make_shape" list | sed -n "s/^$1	//p"))" "$total" "$target"
    printf '| program | triangles | mean | of VTK'\''s | rms | max | border | non-manifold edges | and vertices | misoriented | degenerate | turned | volume | simplifying, s | process, s | peak MiB |\n'
    printf '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n'
    for runner in $runners_here; do
        quality_line "$folder" "$runner"
    done
    rm -f "$folder"/*.stl "$work"/out.stl*
}

# Nothing where one is missing.
share_of() { # ours theirs
    if [ -n "$1" ] && [ -n "$2" ] && is_true "$2 > 0"; then compute "$1 / $2" %.2f; fi
}

measured_value() { # folder runner field
    if [ -e "$1/$2.measured" ]; then cut -f "$3" "$1/$2.measured"; fi
}

stage_value() { # folder runner
    if [ -s "$1/$2.stage" ]; then median "$1/$2.stage"; fi
}

# The torus in short: cellpipe beside the best peer of each column.
torus_line() { # title folder
    if [ -e "$2/cellpipe.failed" ]; then
        printf '| %s | %s | | | | | |\n' "$1" "$(cat "$2/cellpipe.failed")"
        return
    fi
    printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$1" \
        "$(share_of "$(measured_value "$2" cellpipe 4)" "$(measured_value "$2" vtk 4)")" \
        "$(share_of "$(measured_value "$2" cellpipe 6)" "$(measured_value "$2" blender 6)")" \
        "$(cut -f 11-13 "$2/cellpipe.measured" | tr '\t' ' ')" "$(measured_value "$2" cellpipe 10)" \
        "$(share_of "$(stage_value "$2" cellpipe)" "$(stage_value "$2" meshopt)")" \
        "$(cut -d ' ' -f 3 "$2/cellpipe.memory" 2>/dev/null || true)"
}

torus_summary() {
    printf '\n#### The torus, beside the best peers\n\n'
    printf '| | mean, of VTK%ss | max, of blender%ss | border, non-manifold edges, vertices |' "'" "'"
    printf ' volume, %% | time, of meshoptimizer%ss | peak, MiB |\n|---|---|---|---|---|---|---|\n' "'"
    torus_line "to 10 %" "$work/results/quality_torus_10"
    torus_line "to 1 %" "$work/results/quality_torus_100"
}

measure_quality() {
    after_first=keep_simplified slow_after=3 slow_rounds=1
    printf '\n### Simplification\n\n'
    for shape in $quality_shapes; do
        "$tools/make_shape" "$shape" "$(quality_count "$shape")" binary "$work/part.stl"
        "$tools/make_shape" "$shape" "$(quality_count "$shape")" glb "$work/part.glb"
        for share in 10 100; do
            quality_table "$shape" "$share"
        done
        if [ "$shape" = torus ]; then torus_summary; fi
    done
    rm -f "$work"/part.*
}
