# Sourced by bench.sh: the jobs of the table, against all peers.

# Row, title, input, the output's suffix; seconds that a round of all peers takes with a million triangles.
speed_rows="ascii_glb binary_glb ascii_binary binary_ascii binary_wrl obj_glb ply_glb text_ply_glb off_glb threemf_glb dae_glb library web"

row_title() {
    case $1 in
    ascii_glb) echo "ASCII STL to GLB, welded" ;;
    binary_glb) echo "binary STL to GLB, welded" ;;
    obj_glb) echo "OBJ to GLB" ;;
    ascii_binary) echo "ASCII STL to binary STL" ;;
    binary_ascii) echo "binary STL to ASCII STL" ;;
    binary_wrl) echo "binary STL to VRML97" ;;
    ply_glb) echo "binary PLY to GLB" ;;
    text_ply_glb) echo "ASCII PLY to GLB" ;;
    off_glb) echo "OFF to GLB" ;;
    threemf_glb) echo "3MF to GLB" ;;
    dae_glb) echo "COLLADA to GLB" ;;
    library) echo "library of $parts parts to GLB, one process" ;;
    web) echo "GLB to a tenth of its triangles, quantised and compressed" ;;
    esac
}

row_seconds() {
    case $1 in
    ascii_glb) echo 33 ;;
    binary_glb) echo 22 ;;
    obj_glb) echo 4 ;;
    ascii_binary) echo 22 ;;
    binary_ascii) echo 20 ;;
    binary_wrl) echo 18 ;;
    ply_glb | off_glb) echo 4 ;;
    text_ply_glb) echo 8 ;;
    threemf_glb) echo 3 ;;
    dae_glb) echo 12 ;;
    library) echo 30 ;;
    web) echo 2 ;;
    esac
}

row_input() {
    case $1 in
    ascii_*) echo "$work/torus_ascii.stl" ;;
    binary_*) echo "$work/torus.stl" ;;
    ply_glb) echo "$work/torus.ply" ;;
    text_ply_glb) echo "$work/torus_ascii.ply" ;;
    off_glb) echo "$work/torus.off" ;;
    threemf_*) echo "$work/torus.3mf" ;;
    dae_*) echo "$work/torus.dae" ;;
    obj_*) echo "$work/torus.obj" ;;
    library) echo "$work/library" ;;
    web) echo "$work/torus.glb" ;;
    esac
}

row_output() {
    case $1 in
    *_glb | web) echo "$work/out.glb" ;;
    *_wrl) echo "$work/out.wrl" ;;
    library) echo "$work/out_library" ;;
    *) echo "$work/out.stl" ;;
    esac
}

make_speed_inputs() {
    if [ -e "$work/torus.stl" ]; then return; fi
    say "making a torus of $triangles triangles and a library of $parts parts"
    "$tools/make_shape" torus "$triangles" binary "$work/torus.stl"
    "$tools/make_shape" torus "$triangles" ascii "$work/torus_ascii.stl"
    "$tools/make_shape" torus "$triangles" glb "$work/torus.glb"
    "$tools/make_shape" torus "$triangles" ply "$work/torus.ply"
    "$tools/make_shape" torus "$triangles" ascii-ply "$work/torus_ascii.ply"
    "$tools/make_shape" torus "$triangles" off "$work/torus.off"
    "$tools/make_shape" torus "$triangles" 3mf "$work/torus.3mf"
    "$tools/make_shape" torus "$triangles" dae "$work/torus.dae"
    "$tools/make_shape" torus "$triangles" obj "$work/torus.obj"
    mkdir -p "$work/library"
    "$tools/make_shape" library "$parts" "$work/library"
    find "$work/library" "$work"/torus* -type f -exec cat {} + >/dev/null
}

size_of_output() {
    find "$1" -type f -exec cat {} + | wc -c | tr -d ' '
}

# All triangles must be in it (VRML we do not read); web's are a tenth, and measured.
check_speed_output() { # output result
    size_of_output "$1" >"$2.size"
    case $1 in
    *library) found=$(find "$1" -name '*.glb' | wc -l | tr -d ' ') wanted=$parts ;;
    *.wrl) return ;;
    *) found=$(triangles_of "$1") wanted=$(triangles_of "$work/torus.stl") ;;
    esac
    if [ "$row" = web ]; then
        measure_web "$1" "$2"
    elif [ "$found" != "$wanted" ]; then
        echo "wrong: ${found:-nothing} of $wanted" >"$2.failed"
    fi
}

measure_web() { # output result
    "$cellpipe" convert -q "$work/torus.glb" "$work/reference.stl"
    "$cellpipe" convert -q "$1" "$work/web.stl" 2>"$2.err" || return 0
    "$tools/measure_surface" --samples "$samples" "$work/reference.stl" "$work/web.stl" | tail -n 1 | cut -f 2,4,6 >"$2.error"
    rm -f "$work/reference.stl" "$work/web.stl"
}

# ---- what comes out ----

times_cellpipe() { # folder runner column
    if [ ! -e "$1/cellpipe.failed" ]; then compute "$(median "$1/$2" "$3") / $(median "$1/cellpipe" "$3")" %.1f; fi
}

result_line() { # folder runner
    file=$1/$2
    if [ -e "$file.failed" ]; then
        printf '| %s | %s | | | | | |\n' "$2" "$(cat "$file.failed")"
        return
    fi
    peak=$(cut -d ' ' -f 3 "$file.memory")
    if [ "$row" = library ] && grep -q '^one_by_one=yes' "$peers_folder/$2.sh"; then peak=; fi
    printf '| %s | %.3f | %s | %.3f | %s | %s | %.1f |\n' "$2" "$(median "$file")" "$(times_cellpipe "$1" "$2" 1)" \
        "$(median "$file" 2)" "$(times_cellpipe "$1" "$2" 2)" "$peak" "$(compute "$(cat "$file.size") / 1e6" %.3f)"
}

web_lines() { # folder runners
    printf '\n| program | bytes | triangles | mean error, %% of the diagonal | largest |\n|---|---|---|---|---|\n'
    for runner in $2; do
        [ ! -e "$1/$runner.error" ] || printf '| %s | %s | %s | %s | %s |\n' "$runner" "$(cat "$1/$runner.size")" \
            "$(cut -f 1 "$1/$runner.error")" "$(cut -f 2 "$1/$runner.error")" "$(cut -f 3 "$1/$runner.error")"
    done
}

# Bytes and mean error as shares of gltfpack's.
print_web_shares() { # folder
    [ -e "$1/cellpipe.error" ] && [ -e "$1/cellpipe_fast.error" ] && [ -e "$1/gltfpack.error" ] || return 0
    printf '\ngltfpack makes no normals, and neither does cellpipe_fast, which has `quality=fast`.\n'
    for runner in cellpipe cellpipe_fast; do
        printf '%s has %s of the bytes and %s of the mean error of gltfpack.\n' "$runner" \
            "$(compute "$(cat "$1/$runner.size") / $(cat "$1/gltfpack.size")" %.2f)" \
            "$(compute "$(cut -f 2 "$1/$runner.error") / $(cut -f 2 "$1/gltfpack.error")" %.2f)"
    done
}

print_row_floor() { # folder
    if [ -e "$1/floor" ] && [ -e "$1/cellpipe" ] && [ ! -e "$1/cellpipe.failed" ]; then
        printf '\nThe floor of this job is %s s; cellpipe takes %s of it.\n' "$(compute "$(cat "$1/floor")" %.3f)" \
            "$(compute "$(median "$1/cellpipe") / $(cat "$1/floor")" %.2f)"
    fi
}

speed_row() { # row
    row=$1
    make_speed_inputs
    after_first=check_speed_output slow_after=10 slow_rounds=3
    row_runners=$(runners_of "$row")
    say "$row: $row_runners"
    run_rounds "$work/results/$row" "$row_runners" "$row" "$(row_input "$row")" "$(row_output "$row")"
    for runner in $row_runners; do
        if [ -e "$work/results/$row/$runner.failed" ]; then continue; fi
        prepare_output "$(row_output "$row")"
        run_once "$work/results/$row/$runner.memory" --memory "$runner" "$row" "$(row_input "$row")" "$(row_output "$row")" || true
    done
    remove_outputs "$(row_output "$row")"
    printf '\n### %s\n\n| program | s | times cellpipe | CPU s | times cellpipe | peak MiB | output MB |\n|---|---|---|---|---|---|---|\n' "$(row_title "$row")"
    for runner in $row_runners; do
        result_line "$work/results/$row" "$runner"
    done
    print_row_floor "$work/results/$row"
    if [ "$row" = web ]; then
        web_lines "$work/results/$row" "$row_runners"
        print_web_shares "$work/results/$row"
    fi
}
