#!/bin/sh
# test_faults.sh PROGRAM: a disk that is full or damaged, a call of the system that fails, a folder that goes away, an
# input that is cut. After each fault: no output in part, no `ok` without its output, no input lost in silence, and the
# next run makes the tree of an undisturbed run.
. "$(dirname "$0")/check.sh"
skipped=

# A cell with a device and a model, glTF with a buffer, and OBJ with a material.
mkdir -p lib/sub lib/materials
cp part.stl open.stl lib
cp cell.wu arm.dev pairs.xml part.stl lib/sub
cp "$top/samples/gltf_external.gltf" "$top/samples/materials/plate.mtl" lib/materials
cp -r "$top/samples/gltf" lib/materials
cp "$top/samples/obj_plate.obj" lib/z.obj
batch() { within 20 "$cellpipe" batch "$@" --jobs 1 --progress none; }
works batch lib --out-dir whole
inputs=$(find lib -name '*.stl' -o -name '*.wu' -o -name '*.dev' -o -name '*.gltf' -o -name '*.obj' | wc -l)

# good_records FOLDER: input, output, its size and triangles of what is known to have an output. False without a report.
good_records() {
    "$cellpipe" report "$1" --csv >report.csv 2>report.said
    reported=$?
    sed -n 's/^"\([^"]*\)","\([^"]*\)",ok,"","",[^,]*,[^,]*,[^,]*,\([0-9,]*\),"[^"]*",[0-9]*.$/\1 \2 \3/p' report.csv | LC_ALL=C sort
    if [ ! -d "$1/.cellpipe" ]; then
        [ $reported = 3 ]
    elif [ $reported = 3 ] && grep -q 'has no records of a batch' report.said; then
        ! grep -qs '"state"' "$1"/.cellpipe/journals/*.jsonl
    else
        [ $reported -le 1 ] && [ ! -s report.said ]
    fi
}
good_records whole >whole.records
must "as many good records as inputs" [ "$(wc -l <whole.records)" = "$inputs" ]

# ended WHAT CODE|killed: what a disturbed run into out has left. Its words are in said.
ended() {
    what=$1 problem=
    [ "$2" = killed ] || [ "$2" -lt 124 ] || [ "$2" = 141 ] || problem="ended with $2"
    good_records out >records || problem="no report: $(cat report.said)"
    [ -z "$(LC_ALL=C comm -23 records whole.records)" ] || problem="a record that is not of the undisturbed run"
    while read -r _ path _; do
        [ -f "out/$path" ] || problem="a record of $path, which is not there"
    done <records
    find out -path out/.cellpipe -prune -o -type f ! -name '.cellpipe-*' -printf '%P\n' >files 2>/dev/null
    while read -r path; do
        cmp -s "out/$path" "whole/$path" || problem="$path is not as in the undisturbed run"
    done <files
    if [ "$2" = 0 ]; then
        [ "$(wc -l <files)" = "$inputs" ] && [ "$(wc -l <records)" = "$inputs" ] || problem="0, but something is missing"
    elif [ ! -s said ] && [ "$2" != 141 ] && [ "$2" != killed ]; then
        problem="$2 without a word"
    fi
    if [ -z "$problem" ]; then pass; else fail "$what: $problem ($(grep -m 1 error said))"; fi
}

# sound WHAT CODE|killed: so, and the next run makes all good, and what is known already is not made again. What all records say of
# contents is true.
sound() {
    ended "$1" "$2"
    batch lib --out-dir out >stdout 2>stderr
    must "$1: the next run: $(head -n 1 stderr)" [ $? = 0 ]
    made=$((inputs - $(wc -l <records)))
    must "$1: it makes what is missing: $(states), not $made ok" \
        [ "$(states)" = "$(echo "$made ok $((inputs - made)) skipped" | sed 's/^0 ok //; s/ 0 skipped$//')" ]
    must "$1: the same tree $(diff -rq -x .cellpipe whole out | head -n 3)" [ "$(tree out)" = "$(tree whole)" ]
    # A run that was killed while it made its journal leaves an empty one, for a day.
    [ "$2" != killed ] || find out/.cellpipe/journals -size 0 -delete
    must "$1: nothing else: $(folder out/.cellpipe)" [ "$(folder out/.cellpipe)" = 'journals lock state.db ' ]
    must "$1: no temporary" [ -z "$(find out -name '.cellpipe-*')" ]
    batch lib --out-dir out --verify >stdout 2>stderr
    must "$1: all records are true: $(states)" [ "$(states)" = "$inputs skipped" ]
    good_records out >records
    must "$1: all are known" cmp records whole.records
    rm -rf out
}

# ---- calls of the system that fail ----

# Those that change files of the state.
changes=write,pwrite64,fdatasync,fsync,ftruncate,unlink,openat,mkdir,flock

# Sets first_close to the number of the supervisor's first close after it has made its worker.
count_closes() {
    within 20 strace -qq -o closes -e trace=close,clone,clone3,fork,vfork \
        "$cellpipe" batch lib --out-dir out --jobs 1 --progress none >said 2>&1
    first_close=$(awk '/^close/ { count++ } /^(clone|clone3|fork|vfork)\(/ { print count + 1; exit }' closes)
    rm -rf out
}

# traced SIDE STRACE_WORDS...: a run into out whose supervisor, or whose worker with its readers, is traced. For the second,
# the supervisor is stopped when it has made the worker, until that is traced, too. The numbers of calls are counted in
# each process by itself.
traced() {
    side=$1
    shift
    if [ "$side" = supervisor ]; then
        within 20 strace "$@" "$cellpipe" batch lib --out-dir out --jobs 1 --progress none >said 2>&1
        code=$?
        return
    fi
    within 20 strace -qq -o /dev/null -e trace=close -e "inject=close:signal=STOP:when=$first_close" \
        "$cellpipe" batch lib --out-dir out --jobs 1 --progress none >said 2>&1 &
    run=$!
    wait_until is_there
    strace -qq -f "$@" -p "$process" 2>/dev/null &
    wait_until is_traced
    kill -CONT "$supervisor"
    wait "$run"
    code=$?
    wait
}

# child PROCESS: its first; fails if it has none.
child() {
    children=$(cat "/proc/$1/task/$1/children") && [ -n "$children" ] && echo "${children%% *}"
}

# shellcheck disable=SC2317 # wait_until calls these
# Sets supervisor, which is somewhere below strace, and process to its worker.
is_there() {
    supervisor=$run
    until [ "$(cat "/proc/$supervisor/comm")" = "$(basename "$cellpipe")" ]; do
        supervisor=$(child "$supervisor") || return 1
    done
    process=$(child "$supervisor")
}
# shellcheck disable=SC2317
# True, too, if the worker has ended already: its first call may be the one that fails.
is_traced() {
    ! grep -q '^TracerPid:[[:blank:]]*0$' "/proc/$process/status" || grep -q '^State:[[:blank:]]*Z' "/proc/$process/status"
}

# What a call may fail with.
errors() {
    case $1 in
    openat) echo EIO EMFILE ENOSPC ;;
    write | pwrite64 | mkdir | rename | ftruncate | fallocate | link) echo EIO ENOSPC ;;
    fdatasync | syncfs) echo EIO ;;
    flock) echo ENOLCK ;;
    clone | clone3 | fork) echo EAGAIN ;;
    socketpair | pipe | pipe2 | dup2 | fcntl) echo EMFILE ;;
    mmap) [ -n "$sanitized" ] || echo ENOMEM ;;
    poll) echo ENOMEM ;;
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

# The address sanitizer cannot look for leaks while it is traced, and ends the program when its own mmap fails.
if grep -q __asan_init "$cellpipe"; then
    sanitized=yes
    export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0"
fi

if ! strace -qq -o /dev/null true 2>/dev/null || [ ! -r "/proc/$$/task/$$/children" ]; then
    skipped="$skipped calls that fail (strace and the right to trace);"
else
    count_closes
    for side in supervisor worker; do
        faults "$side" >all_faults
        [ -n "$CELLPIPE_LONG" ] || shuf -n 40 --random-source="$cellpipe" all_faults >some
        [ -n "$CELLPIPE_LONG" ] && mv all_faults some
        must "there are calls of the $side" [ -s some ]
        while read -r call number error; do
            traced "$side" -o /dev/null -e "trace=$call" -e "inject=$call:error=$error:when=$number" </dev/null
            sound "$side: $call $number: $error" "$code"
        done <some
    done
    # A report tells all, or that it cannot.
    "$cellpipe" report whole >whole.report
    for call in $(seq -f newfstatat:%g 30) getdents64:1 getdents64:2; do
        if strace -qq -o /dev/null -e "trace=${call%:*}" -e "inject=${call%:*}:error=EIO:when=${call#*:}" \
            "$cellpipe" report whole >got 2>said; then
            must "a report, $call: the whole one" cmp got whole.report
        else
            must "a report, $call: a message" [ -s said ]
        fi
    done
    # A run that is killed while it opens the state, or merges its journal into it: at any call that changes a file there.
    traced supervisor -qq -y -o calls -e "trace=$changes"
    rm -rf out
    awk 'match($0, /^[a-z0-9_]+\(/) { name = substr($0, 1, RLENGTH - 1); count[name]++ }
        /\.cellpipe\/(journals|lock|state)/ { print name, count[name] }' calls >kills
    for call in pwrite64 fdatasync unlink; do
        must "there are kills at $call" grep -q "^$call" kills
    done
    [ -n "$CELLPIPE_LONG" ] || { shuf -n 30 --random-source="$cellpipe" kills >some && mv some kills; }
    while read -r call number; do
        traced supervisor -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$number" </dev/null
        must "killed at $call $number, not $code" [ "$code" = 137 ]
        sound "killed at $call $number" killed
    done <kills
fi

# ---- no room ----

# on_disk SIZE: a run on a disk of so many bytes, which are kept in out.
on_disk() {
    mkdir out kept
    # shellcheck disable=SC2016 # the words of the inner shell
    unshare -Urm sh -c 'mount -t tmpfs -o "size=$1" none out || exit 77
        "$2" batch lib --out-dir out --jobs 1 --progress none >said 2>&1
        code=$?
        cp -a out/. kept
        exit $code' sh "$1" "$cellpipe"
    code=$?
    rmdir out
    mv kept out
}
on_disk 300k
if [ $code = 77 ]; then
    skipped="$skipped full disks (user namespaces);"
    rm -r out
else
    must "300 KiB are enough" [ $code = 0 ]
    ended "a small disk" $code
    rm -r out
    size=4
    while [ $size -le 64 ]; do
        on_disk ${size}k
        sound "a disk of $size KiB" $code
        size=$((size + 4))
    done
fi
for blocks in 0 1 2 3 4 5 6 7 8 9 10 12; do
    (ulimit -f $blocks; exec "$cellpipe" batch lib --out-dir out --jobs 1 --progress none) 2>&1 | cat >said
    (ulimit -f $blocks; exec "$cellpipe" batch lib --out-dir out --jobs 1 --progress none) >/dev/null 2>&1
    sound "files of $blocks blocks" $?
done
for most in 1 1kB 2kB 3kB; do
    batch lib --out-dir out --max-output $most >said 2>&1
    sound "--max-output $most" $?
done
for status in /dev/full nowhere/status; do
    batch lib --out-dir out --status $status >said 2>&1
    must "4 with --status $status, not $?" [ $? = 4 ]
    sound "--status $status" 4
done

# ---- nobody hears, nobody may write ----

# 5 is the end of a pipe whose other end is closed.
mkfifo nobody
exec 4<>nobody 5>nobody 4<&-

for words in "batch lib --out-dir out" "manifest lib" "report whole" "report whole --json" "report whole --csv" \
    "batch lib --out-dir whole --dry-run"; do
    # shellcheck disable=SC2086
    ends 4 'standard output cannot be written' sh -c "'$cellpipe' $words >/dev/full"
    [ ! -e out ] || sound "$words to a full disk" 0
    # shellcheck disable=SC2086
    "$cellpipe" $words >&5 2>said
    code=$?
    must "$words to nobody ends with 141, not $code" [ $code = 141 ]
    [ ! -e out ] || sound "$words to nobody" 141
done
cp bad.stl lib
for error in /dev/full '&-'; do
    ends 1 '' sh -c "'$cellpipe' batch lib --out-dir out >/dev/null 2>$error"
    must "the others, with 2>$error" [ "$(find out -name '*.glb' | wc -l)" = "$inputs" ]
    rm -r out
done
"$cellpipe" batch lib --out-dir out 2>&5 >/dev/null
code=$?
must "errors to nobody end with 141, not $code" [ $code = 141 ]
exec 5>&-
rm lib/bad.stl
sound "errors to nobody" 141

# As root, without its right to write anywhere.
as_user=
[ "$(id -u)" != 0 ] || as_user="setpriv --bounding-set=-all --inh-caps=-all"
for folder in out out/sub out/.cellpipe out/.cellpipe/journals; do
    mkdir -p $folder
    chmod a-w $folder
    # shellcheck disable=SC2086
    if $as_user sh -c ": 2>/dev/null >$folder/try" 2>/dev/null; then
        skipped="$skipped folders that cannot be written (setpriv);"
        rm -r out
        break
    fi
    # shellcheck disable=SC2086
    $as_user "$cellpipe" batch lib --out-dir out --jobs 1 --progress none >said 2>&1
    code=$?
    must "1 or 4 with $folder that cannot be written, not $code" expr $code : '[14]$' >/dev/null
    must "and a message" grep -q 'Permission denied' said
    ended "$folder cannot be written" $code
    chmod u+w $folder
    sound "$folder can be written again" $code
done

# ---- the output folder goes away ----

cells heavy 15
heavy() { # SECONDS WORDS...: into gone; one cell takes longer than it may
    # shellcheck disable=SC2086
    "$cellpipe" batch heavy --only '*.wu' --out-dir gone --jobs 1 --timeout "$@" ! $slow >said 2>&1
}
# shellcheck disable=SC2317
# The run has ended; until then, its workers are killed.
is_over() {
    pkill -KILL -P "$(child "$run")"
    ! kill -0 "$run"
}
for status in gone/.cellpipe/here.jsonl there.jsonl; do
    mkdir -p gone/.cellpipe
    heavy 1000 --status $status &
    run=$!
    wait_until grep -q c14.wu $status
    until rm -rf gone 2>/dev/null; do :; done # a worker may write there meanwhile
    wait_until is_over
    wait $run
    must "a folder that was removed ends with 4, not $?, status in $status" [ $? = 4 ]
    must "and a message" grep -q 'removed meanwhile' said
    heavy 2
    must "the next run makes all that there was" [ "$(find gone -name '*.glb' | wc -l)" = 15 ]
    rm -r gone
done

# ---- an input is cut while it is read ----

# Large files, so that they are mapped: binary STL, which a worker reads; glTF with a buffer; AC3D, which a reader reads.
mkdir big
gzip -dc "$top/samples/stl_65536.stl.gz" | tail -c +85 >facets
for _ in 1 2 3 4 5; do
    cp facets half
    cat half >>facets
done
count=$(($(wc -c <facets) / 50))
count=$(printf '\\%03o\\%03o\\%03o\\000' $((count % 256)) $((count / 256 % 256)) $((count / 65536)))
# shellcheck disable=SC2059 # the format has the bytes
{ head -c 80 /dev/zero && printf "$count" && cat facets; } >big/a.stl
yes | head -c 24000000 >big/b.bin # numbers near zero
cat >big/b.gltf <<'END'
{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2000000, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]}],
 "bufferViews": [{"buffer": 0, "byteLength": 24000000}], "buffers": [{"byteLength": 24000000, "uri": "b.bin"}]}
END
awk 'BEGIN {
    print "*3DSMAX_ASCIIEXPORT 200\n*GEOMOBJECT {\n*NODE_NAME \"a\"\n*MESH {\n*MESH_NUMVERTEX 180000\n*MESH_NUMFACES 60000\n*MESH_VERTEX_LIST {"
    for (i = 0; i < 60000; i++) printf "*MESH_VERTEX %d %d 0 0\n*MESH_VERTEX %d %d 1 0\n*MESH_VERTEX %d %d 0 1\n", 3 * i, i, 3 * i + 1, i, 3 * i + 2, i
    print "}\n*MESH_FACE_LIST {"
    for (i = 0; i < 60000; i++) printf "*MESH_FACE %d: A: %d B: %d C: %d *MESH_MTLID 0\n", i, 3 * i, 3 * i + 1, 3 * i + 2
    print "}\n}\n}"
}' >big/c.ase
works batch big --out-dir uncut
must "three outputs" [ "$(find uncut -name '*.glb' | wc -l)" = 3 ]

# shellcheck disable=SC2317
# reads: a process below the run has the file open; below the worker, if it is a reader's.
reads() {
    process=$(pgrep -P "$run" | head -n 1)
    [ "$input" != c.ase ] || process=$(pgrep -P "$process")
    grep -q "/$file" "/proc/$process/maps"
}
# cut_once: $file to $cut while it is read; what is left is the old output, or an error. True if it was seen.
cut_once() {
    rm -rf cut out
    mkdir cut
    cp big/b.bin "big/$input" cut
    "$cellpipe" batch "cut/$input" --out-dir out --jobs 1 --progress none >said 2>&1 &
    run=$!
    until reads 2>/dev/null || ! kill -0 $run 2>/dev/null; do :; done
    kill -STOP "$process" 2>/dev/null
    truncate -s "$cut" "cut/$file"
    kill -CONT "$process" 2>/dev/null
    wait $run
    code=$?
    if [ $code = 0 ]; then
        must "$file cut to $cut: what it was" cmp "out/$input.glb" "uncut/$input.glb"
    else
        must "$file cut to $cut: a message, not $(head -n 1 said)" grep -Eq "^cut/$input: .*(cut short|changed while)" said
        must "$file cut to $cut: no output" [ ! -e "out/$input.glb" ]
    fi
    [ $code = 1 ]
}
for input in a.stl b.gltf c.ase; do
    file=$input
    [ "$input" != b.gltf ] || file=b.bin
    size=$(wc -c <big/$file)
    for cut in 0 500000 $((size / 4096 * 4096 - 100)); do # the last one leaves zeros in a page that is there
        tries=0
        until cut_once || [ $tries = 100 ]; do tries=$((tries + 1)); done
        must "$file cut to $cut is seen" [ $tries -lt 100 ]
    done
done

[ -z "$skipped" ] || echo "skipped: test_faults:$skipped"
finish
