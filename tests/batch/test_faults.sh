#!/bin/sh
# test_faults.sh PROGRAM: a disk that is full or damaged, a call of the system that fails, a folder that goes away, an
# input that is cut. After each fault: no output in part, no `ok` without its output, no input lost in silence, and the
# next run makes the tree of an undisturbed run.
. "$(dirname "$0")/check.sh"
skipped=

# A cell with a device and a model, glTF with a buffer, and OBJ with a material, which assimp reads in its own process.
mkdir -p lib/sub lib/materials
cp part.stl open.stl lib
cp cell.wu arm.dev pairs.xml part.stl lib/sub
cp "$top/samples/gltf_external.gltf" "$top/samples/materials/plate.mtl" lib/materials
cp -r "$top/samples/gltf" lib/materials
cp "$top/samples/obj_plate.obj" lib/z.obj
batch() { timeout 20 "$cellpipe" batch "$@" --jobs 1 --progress none; }
works batch lib --out-dir whole
inputs=$(grep -c '"state":"ok"' whole/.cellpipe/status/*)

# good_records FOLDER: input, output and its hash of the records that claim an output.
good_records() {
    sed -n 's/^{"in":"\([^"]*\)","out":"[^/]*\(\/[^"]*\)".*"out_hash":"\([0-9a-f]*\)","state":"ok".*/\1 \2 \3/p' \
        "$1"/.cellpipe/status/*.jsonl 2>/dev/null | LC_ALL=C sort -u
}
good_records whole >whole.records
must "as many good records as inputs" [ "$(wc -l <whole.records)" = "$inputs" ]

# ended WHAT CODE: what a disturbed run into out has left. Its words are in said.
ended() {
    what=$1 problem=
    [ "$2" -lt 124 ] || [ "$2" = 141 ] || problem="ended with $2"
    good_records out >records
    [ -z "$(LC_ALL=C comm -23 records whole.records)" ] || problem="a record that is not of the undisturbed run"
    while read -r _ path _; do
        [ -f "out$path" ] || problem="a record of $path, which is not there"
    done <records
    find out -path out/.cellpipe -prune -o -type f ! -name '.cellpipe-*' -printf '%P\n' >files 2>/dev/null
    while read -r path; do
        cmp -s "out/$path" "whole/$path" || problem="$path is not as in the undisturbed run"
    done <files
    if [ "$2" = 0 ]; then
        [ "$(wc -l <files)" = "$inputs" ] && [ "$(wc -l <records)" = "$inputs" ] || problem="0, but something is missing"
    elif [ ! -s said ] && [ "$2" != 141 ]; then
        problem="$2 without a word"
    fi
    if [ -z "$problem" ]; then pass; else fail "$what: $problem ($(grep -m 1 error said))"; fi
}

# sound WHAT CODE: so, and the next run makes all good.
sound() {
    ended "$1" "$2"
    batch lib --out-dir out >again 2>&1
    must "$1: the next run: $(head -n 1 again)" [ $? = 0 ]
    must "$1: the same tree $(diff -rq -x status whole out | head -n 3)" [ "$(tree out)" = "$(tree whole)" ]
    must "$1: no temporary" [ -z "$(find out -name '.cellpipe-*')" ]
    rm -rf out
}

# ---- calls of the system that fail ----

# traced SIDE STRACE_WORDS...: a run into out whose supervisor, or whose worker with its readers, is traced. The worker is
# found while its first input is held back. The numbers of calls are counted in each process by itself.
traced() {
    side=$1
    shift
    if [ "$side" = supervisor ]; then
        timeout 20 strace "$@" "$cellpipe" batch lib --out-dir out --jobs 1 --progress none >said 2>&1
        code=$?
        return
    fi
    timeout 20 strace -qq -o /dev/null -e trace=sendto -e inject=sendto:delay_enter=150000:when=1 \
        "$cellpipe" batch lib --out-dir out --jobs 1 --progress none >said 2>&1 &
    run=$!
    wait_until is_there
    strace -qq -f "$@" -p "$process" 2>/dev/null &
    wait "$run"
    code=$?
    wait
}

# Sets process to the worker: below the run's time limit, strace, and the supervisor.
is_there() {
    process=$run
    for _ in strace supervisor worker; do
        process=$(cat "/proc/$process/task/$process/children") && process=${process%% *}
        [ -n "$process" ] || return 1
    done
}

# What a call may fail with.
errors() {
    case $1 in
    openat) echo EIO EMFILE ENOSPC ;;
    write | mkdir | rename | ftruncate | link) echo EIO ENOSPC ;;
    clone | clone3 | fork) echo EAGAIN ;;
    socketpair | pipe | pipe2 | dup2 | fcntl) echo EMFILE ;;
    mmap | poll) echo ENOMEM ;;
    sendto | recvfrom) echo ENOBUFS ;;
    read | pread64 | close | getdents64 | newfstatat | fstat | stat | lstat | access | faccessat2 | readlink | \
        renameat2 | unlink | unlinkat | rmdir | chmod | fsync | lseek | getcwd) echo EIO ;;
    esac
}

# faults SIDE: a line for each call that may fail: its name, its number, the error. What comes before the first fcntl of
# the supervisor, which is main's, is the loader's.
faults() {
    rm -f calls.*
    if [ "$1" = supervisor ]; then traced supervisor -o calls.1; else traced worker -ff -o calls; fi
    ended "counting the calls of the $1" "$code" >&2
    rm -rf out
    for log in calls.*; do
        awk -v begun="$([ "$1" = worker ] && echo 1)" '/^fcntl/ { begun = 1 }
            match($0, /^[a-z_0-9]+\(/) { name = substr($0, 1, RLENGTH - 1); all[name]++; if (begun) print name, all[name] }' "$log"
    done | LC_ALL=C sort -u -k1,1 -k2,2n | while read -r call number; do
        for error in $(errors "$call"); do echo "$call $number $error"; done
    done
}

if ! strace -qq -o /dev/null true 2>/dev/null || [ ! -r "/proc/$$/task/$$/children" ]; then
    skipped="$skipped calls that fail (strace and the right to trace);"
else
    for side in supervisor worker; do
        faults "$side" >all_faults
        [ -n "$CELLPIPE_LONG" ] || shuf -n 50 --random-source="$cellpipe" all_faults >some
        [ -n "$CELLPIPE_LONG" ] && mv all_faults some
        must "there are calls of the $side" [ -s some ]
        while read -r call number error; do
            traced "$side" -o /dev/null -e "trace=$call" -e "inject=$call:error=$error:when=$number" </dev/null
            sound "$side: $call $number: $error" "$code"
        done <some
    done
fi

# ---- the output folder goes away ----

library many 60
batch many --out-dir all >/dev/null 2>&1
"$cellpipe" batch many --out-dir gone --jobs 1 --progress none >said 2>&1 &
run=$!
wait_until recorded gone 1
kill -STOP $run
rm -rf gone
kill -CONT $run
wait $run
must "a folder that was removed ends with 4, not $?" [ $? = 4 ]
must "and a message" grep -q 'removed meanwhile' said
works batch many --out-dir gone
must "the next run makes it whole" [ "$(tree gone)" = "$(tree all)" ]

[ -z "$skipped" ] || echo "skipped: test_faults:$skipped"
finish
