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

# Median, least and most CPU seconds of a result, and as a multiple of cellpipe's.
print_step_times() { # folder runner
    printf ' %.3f | %.3f | %.3f | %s |\n' "$(median "$1/$2" 2)" "$(least "$1/$2" 2)" \
        "$(awk '{ print $2 }' "$1/$2" | sort -g | tail -n 1)" "$(times_cellpipe "$1" "$2" 2)"
}

step_lines() { # folder, and what stands before the program's name and behind it
    for runner in $step_runners; do
        if [ -e "$1/$runner.failed" ]; then
            printf '| %s%s%s %s | | | |\n' "$2" "$runner |" "$3" "$(cat "$1/$runner.failed")"
        else
            printf '| %s%s%s' "$2" "$runner |" "$3"
            print_step_times "$1" "$runner"
        fi
    done
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
    printf '| file | MB | program | CPU s | from | to | times cellpipe |\n|---|---|---|---|---|---|---|\n'
    list_step_files >"$work/step_list"
    while read -r file; do
        name=${file##*/}
        say "step: $name"
        results=$work/results/step_$name
        run_rounds "$results" "$step_runners" step "$file" "$work/out.glb" </dev/null
        bytes_of "$file" >"$results/size"
        step_lines "$results" "$name | $(compute "$(bytes_of "$file") / 1e6" %.2f) | " ''
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
    printf '\n%s files of %s MB in all, one process at a time: `cellpipe batch`, and a loop of a shell for the others.\n\n' \
        "$step_count" "$(compute "$(size_of_output "$work/step_folder") / 1e6" %.2f)"
    printf '| program | files | CPU s | from | to | times cellpipe |\n|---|---|---|---|---|---|\n'
    step_lines "$work/results/step_folder" '' " $step_count |"
    remove_outputs "$work/out_library"
    rm -rf "$work/step_folder"
}
