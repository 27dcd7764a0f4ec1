# Sourced by bench.sh: cellpipe's peak of anonymous memory, against a bound: so many times the input, as decoded, and 64 MiB.

memory_header() {
    printf '\n### Memory\n\nThe bound is twice a binary input, once an ASCII one, plus 64 MiB.\n\n| job | input, MiB | bound, MiB | peak, MiB | within |\n|---|---|---|---|---|\n'
}

# memory_line TITLE FACTOR DECODED-FILE STDIN COMMAND...
memory_line() {
    title=$1 factor=$2 input=$3 stream=$4
    shift 4
    rm -rf "$work"/memory "$work"/out*
    code=0
    # A pipe, not the file itself: that would be mapped.
    cat "$stream" | "$tools/run_timed" --memory "$work/memory" "$@" 2>"$work/memory.err" || code=$?
    size=$(compute "$(bytes_of "$input") / 1048576" %.1f)
    bound=$(compute "$factor * $size + 64" %.1f)
    peak=$(cut -d ' ' -f 3 "$work/memory")
    within=yes
    is_true "$peak <= $bound" || within=no
    [ "$code" = 0 ] || within="failed, exit $code"
    printf '| %s | %s | %s | %s | %s |\n' "$title" "$size" "$bound" "$peak" "$within"
}

measure_memory() {
    make_speed_inputs
    say "memory"
    a=$work/torus_ascii.stl b=$work/torus.stl
    gzip -c -1 "$a" >"$work/torus_ascii.stl.gz"
    gzip -c -1 "$b" >"$work/torus.stl.gz"
    convert="$cellpipe convert -q"
    memory_header
    # shellcheck disable=SC2086 # a command of several words
    {
        memory_line "ASCII STL to GLB" 1 "$a" /dev/null $convert "$a" "$work/out.glb"
        memory_line "binary STL to GLB" 2 "$b" /dev/null $convert "$b" "$work/out.glb"
        memory_line "ASCII to binary STL" 1 "$a" /dev/null $convert "$a" "$work/out.stl"
        memory_line "binary to ASCII STL" 2 "$b" /dev/null $convert "$b" "$work/out.stl" --out format=ascii
        memory_line "binary STL to VRML97" 2 "$b" /dev/null $convert "$b" "$work/out.wrl"
        memory_line "GLB to binary STL" 2 "$work/torus.glb" /dev/null $convert "$work/torus.glb" "$work/out.stl"
        memory_line "ASCII STL from a pipe to GLB" 1 "$a" "$a" $convert - "$work/out.glb"
        memory_line "binary STL from a pipe to GLB" 2 "$b" "$b" $convert - "$work/out.glb"
        memory_line "ASCII STL, gzip, to GLB" 1 "$a" /dev/null $convert "$a.gz" "$work/out.glb"
        memory_line "binary STL, gzip, to GLB" 2 "$b" /dev/null $convert "$b.gz" "$work/out.glb"
        memory_line "binary STL to GLB, gzip" 2 "$b" /dev/null $convert "$b" "$work/out.glb.gz"
        memory_line "the library to GLB (counted: its largest part)" 2 "$(largest_part)" /dev/null "$cellpipe" batch -q --force "$work/library" --out-dir "$work/out_library"
    }
    measure_shapes
    rm -rf "$work"/out* "$work"/*.gz
}

# Shapes that need more than others: nothing in common, things of their own, one polygon.
measure_shapes() {
    shape_line random binary "$triangles" 2 "binary STL of triangles that share nothing, to GLB" stl glb
    shape_line torus solids $((triangles / 5)) 1 "ASCII STL, a solid a triangle, to GLB" stl glb
    shape_line torus meshes $((triangles / 5)) 2 "GLB, a mesh a triangle, to binary STL" glb stl
    shape_line circle polygon "$triangles" 2 "GLB, one polygon, to binary STL" glb stl
}

shape_line() { # shape format count factor title suffix-in suffix-out
    "$tools/make_shape" "$1" "$3" "$2" "$work/shape.$6"
    memory_line "$5" "$4" "$work/shape.$6" /dev/null "$cellpipe" convert -q "$work/shape.$6" "$work/out.$7"
    rm -f "$work/shape.$6"
}

largest_part() {
    find "$work/library" -type f -size +0 -exec ls -S {} + | sed -n 1p
}
