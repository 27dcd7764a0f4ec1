#!/bin/sh
# test_loops.sh PROGRAM: a parallelogram stays one at all values of its crank, in fk, in a trace of a clip and in ik.
. "$(dirname "$0")/check.sh"
cell=$top/tests/cases/deneb/loop_parallel.dcd

# The coupler's R is 0.
for angle in 10 30 90 150 179 179.999 180.001 181 200 270 359.99 361 399 -0.001 -10 -170 -180.01 -200 -399; do
    "$cellpipe" fk "$cell" "${angle}deg" >pose 2>"$work/stderr" || fail "fk at $angle degrees"
    must "not turned at $angle degrees" awk '$1 == "R" { found = 1; bad = $4 > 1e-6 || $4 < -1e-6 }
                                             END { exit bad || !found }' pose
done
"$cellpipe" fk "$cell" 60deg >pose || fail "fk at 60 degrees"
must "fk tells the singular value" grep -q '^singularity 0\.[0-9]* ' pose

# Of a four-bar b c sin t / s L (docs/motion.md): here 40 and 300 mm at 60 degrees.
must "it is as in closed form" awk '$1 == "singularity" {
    b = 300; c = 40; p = b * c * sin(atan2(0, -1) / 3); q = b * b + c * c
    s = sqrt((q + sqrt(q * q - 4 * p * p)) / 2)
    L = sqrt(320 * 320 + (40 * sin(atan2(0, -1) / 3)) ^ 2)
    off = $2 - p / s / L; exit off > 1e-4 || off < -1e-4 }' pose

# A clip over all change points; its least singular value is told.
printf 'time[s],drive[deg]\n0,60\n1,10\n2,-250\n3,395\n' >turns.csv
"$cellpipe" recording "$cell" file=turns.csv >turns.glb 2>"$work/stderr" || fail "the recording is read"
"$cellpipe" check motion turns.glb >told 2>"$work/stderr" || fail "check motion"
must "the clip's least" grep -q 'clip "turns": singularity 0[.0-9e-]* at [0-9.]* s, the least' told
"$cellpipe" convert turns.glb - ! trace frame=tip period=0.05 >/dev/null 2>"$work/stderr" || fail "trace of the clip"

# A program moves over the change points, too: the tip is 40 mm from the origin at the angle of the crank, not turned.
printf 'MOVE 10\nMOVE 60\nMOVE 5\nMOVE 160\nMOVE 200\nMOVE -20\n' >turns.prg
"$cellpipe" convert -q "$cell" program.glb ! program file=turns.prg || fail "the program runs"
"$cellpipe" convert -q "$cell" program.csv --out frames=tip ! program file=turns.prg || fail "its table"
"$cellpipe" convert -q program.glb again.csv --out frames=tip || fail "the table of the GLB"
for table in program again; do
    must "the tip of $table.csv" env LC_ALL=C awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i
                  q = column["drive[rad]"]; x = column["tip.x[m]"]; y = column["tip.y[m]"]; r = column["tip.r[rad]"] }
        NR > 1 { off = ($x - 0.04 * cos($q)) ^ 2 + ($y - 0.04 * sin($q)) ^ 2 + $r ^ 2
                 if (off > 1e-12) bad = 1
                 if ($q < least) least = $q
                 if ($q > most) most = $q; lines++ }
        END { exit bad || lines < 500 || !(q && x && y && r) || most < 3.49 || least > -0.34 }' "$table.csv"
done

# Five bars with two cranks, each of which reaches its ends alone; at both upper ends the pins are 220 mm apart, and two
# rods of 100 mm cannot join them. The made clips are those of the cranks alone.
has_clips() { for name in "five bar/left" "five bar/right"; do grep -aqF "\"$name\"" "$1" || return; done; }
five=$top/tests/cases/deneb/loop_five_bars.dcd
for web in no yes; do
    ends 0 'five\.glb: warning: no clip of all joints' "$cellpipe" convert "$five" five.glb --out web=$web
    must "clips of the cranks" has_clips five.glb
    must "and of no more" sh -c '! grep -aqF "\"all joints\"" five.glb'
done
# Nearer ends, which both reach together.
sed 's/LOWER -90 UPPER 5/LOWER -75 UPPER -60/' "$five" >together.dcd
ends 0 '' "$cellpipe" convert together.dcd together.glb
must "clips of the cranks" has_clips together.glb
must "and of both" grep -aqF '"all joints"' together.glb

# The way from 110 and -70 degrees ends where the pins are 200 mm apart, at -acos(5 / 6). A clip that leads on is
# refused, and not tried again at each of 100,000 moments.
printf 'time[s],left[deg],right[deg]\n0,110,-70\n100,185,5\n' >ends.csv
ends 1 'joint "right" and others cannot be followed past -33\.55[0-9]* deg: singular there' \
    within 5 "$cellpipe" convert "$five" five.csv --out period=1ms --out frames=tip ! recording file=ends.csv

"$cellpipe" info "$cell" --json >facts 2>"$work/stderr" || fail "info"
must "info tells it" grep -q '"singularity": 0\.[0-9]' facts
finish
