#!/bin/sh
# test_controllers.sh PROGRAM: controllers that are none, over sockets: every sample comes, in its order, with the value
# that was sent.
. "$(dirname "$0")/check.sh"
tools=$(dirname "$cellpipe")/tests
[ -x "$tools/hear_controller" ] || {
    echo "skipped: this build has no live cells"
    exit 77
}

# start NAME KEY=VALUE...: a controller in the background; its port is in $port.
start() {
    name=$1
    shift
    : >"$name.log"
    "$tools/fake_$name" 0 "$@" >"$name.log" 2>&1 &
    wait_until grep -q '^port' "$name.log"
    port=$(sed -n 's/^port //p' "$name.log")
}

# Prints what samples FIRST to LAST say, as the fakes promise: JOINTS names with blanks between.
promise() { # first last joints time mode
    awk -v first="$1" -v last="$2" -v joints="$3" -v time="$4" -v mode="$5" 'BEGIN {
        count = split(joints, names, " ")
        for (k = first; k <= last; k++) {
            line = time == "none" ? "nan" : sprintf(time, k / 125)
            line = line " " mode " " (mode == "silent" || time == "%.17g" ? 0 : k % 9 + 1)
            for (i = 0; i < count; i++)
                line = line sprintf(" %s=%.17g", names[i + 1], 0.5 * sin(0.01 * k + i))
            print line
        }
    }'
}

# agree FILE FILE DIGITS: the same lines, where numbers may differ by so much.
agree() {
    awk -v most="$3" -F'[ =]' 'NR == FNR { lines[FNR] = $0; count = FNR; next }
        { n = split(lines[FNR], other); seen = FNR
          for (i = 1; i <= NF || i <= n; i++)
              if ($i != other[i] && !($i - other[i] <= most && other[i] - $i <= most && $i ~ /[0-9]/)) {
                  print "line " FNR ": " $0 ", not " lines[FNR]
                  exit 1
              }
        }
        END { if (count != seen) { print seen " lines, not " count; exit 1 } }' "$1" "$2"
}

six="1 2 3 4 5 6"

# Universal Robots: all of 2000 samples, as fast as they come, with a text message between.
start rtde count=2000 rate=0 text=70
must "RTDE is heard" "$tools/hear_controller" rtde "$port" >heard
wait_until grep -q '^sent' rtde.log
must "all samples were sent" grep -q '^sent 2000$' rtde.log
promise 0 1999 "$six" %.17g running >expected
echo end >>expected
must "each sample of RTDE comes as it was sent" agree expected heard 0

start rtde missing=safety_mode
ends 3 '' "$tools/hear_controller" rtde "$port"
must "the missing variable is named" grep -q 'refused: the controller has no variable "safety_mode"' stdout
start rtde version=1
ends 3 '' "$tools/hear_controller" rtde "$port"
must "the version is refused" grep -q 'refused: the controller does not speak version 2 of RTDE' stdout
start rtde nonsense=3 rate=0
ends 3 '' "$tools/hear_controller" rtde "$port"
must "samples before nonsense count" [ "$(grep -c running stdout)" = 3 ]
must "nonsense is named" grep -q 'refused: RTDE sends an unexpected package of type 88' stdout
start rtde emergency=2 count=4 rate=0
ends 0 '' "$tools/hear_controller" rtde "$port"
must "the emergency is told" [ "$(cut -d' ' -f2 stdout | tr '\n' ' ')" = "running running emergency emergency end " ]

# simple_message, in both byte orders and with both sizes of reals; unused joints are 0.
for words in "order=big real=4" "order=little real=4" "order=big real=8" "order=little real=8"; do
    # shellcheck disable=SC2086 # words
    start simple count=1000 rate=0 $words
    must "simple_message is heard" "$tools/hear_controller" simple "$port" >heard
    must "unused joints are 0" [ "$(grep -c ' 7=0 8=0 9=0 10=0$' heard)" = 1000 ]
    must "every fifth sample has a status" [ "$(grep -c '^nan running 0$' heard)" = 200 ]
    sed -i '/^nan running/d; s/ 7=0.*//' heard
    promise 0 999 "$six" none silent >expected
    echo end >>expected
    most=0
    case $words in *real=4) most=4e-8 ;; esac
    must "each sample of simple_message comes as it was sent ($words)" agree expected heard $most
done
start simple count=300 rate=0 type=15 real=8 order=little
must "JOINT_FEEDBACK is heard" "$tools/hear_controller" simple "$port" >heard
sed -i '/^nan running/d; s/ 7=0.*//' heard
promise 0 299 "$six" %.17g silent >expected
echo end >>expected
must "each JOINT_FEEDBACK comes as it was sent" agree expected heard 0
start simple nonsense=3 rate=0
ends 3 '' "$tools/hear_controller" simple "$port"
must "nonsense of simple_message is named" grep -q 'refused: a message of simple_message has a length of 4294967295' stdout

# JSON lines, whole and cut; times have three digits.
for cuts in no yes; do
    start json count=200 rate=0 cuts=$cuts joints=Arm.J1,Arm.J2
    must "JSON lines are heard" "$tools/hear_controller" jsonl "$port" >heard
    promise 0 199 "Arm.J1 Arm.J2" %.3f running >expected
    echo end >>expected
    must "each line comes as it was sent" agree expected heard 1e-12
done
start json nonsense=3 rate=0
ends 3 '' "$tools/hear_controller" jsonl "$port"
must "nonsense is named by its line" grep -q 'refused: line 4: it is no JSON' stdout

# A client that comes back is served again, from the beginning.
start rtde count=5 rate=0 clients=2
must "the first client" "$tools/hear_controller" rtde "$port" 3 >/dev/null
must "the second client" "$tools/hear_controller" rtde "$port" >heard
must "it hears all" [ "$(grep -c running heard)" = 5 ]
finish
