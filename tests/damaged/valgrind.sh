#!/bin/sh
# valgrind.sh PROGRAM: damaged COLLADA files are read under valgrind's memcheck. No error is suppressed. 240 files, 4 minutes on one core. CELLPIPE_COUNT: another number.
cellpipe=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
mutate=$(dirname "$cellpipe")/tests/mutate
count=${CELLPIPE_COUNT:-240}
command -v valgrind >/dev/null || { echo "skipped: damaged files under valgrind need the package valgrind" && exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
read=0 refused=0 failed=0

check() { # WHAT FILE
    valgrind -q --error-exitcode=99 --track-origins=no --log-file=log \
        "$cellpipe" convert --isolate=no "$2" out.glb >said 2>&1
    case $? in
    0) read=$((read + 1)) ;;
    3 | 6) refused=$((refused + 1)) ;;
    *) failed=$((failed + 1)) && echo "FAILED: $1" && head -n 30 log said ;;
    esac
}

# damage SEED COUNT FILE
damage() {
    rm -rf damaged
    mkdir damaged
    "$mutate" "$1" "$2" "$3" damaged || failed=$((failed + 1))
    for file in damaged/*; do
        check "mutate $1 $2 ${3##*/}, ${file##*/}" "$file"
    done
}
check "as it is" "$here/all.dae"
damage 3 $((count * 2 / 3)) "$here/all.dae"
damage 4 $((count / 3)) "$here/../../samples/collada_arm.dae"
echo "$read read, $refused refused, $failed failed"
[ "$failed" = 0 ] && [ "$read" -gt $((count / 10)) ] && [ "$refused" -gt $((count / 10)) ]
