#!/bin/sh
# test_damaged.sh PROGRAM: damaged COLLADA files, four times each: with memory as it comes, and with fresh and freed
# memory filled with two patterns (MALLOC_PERTURB_ of glibc). Exit code, messages and output are the same each time:
# nothing that is read beside its arrays, or was never written, gets through. 200 files, with CELLPIPE_LONG 2000.
. "$(dirname "$0")/check.sh"
mutate=$(dirname "$cellpipe")/tests/mutate
[ -x "$mutate" ] || fail "$mutate is not built"
[ -n "${CELLPIPE_LONG-}" ] && times=10 || times=1

# convert_once FILE PATTERN STATE: converts it, and keeps in STATE all that can be seen of that.
convert_once() {
    rm -f out.glb
    MALLOC_PERTURB_=$2 timeout 60 "$cellpipe" convert "$1" out.glb --limit reader-seconds=20 >"$3" 2>&1
    code=$?
    { echo "exit code $code" && cat out.glb; } >>"$3" 2>/dev/null
}

# damage SEED COUNT FILE
damage() {
    rm -rf damaged
    mkdir damaged
    "$mutate" "$1" "$2" "$3" damaged || fail "no damaged copies of $3"
    for file in damaged/*; do
        convert_once "$file" 0 first
        echo $code >>codes
        # A reader that dies may do so from memory that it should not read; what it says of that is the same each time.
        for pattern in 0 85 170; do
            convert_once "$file" $pattern again
            must "again the same: mutate $1 $2 $3, ${file##*/}, pattern $pattern: $(head -n 1 again)" \
                cmp -s first again
        done
    done
}
damage 1 $((150 * times)) "$top/tests/damaged/all.dae"
damage 2 $((50 * times)) "$top/samples/collada_arm.dae"
for code in 0 3; do
    must "many of them end with $code" [ "$(grep -c -x $code codes)" -gt 30 ]
done
must "no other ends: $(sort codes | uniq -c | tr '\n' ' ')" [ -z "$(grep -v -x '[036]' codes)" ]
finish
