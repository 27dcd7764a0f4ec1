#!/bin/sh
# test_routine.sh PROGRAM: ik routine=: the example against our own solver, and routines that crash, hang, print, lie or
# write where they should not.
. "$(dirname "$0")/check.sh"
command -v "${CC:-cc}" >/dev/null || { echo "skipped: no C compiler"; exit 77; }
machine=$top/samples/mechanisms/hexapod.dcw
lengths=376.5mm,376.5mm,376.5mm,376.5mm,376.5mm,376.5mm

make() { # library, standard, source
    "${CC:-cc}" "-std=$2" -shared -fPIC -I "$top/contrib/routines" "$3" -lm -o "$1"
}
make hexapod.so gnu89 "$top/contrib/routines/hexapod.c" || exit 1
make bad.so gnu99 "$top/tests/tools/routines.c" || exit 1
echo 'int other;' >other.c
make other.so gnu99 other.c || exit 1

# The example and the solver, at poses all over: joints within 1e-6 mm.
for pose in 0,0,441.71mm,0,0,0 10mm,-20mm,449.712mm,0,0,0 5mm,5mm,440mm,10deg,0,0 0,0,450mm,0,8deg,-8deg -20mm,15mm,430mm,-12deg,4deg,3deg; do
    "$cellpipe" ik "$machine" "pose=$pose" >ours || fail "ik pose=$pose"
    "$cellpipe" ik "$machine" "pose=$pose" routine=hexapod.so:kin_hexapod lengths=$lengths >theirs 2>"$work/stderr" || fail "routine pose=$pose"
    must "the same joints at $pose" sh -c 'paste ours theirs | LC_ALL=C awk "
        /mm/ { count++; off = \$2 - \$5; if (off > 1e-6 || off < -1e-6) bad = 1 }
        END { exit bad || count != 6 }"'
done

# Numbers and T6 are in the frame of in=.
"$cellpipe" ik "$machine" pose=0,0,450mm,0,0,0 in=base --json routine=hexapod.so:kin_hexapod lengths=$lengths >there
"$cellpipe" ik "$machine" pose=0,0,450mm,0,0,0 --json routine=hexapod.so:kin_hexapod lengths=$lengths >here
must "it is the routine's answer" grep -q '"method": "routine"' here
must "in=base is the same here" cmp -s here there
must "in=platform is another one" [ "$("$cellpipe" ik "$machine" pose=0,0,1mm,0,0,0 in=platform --json routine=hexapod.so:kin_hexapod lengths=$lengths 2>/dev/null | grep -c '"number"')" = 0 ]

try() { # the exit code, the message, the routine, words
    code=$1 message=$2 routine=$3
    shift 3
    ends "$code" "$message" "$cellpipe" ik "$machine" pose=tool "routine=$routine" "$@"
    must "no word of $routine" [ "$(grep -c 'must not be seen' "$work/stdout")" = 0 ]
}
no='error: routine "kin_[a-z_]*" gives no solution:'
try 0 '' bad.so:kin_good
try 0 '' "$work/bad.so:kin_good"
try 0 'solution 1 of routine "kin_prints": warning 0' bad.so:kin_prints
try 1 "$no crashed \(signal 11, Segmentation fault\)" bad.so:kin_crashes
try 1 "$no crashed \(signal 6, Aborted\)" bad.so:kin_aborts
try 1 "$no took longer than 0.3 s" bad.so:kin_hangs seconds=0.3
try 1 "$no ended its process \(exit [0-9]*\)" bad.so:kin_leaves
try 1 "$no it returned 7" bad.so:kin_refuses
try 1 "$no it wrote beyond its arrays" bad.so:kin_writes_behind
try 1 "$no it wrote beyond its arrays" bad.so:kin_writes_before
try 1 "$no it wrote beyond its arrays" bad.so:kin_warns_behind
try 0 'solution 0 of routine "kin_is_not_a_number": a value is not a number' bad.so:kin_is_not_a_number
try 0 'solution 0 of routine "kin_warns": warning 2' bad.so:kin_warns
try 1 'solution 0 of routine "kin_is_wrong": its values do not bring the frame there' bad.so:kin_is_wrong
try 1 "$no see above" bad.so:kin_is_wrong
try 0 'solution 1' bad.so:kin_opens
must "it opens no file" [ ! -e opened ]
try 0 'solution 1' bad.so:kin_looks lengths=376.5mm,0.4 offsets=1mm
try 1 "$no get_kin_config does not know it" bad.so:kin_stranger
try 1 "$no its library has no such function" bad.so:kin_nowhere
try 1 "$no it is for 3 joints with 2 solutions, and the device has 6 joints" bad.so:kin_small
try 1 "$no it is for 6 joints with 1000 solutions" bad.so:kin_many
try 1 "$no its library has no get_kin_config" other.so:kin_good
try 2 'error: .*nowhere.so' nowhere.so:kin_good
try 2 'error: .*open.stl' open.stl:kin_good
try 2 'error: routine=bad.so: give a library and a function in it, as LIB.so:NAME' bad.so
try 2 'error: lengths=1,x: give lengths with commas between' bad.so:kin_good lengths=1,x
try 2 'error: lengths=: more than 256 lengths' bad.so:kin_good "lengths=$(seq -s , 300)"
try 2 'error: a routine takes a whole pose: no solve=' bad.so:kin_good solve=x,y,z

report() { # words
    "$cellpipe" ik "$machine" pose=tool "$@" --report codes >/dev/null 2>&1
}
report routine=nowhere.so:kin_good
must "its code" grep -q '"routine-load"' codes
report routine=bad.so:kin_good solve=x
must "its code" grep -q '"reach-routine"' codes
"$cellpipe" pose home=yes "$machine" - >one_file
for descriptors in 4 5 6 7 8; do # however many the program itself needs
    # shellcheck disable=SC2016
    sh -c 'ulimit -n "$1" && shift && exec "$@"' sh $descriptors "$cellpipe" ik one_file pose=tool routine=bad.so:kin_good --report "codes$descriptors" >stdout 2>&1
done
must "without a pipe" grep -q '"call-fork"' codes4 codes5 codes6 codes7 codes8
finish
