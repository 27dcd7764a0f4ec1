# Sourced by bench.sh: what the machine can do, by loops that do no more than they must (floor.c).

measure_floors() {
    make_speed_inputs
    say "floors"
    floors=$work/results/floors
    mkdir -p "$floors"
    ascii=$(bytes_of "$work/torus_ascii.stl") binary=$(bytes_of "$work/torus.stl")
    library_bytes=$(size_of_output "$work/library")
    glb=$(bytes_of "$work/torus.glb")
    measure_floor read read "$work/torus.stl"
    measure_floor copy copy "$ascii"
    measure_floor parse parse "$work/torus_ascii.stl" "$threads"
    measure_floor parse_one parse "$work/torus_ascii.stl" 1
    measure_floor weld weld "$work/torus.stl"
    measure_floor write_glb write "$glb" 1 "$work"
    measure_floor write_binary write "$binary" 1 "$work"
    measure_floor write_ascii write "$ascii" 1 "$work"
    # A part has half as many vertices as triangles: 18 bytes of GLB a triangle; half of the files hold 50, half 254 bytes a triangle.
    library_triangles=$((library_bytes * 2 / (50 + 254)))
    measure_floor write_library write $((library_triangles * 18)) "$parts" "$work"
    print_floors
    put_row_floors
}

measure_floor() { # name words...
    name=$1
    shift
    "$tools/floor" "$@" >"$floors/$name"
}

floor_of() {
    cat "$floors/$1"
}

floor_line() { # what name bytes
    printf '| %s | %.4f | %s |\n' "$1" "$(floor_of "$2")" "$(compute "$3 / $(floor_of "$2") / 1e9" %.2f)"
}

print_floors() {
    printf '\n### Floors\n\n| what | s | GB/s |\n|---|---|---|\n'
    floor_line "read $((binary / 1000000)) MB from the page cache" read "$binary"
    floor_line "copy $((ascii / 1000000)) MB in memory" copy "$ascii"
    floor_line "parse the numbers of the ASCII file, one thread" parse_one "$ascii"
    floor_line "parse the numbers of the ASCII file, $threads threads" parse "$ascii"
    floor_line "weld the corners of the binary file, one thread" weld "$binary"
    floor_line "write $((glb / 1000000)) MB" write_glb "$glb"
    floor_line "write $((binary / 1000000)) MB" write_binary "$binary"
    floor_line "write $((ascii / 1000000)) MB" write_ascii "$ascii"
    floor_line "write the library's $parts files" write_library $((library_triangles * 18))
}

# A row's floor is the sum of its parts. Printing numbers has none: the text is counted as written, not as made.
put_row_floors() {
    share=$(compute "$library_triangles / $triangles" %.6f)
    put_row_floor ascii_glb "$(floor_of parse) + $(floor_of weld) + $(floor_of write_glb)"
    put_row_floor binary_glb "$(floor_of read) + $(floor_of weld) + $(floor_of write_glb)"
    put_row_floor ascii_binary "$(floor_of parse) + $(floor_of write_binary)"
    put_row_floor binary_ascii "$(floor_of read) + $(floor_of write_ascii)"
    put_row_floor binary_wrl "$(floor_of read) + $(floor_of weld) + $(floor_of write_glb) * 2"
    put_row_floor library "$share * (($(floor_of parse) + $(floor_of read)) / 2 + $(floor_of weld)) + $(floor_of write_library)"
}

put_row_floor() { # row expression
    mkdir -p "$work/results/$1"
    compute "$2" %.5f >"$work/results/$1/floor"
}
