#!/bin/sh
# test_recordings.sh PROGRAM: recordings as tables: what is written is read again to the last digit, in every way that they may
# be written; and a program's clip is the same in all of them.
. "$(dirname "$0")/check.sh"
cell=$top/samples/demo.wu
ends 0 '' "$cellpipe" program "$cell" motion.glb "file=$top/samples/demo/pick.prg" device=Arm
"$cellpipe" convert -q motion.glb motion.csv
must "a line a key, and one of names" [ "$(wc -l <motion.csv)" -gt 500 ]

# A file is for viewers: glTF's Y is up, so the scene's root turns the cell about X. A pipe carries a stage.
root() { # GLTF
    LC_ALL=C awk '/"scenes":/ { at = $0; sub(/.*"scenes":\[\{"nodes":\[/, "", at); root = at + 0 }
        nodes { if (line++ == root) { print /"rotation":\[-0\.70710678118654[0-9]*,0,0,0\.7071/ ? "turned" : "straight"; exit } }
        /^"nodes":\[$/ { nodes = 1 }' "$1"
}
for words in "program file=$top/samples/demo/first.prg device=Arm" 'recording file=motion.csv' 'trace frame=Arm.TCP'; do
    # shellcheck disable=SC2086
    set -- $words
    filter=$1
    shift
    ends 0 '' "$cellpipe" "$filter" motion.glb shown.gltf "$@"
    must "$filter: up is Y" [ "$(root shown.gltf)" = turned ]
    ends 0 '' "$cellpipe" "$filter" motion.glb stage.gltf "$@" --out profile=stage
    must "$filter: the stage is as the cell is" [ "$(root stage.gltf)" = straight ]
    must "$filter: a pipe carries a stage" sh -c '"$@" | grep -a -q "\"profile\":\"stage\""' - "$cellpipe" "$filter" motion.glb - "$@"
done

again() { # FILE WORDS...: read from FILE and written as CSV
    "$cellpipe" recording "$cell" again.glb "file=$@" && "$cellpipe" convert -q again.glb again.csv
}
again motion.csv
must "CSV comes back" cmp -s motion.csv again.csv
"$cellpipe" convert -q motion.glb motion.jsonl
again motion.jsonl
must "JSON lines come back" [ -z "$(grep -vxFf again.csv motion.csv)" ] # with lines for the part, which csv does not have
for clip in motion again; do "$cellpipe" convert -q $clip.glb $clip.part.csv --out period=0.01 --out frames=Part; done
must "so does the part" sh -c 'paste -d, motion.part.csv again.part.csv | LC_ALL=C awk -F, "
    NR > 1 { for (i = 1; i <= NF / 2; i++) { off = \$i - \$(i + NF / 2); if (off > 1e-9 || off < -1e-9) bad = 1 } lines++ }
    NR > 1 { if (\$9 != first && NR > 2) moves++; first = \$9 }
    END { exit bad || lines < 500 || moves < 100 }"'
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
# As a spreadsheet writes it in German: each number is the same.
sed '1s/^time/Zeit/; s/,/;/g; 2,$s/\./,/g' motion.csv >german.csv
must "decimal commas are there" grep -q '^[0-9]*,[0-9]*;.*,' german.csv
again german.csv
must "decimal commas" cmp -s motion.csv again.csv
tr ';' '\t' <german.csv >tabs.csv
again tabs.csv
must "decimal commas between tabs" cmp -s motion.csv again.csv
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
printf 'PTP POSE(463.2, 223.7, 490, 0, 0, 180) ; across the part\nLMOV 463.2, 223.7, 410\n' >across.prg
"$cellpipe" program "$cell" across.glb file=across.prg device=Arm
ends 1 '' "$cellpipe" collide across.glb
cp stdout contacts
must "the line is named" grep -q '^Arm.Gripper.LeftFinger | Part: .* in line [12] of the program' contacts
ends 0 '' "$cellpipe" trace motion.glb trace.glb frame=Arm.TCP
must "a line of 500 points or more" [ "$("$cellpipe" info --dump trace.glb | grep -c '^vertex')" -gt 0 ]
must "its frame" [ "$("$cellpipe" info --json trace.glb | grep -c '"name": "trace Arm.TCP"')" -ge 1 ]

# deneb-recording: numbers that are read again, and what is between equal steps, are the same within 1e-12 in metres and radians.
same_recording() {
    LC_ALL=C awk '
        FNR == 1 { file++; step = 0; delete told }
        $1 == "STEP" { step++; time[file, step] = $2; next }
        $1 == "DEV" {
            for (at = 3; at <= NF; at += width + 1) {
                width = $at == "MATRIX" ? 16 : $at == "JOINTS" ? $(at + 1) + 1 : 1
                for (i = 1; i <= width; i++)
                    told[$2 " " $at " " i] = $(at + i)
            }
            for (key in told) state[file, step, key] = told[key]
            if (file == 2) for (key in told) lines[step, key] = 1
            steps[file] = step
        }
        END {
            for (place in lines) {
                split(place, part, SUBSEP)
                for (step = part[1]; !((1, step, part[2]) in state) && step > 0; step--) { }
                off = state[1, step, part[2]] - state[2, part[1], part[2]]
                if (!(off < 1e-12 && off > -1e-12)) { print "step " part[1] " of " part[2] ": off by " off; bad = 1 }
                compared++
            }
            for (i = 1; i <= steps[2]; i++) if (time[1, i] != time[2, i]) { print "times of step " i; bad = 1 }
            if (compared < 1000) print "compared " compared
            exit bad || compared < 1000
        }' "$1" "$2"
}
for recording in welding/weld assembly/saw hexapod/contour; do
    from=$top/samples/deneb/$recording.dcr workcell=$(ls "$top/samples/deneb/${recording%/*}"/*.dcw) name=${recording#*/}
    ends 0 '' "$cellpipe" convert "$from" "$name.dcr"
    ends 0 '' "$cellpipe" convert "$name.dcr" again.dcr --in "workcell=$workcell"
    must "$recording comes back" same_recording "$name.dcr" again.dcr
    "$cellpipe" convert -q "$from" even.dcr --out period=40ms
    "$cellpipe" convert -q even.dcr again.even.dcr --in "workcell=$workcell" --out period=40ms
    must "$recording comes back, with even steps" same_recording even.dcr again.even.dcr
    must "$recording has grabs" [ "$(grep -c ATTACH again.dcr)" -ge "$(grep -c ATTACH "$from")" ]
    "$cellpipe" convert -q "$from" "$name.glb"
    ends 0 '' "$cellpipe" convert "$name.glb" again.dcr
    must "$recording through glTF" cmp -s "$name.dcr" again.dcr
    # By the joints' values at all keys as well, in the file's own units of degrees and mm.
    "$cellpipe" convert -q "$from" values.csv
    "$cellpipe" convert -q "$name.dcr" values.again.csv --in "workcell=$workcell"
    must "$recording has the same values" cmp -s values.csv values.again.csv
done

# What a program grabs on a workcell hangs on the part that the tool is fixed to.
cat >grab.prg <<'END'
MOVE 20,10,10,0,40,0
GRAB "gun left"
MOVE 60,10,10,0,40,0
HANDLE OPEN
HOME
END
welding=$top/samples/deneb/welding/welding.dcw
ends 0 '' "$cellpipe" program "$welding" grab.glb file=grab.prg "device=robot left" reach=5 frame=id:flange --out profile=stage
ends 0 'loss: marks of clips are left out' "$cellpipe" convert grab.glb grab.dcr
must "the grab and the release" [ "$(grep -Eo 'DEV 7 .*ATTACH .*' grab.dcr | grep -Eo 'ATTACH .*' | tr '\n' ' ')" = "ATTACH 20 ATTACH 7 ATTACH -1 " ]
"$cellpipe" convert -q grab.dcr again.glb --in "workcell=$welding"
for clip in grab again; do
    "$cellpipe" convert -q $clip.glb $clip.csv --out period=0.05 --out "frames=gun left,id:flange"
done
must "the gun goes the same way" sh -c 'paste -d, grab.csv again.csv | LC_ALL=C awk -F, "
    NR > 1 { for (i = 1; i <= NF / 2; i++) { off = \$i - \$(i + NF / 2); if (off > 1e-12 || off < -1e-12) bad = 1 } lines++ }
    END { exit bad || lines < 30 }"'
ends 0 'loss: no device is of a Deneb workcell: the recording tells of none \(2\)' "$cellpipe" convert "$cell" none.dcr
# Two clips of one name: by their numbers.
"$cellpipe" program motion.glb twice.glb "file=$top/samples/demo/pick.prg" device=Arm
ends 2 '2 clips are called "pick": choose one by its number, as clip=#1' "$cellpipe" convert twice.glb twice.csv --out clip=pick
ends 0 '' "$cellpipe" convert -q twice.glb twice.csv --out clip=#2
must "the second clip" cmp -s motion.csv twice.csv

# Blanks around names; blank lines first; a joint that is called like the times.
printf '\n\n time[s] , Arm.J1 [deg]\n0,10\n1,20\n' >blanks.csv
ends 0 '' "$cellpipe" recording "$cell" blanks.glb file=blanks.csv
"$cellpipe" convert -q blanks.glb blanks.csv --out angles=deg
must "blanks" grep -Eq '^1,20(\.0*[0-9])?,' blanks.csv
sed 's/"Arm.J1"/"time"/' "$top/samples/joints.gltf" | sed 's/"slide"/"time"/g' >times.gltf
"$cellpipe" convert -q times.gltf times.csv --out clip=jump
must "a joint called time" grep -q '^time\[s\].*,time\[m\]' times.csv
ends 0 '' "$cellpipe" recording times.gltf again.glb file=times.csv name=again
"$cellpipe" convert -q again.glb again.csv --out clip=again
must "it comes back" cmp -s times.csv again.csv

# A stop lets the move of its time end.
ends 0 '' "$cellpipe" program "$cell" stopped.glb "file=$top/samples/demo/first.prg" device=Arm stop=0.665
last_of() { "$cellpipe" info --json "$1" | sed -n 's/.*"name": "first", "first": 0, "last": \([0-9.]*\),.*/\1/p'; }
must "a stop at the first period of a move" env LC_ALL=C awk "BEGIN { exit !($(last_of stopped.glb) > 1.2 && $(last_of stopped.glb) < 1.3) }"

ends 0 'loss: curves go straight between their keys' "$cellpipe" convert "$top/samples/joints.gltf" curves.csv --out clip=curves --report report
must "its code" grep -q '"clip-curves"' report
# A joint that jumps at 0.5 s has a line right before: read again, it jumps.
"$cellpipe" convert -q "$top/samples/joints.gltf" jump.csv --out clip=jump
must "a jump" grep -q '^0.49999999999999994,' jump.csv
finish
