#!/bin/sh
# test_recordings.sh PROGRAM: recordings as tables: what is written is read again to the last digit, in every way that they may
# be written; and a program's clip is the same in all of them.
. "$(dirname "$0")/check.sh"
cell=$top/samples/demo.wu
ends 0 '' "$cellpipe" program "$cell" motion.glb "file=$top/samples/demo/pick.prg" device=Arm
"$cellpipe" convert -q motion.glb motion.csv
must "a line a key, and one of names" [ "$(wc -l <motion.csv)" -gt 500 ]

again() { # FILE WORDS...: read from FILE and written as CSV
    "$cellpipe" recording "$cell" again.glb "file=$@" && "$cellpipe" convert -q again.glb again.csv
}
again motion.csv
must "CSV comes back" cmp -s motion.csv again.csv
"$cellpipe" convert -q motion.glb motion.jsonl
again motion.jsonl
must "JSON lines come back" cmp -s motion.csv again.csv
"$cellpipe" convert -q motion.glb degrees.csv --out angles=deg
again degrees.csv
must "degrees come back" sh -c 'paste -d, motion.csv again.csv | LC_ALL=C awk -F, "
    NR > 1 { for (i = 1; i <= NF / 2; i++) { off = \$i - \$(i + NF / 2); if (off > 1e-12 || off < -1e-12) bad = 1 } lines++ }
    END { exit bad || lines < 500 }"'
"$cellpipe" convert -q motion.glb even.csv --out period=0.25 --out frames=Arm.TCP
must "a line a period" [ "$(wc -l <even.csv)" = "$(($(tail -n 1 even.csv | LC_ALL=C awk -F, '{ print int($1 * 4 + 0.999) }') + 2))" ]
must "poses of a frame" grep -q 'Arm.TCP.x\[m\],Arm.TCP.y\[m\],Arm.TCP.z\[m\],Arm.TCP.r\[rad\]' even.csv

# The pose of a frame is what fk says at these joints.
LC_ALL=C awk -F, 'NR == 4 { print $2, $3, $4, $5, $6, $7; print $9, $10, $11 >"place" }' even.csv >values
# shellcheck disable=SC2046
"$cellpipe" fk "$cell" device=Arm $(cat values) | sed -n 's/^position *//p' | paste -d' ' - place >both
must "the place that fk says" env LC_ALL=C awk '{ exit !($1 - $5 < 1e-9 && $5 - $1 < 1e-9 && $3 - $7 < 1e-9 && $7 - $3 < 1e-9) }' both

tr ',' ';' <motion.csv >semicolons.csv
again semicolons.csv
must "semicolons" cmp -s motion.csv again.csv
sed 's/,/","/g; s/^/"/; s/$/"/' motion.csv | sed 's/$/\r/' >quoted.csv
again quoted.csv
must "quotes and CR LF" cmp -s motion.csv again.csv
printf '\357\273\277' | cat - motion.csv >mark.csv
again mark.csv
must "a byte order mark" cmp -s motion.csv again.csv
cut -d, -f2- motion.csv >timeless.csv
again timeless.csv rate=100
must "a rate in place of times" [ "$(sed -n 3p again.csv | cut -d, -f1)" = 0.01 ]
ends 0 '' "$cellpipe" recording "$cell" - file=motion.csv name=other
must "its name" [ "$("$cellpipe" info --json stdout | grep -c '"name": "other"')" = 1 ]

# Faster than the joint's 250 degrees a second, and only there; twice that within one period is a jerk.
printf 'time[s],Arm.J1[deg]\n0,0\n1,100\n1.2,160\n2.2,160\n' >fast.csv
"$cellpipe" recording "$cell" fast.glb file=fast.csv
ends 1 '' "$cellpipe" check motion fast.glb
must "where it is too fast" grep -Eq 'clip "fast": joint "Arm.J1" moves at 300 deg/s at 1\.[0-9]* s, limit 250; 20 periods from 1\.01 s to 1\.2 s' stdout
ends 0 '' "$cellpipe" check motion motion.glb
ends 1 '' "$cellpipe" check motion fast.glb --json
must "as JSON" grep -q '"code": "motion-speed"' stdout

# Of two clips one is to be chosen.
"$cellpipe" recording motion.glb two.glb file=fast.csv
ends 2 '2 clips: choose one with clip=NAME, such as "pick"' "$cellpipe" convert two.glb two.csv --report report
must "its code" grep -q '"clip-which"' report
ends 0 '' "$cellpipe" convert -q two.glb two.csv --out clip=fast

# The line of the program in which something meets, and the way of the tool as a line.
"$cellpipe" collide motion.glb >contacts
must "the line is named" grep -q 'in line [0-9]* of the program' contacts
ends 0 '' "$cellpipe" trace motion.glb trace.glb frame=Arm.TCP
must "a line of 500 points or more" [ "$("$cellpipe" info --dump trace.glb | grep -c '^vertex')" -gt 0 ]
must "its frame" [ "$("$cellpipe" info --json trace.glb | grep -c '"name": "trace Arm.TCP"')" -ge 1 ]
finish
