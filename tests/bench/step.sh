# Sourced by bench.sh: STEP and IGES, a file a process, and a folder of small files.
#
# Times are of processors. Programs do not the same: peers/*.sh says what each leaves out.

# Assemblies and parts of the corpus, from 0.4 MB on, and one of loose faces.
step_names="as1-oc-214.stp voron_minisb.step box_sides.STEP netgen_frame.step motor_holder_so101.step
    sts3215_servo.step featuretype.STEP example_45_faces.iges"

list_step_files() {
    echo "$top/samples/step_clamp.step"
    for name in $step_names; do
        [ ! -e "$corpus/step/$name" ] || echo "$corpus/step/$name"
    done
}

# Copies of the corpus's small files in turn, each with a comment of its own; without a corpus, of our sample with other
# numbers.
make_step_folder() { # count folder
    mkdir -p "$2"
    find "$corpus/step" -maxdepth 1 -type f \( -iname '*.step' -o -iname '*.stp' \) -size -100k ! -name 'broken*' \
        ! -name 'own_1000*' ! -name 'own_tess*' ! -name 'empty*' 2>/dev/null | LC_ALL=C sort >"$work/step_files"
    number=0
    while [ "$number" -lt "$1" ]; do
        number=$((number + 1))
        if [ -s "$work/step_files" ]; then
            file=$(sed -n "$(((number - 1) % $(wc -l <"$work/step_files") + 1))p" "$work/step_files")
            { cat "$file" && echo "/* $number */"; } >"$2/$number.step"
        else
            sed "s/60\.0/$((60 + number)).0/g" "$top/samples/step_clamp.step" >"$2/$number.step"
        fi
    done
}

# Peers write something else, or nothing.
check_step_output() { # output result
    case $2 in
    */cellpipe) ;;
    *) return ;;
    esac
    if [ -d "$1" ]; then found=$(find "$1" -name '*.glb' -size +0 | wc -l) wanted=$step_count; else found=$(triangles_of "$1") wanted=; fi
    if [ "${found:-0}" = 0 ] || [ "$found" != "${wanted:-$found}" ]; then echo "wrong: ${found:-nothing}" >"$2.failed"; fi
}

# CPU seconds as multiples of cellpipe's in the same round, since the load of a machine comes and goes: median, least and
# most. A file of times has a line a round.
step_ratios() { # folder runner
    if [ -e "$1/$2.failed" ]; then cat "$1/$2.failed" && return; fi
    paste -d ' ' "$1/cellpipe" "$1/$2" | awk 'NF == 6 { print $5 / $2 }' >"$work/ratios"
    printf '%.2f (%.2f to %.2f)' "$(median "$work/ratios")" "$(least "$work/ratios")" "$(sort -g "$work/ratios" | tail -n 1)"
}

# cellpipe's seconds, and the ratios of the others, as cells of a row.
step_cells() { # folder
    if [ -e "$1/cellpipe.failed" ]; then cat "$1/cellpipe.failed" && return; fi
    printf '%.3f (%.3f to %.3f) |' "$(median "$1/cellpipe" 2)" "$(least "$1/cellpipe" 2)" \
        "$(awk '{ print $2 }' "$1/cellpipe" | sort -g | tail -n 1)"
    for runner in $step_runners; do
        [ "$runner" = cellpipe ] || printf ' %s |' "$(step_ratios "$1" "$runner")"
    done
    echo
}

step_header() {
    printf '| %s | MB | cellpipe, CPU s |' "$1"
    for runner in $step_runners; do [ "$runner" = cellpipe ] || printf ' %s, times |' "$runner"; done
    printf '\n|---|---|'
    for runner in $step_runners; do printf -- '---|'; done
    echo
}

# Megabytes of all files that a program has read, for its seconds with them.
step_throughput() { # runner
    for file in "$work"/results/step_*/size; do
        result=${file%/size}/$1
        if [ -s "$result" ] && [ ! -e "$result.failed" ]; then echo "$(cat "$file") $(median "$result" 2)"; fi
    done | awk '{ bytes += $1; seconds += $2; n++ }
        END { if (n) printf "* %s: %.2f MB a CPU second (%d files)\n", name, bytes / 1e6 / seconds, n }' name="$1"
}

measure_step_files() {
    step_header file
    list_step_files >"$work/step_list"
    while read -r file; do
        name=${file##*/}
        say "step: $name"
        results=$work/results/step_$name
        run_rounds "$results" "$step_runners" step "$file" "$work/out.glb" </dev/null
        bytes_of "$file" >"$results/size"
        printf '| %s | %s | %s\n' "$name" "$(compute "$(cat "$results/size") / 1e6" %.2f)" "$(step_cells "$results")"
        rm -f "$work"/out.glb*
    done <"$work/step_list"
    printf '\nAll of them, with the start of each program:\n\n'
    for runner in $step_runners; do
        step_throughput "$runner"
    done
}

measure_step() {
    printf '\n### STEP and IGES\n\n'
    after_first=check_step_output slow_after=10 slow_rounds=3
    for peer in f3d gmsh; do
        case " $chosen_peers " in
        *" $peer "*) ;;
        *) printf '%s is left out: it is not installed, or not asked for.\n\n' "$peer" ;;
        esac
    done
    step_runners=$(runners_of step)
    measure_step_files
    step_count=$(((parts + 9) / 10))
    make_step_folder "$step_count" "$work/step_folder"
    say "step: a folder of $step_count files"
    step_runners=$(runners_of step_folder)
    run_rounds "$work/results/step_folder" "$step_runners" step_folder "$work/step_folder" "$work/out_library"
    printf '\nA folder, one process at a time: `cellpipe batch`, and a loop of a shell for the others.\n\n'
    step_header files
    printf '| %s | %s | %s\n' "$step_count" "$(compute "$(size_of_output "$work/step_folder") / 1e6" %.2f)" \
        "$(step_cells "$work/results/step_folder")"
    remove_outputs "$work/out_library"
    rm -rf "$work/step_folder"
}
