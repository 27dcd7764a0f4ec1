#!/bin/sh
# test_exclude_tools.sh PROGRAM: shapes that are attached to links, in lists, their evidence and checks; checks of SRDF.
. "$(dirname "$0")/check.sh"
cp -R "$top"/samples/urdf_picker* .
robots=$top/../shared/corpus/robots/urdf

# Little work decides all that these tests ask for.
exclude() { "$cellpipe" exclude "$@" work=2000; }

# A long workpiece in the hand, and a robot whose own file has it.
held='<collision><origin xyz="0 0 -0.2" rpy="0 0 0.3"/><geometry><box size="1.2 0.05 0.05"/></geometry></collision>'
echo "<robot name=\"held\"><link name=\"hand\">$held</link></robot>" >held.urdf
sed 's/1\.2 0\.05 0\.05/0.1 0.05 0.05/' held.urdf >short.urdf
sed "s|<collision><origin xyz=\"0 0 -0.04\"/>.*|&$held|" urdf_picker.urdf >whole.urdf
must "one robot holds it" [ "$(grep -c 'size="1.2 ' whole.urdf)" = 1 ]
status() { sed -n "s/.*\"first\":\"$1\",\"second\":\"$2\",.*\"status\":\"\([^\"]*\)\".*/\1/p" list.xml.json; }
judge() { exclude urdf_picker.urdf list.xml --out evidence=yes "$@" 2>"$work/stderr" >"$work/stdout"; }
# says LINE: it is among the last command's results.
says() { must "says $1" grep -qxF -- "$1" "$work/stdout"; }

# ---- lists ----

judge
cp list.xml bare.xml
cp list.xml.json bare.xml.json
must "nothing is held" [ "$(status base hand)$(status column hand)" = never-provednever-proved ]
judge tools=held.urdf
must "the workpiece meets the base and the column" [ "$(status base hand)$(status column hand)" = sometimessometimes ]
must "other pairs are as before" [ "$(status column left_finger)" = never-proved ]
cp list.xml held.xml
cp list.xml.json held.xml.json
must "the evidence names the file" grep -q '"file":"held.urdf","xxh3_128":"' held.xml.json
exclude -q whole.urdf whole.xml
must "the same list as of a robot that has it" cmp whole.xml held.xml
for suffix in srdf contact.xml dmd.yaml prox.xml; do
    exclude -q urdf_picker.urdf "held.$suffix" tools=held.urdf
    exclude -q whole.urdf "whole.$suffix"
    must "the same $suffix" cmp "whole.$suffix" "held.$suffix"
done

# ---- evidence of another tool does not hold ----

judge tools=held.urdf keep-evidence=bare.xml.json -v
must "pairs of the hand are judged again" grep -q 'note: 9 of 15 findings are taken over' "$work/stderr"
must "the list with the tool" cmp held.xml list.xml
judge tools=short.urdf keep-evidence=held.xml.json
must "a shorter one meets nothing" [ "$(status base hand)$(status column hand)" = never-provednever-proved ]
judge keep-evidence=held.xml.json
must "nor does the bare hand" cmp bare.xml list.xml
judge tools=held.urdf keep-evidence=held.xml.json -v
must "the same tool again" grep -q 'note: 11 of 15 findings are taken over' "$work/stderr"
must "gives the same" cmp held.xml.json list.xml.json

# ---- checks ----

ends 0 '' "$cellpipe" check urdf_picker.urdf list=held.xml tools=held.urdf
ends 0 '' "$cellpipe" check whole.urdf list=held.xml
for tools in '' tools=short.urdf tools=arm:held.urdf; do
    # shellcheck disable=SC2086 # none, or one word
    ends 1 '' "$cellpipe" check urdf_picker.urdf list=held.xml $tools
    says 'held.xml: the geometry of "hand" has changed; 5 pairs'
done
ends 1 '' "$cellpipe" check urdf_picker.urdf list=bare.xml tools=held.urdf
says 'bare.xml: the geometry of "hand" has changed; 5 pairs'
rm held.xml.json
ends 0 '' "$cellpipe" check urdf_picker.urdf list=held.xml tools=held.urdf
ends 1 '' "$cellpipe" check urdf_picker.urdf list=held.xml tools=short.urdf
says 'held.xml: pair "arm" "hand": their geometry, joints or poses between them, or what may be moved, have changed'
ends 0 'exclude: note: ' "$cellpipe" diff -v bare.xml bare.xml cell=urdf_picker.urdf work=2000
ends 1 '' "$cellpipe" diff -q bare.xml bare.xml cell=urdf_picker.urdf work=2000 tools=held.urdf
must "diff judges with the tool" grep -q '^exclusion "column" - "hand": excluded by both, but they collide at ' "$work/stdout"

# ---- SRDF ----

ends 0 '' "$cellpipe" check -q urdf_picker.urdf list=held.srdf work=2000 tools=held.urdf
ends 0 '' "$cellpipe" check -q urdf_picker.urdf list=held.srdf work=2000
exclude -q urdf_picker.urdf bare.srdf
ends 0 '' "$cellpipe" check -q urdf_picker.urdf list=bare.srdf work=2000
says 'bare.srdf: ok'
ends 1 '' "$cellpipe" check -q whole.urdf list=bare.srdf work=2000
must "where they collide" grep -q '^bare.srdf: pair "column" "hand": collide at lift=[0-9.]*, wrist=[-0-9.]*$' "$work/stdout"
witness=$(sed -n 's/.*"column" "hand": collide at //p' "$work/stdout" | tr -d ,)
# shellcheck disable=SC2086 # several words
must "there they do" sh -c "'$cellpipe' collide whole.urdf $witness | grep -q '^column.*hand\|^hand.*column\|\"column\" \"hand\"\|column - hand'"
ends 1 '' "$cellpipe" check -q urdf_picker.urdf list=bare.srdf work=2000 tools=held.urdf --json
must "as JSON" grep -q '"change": "collides", "first": "column", "second": "hand"' "$work/stdout"
ends 1 '' "$cellpipe" check -q urdf_picker.urdf list=bare.srdf work=2000 margin=15mm
must "with a margin" grep -q '^bare.srdf: pair "left_finger" "right_finger": collide' "$work/stdout"
sed 's/link2="column" reason="Always"/link2="column" reason="never"/' bare.srdf >always.srdf
ends 1 '' "$cellpipe" check -q urdf_picker.urdf list=always.srdf work=2000
says 'always.srdf: pair "arm" "column": collide at all joint values'
sed 's/link1="column" link2="hand" reason="Never"/link1="column" link2="hand" reason="User"/; /"base" link2="hand"/d' bare.srdf >people.srdf
ends 0 'people.srdf: warning: pair "column" "hand": collide at .*; people excluded it' "$cellpipe" check whole.urdf list=people.srdf work=2000
sed 's/link2="hand" reason="Never"/link2="hnd" reason="Never"/' bare.srdf >gone.srdf
ends 1 '' "$cellpipe" check -q urdf_picker.urdf list=gone.srdf work=2000
says 'gone.srdf: frame "hnd" is gone'
sed 's/link1="column" link2="hand"/link1="column" link2="tcp"/' bare.srdf >bodiless.srdf
ends 0 'bodiless.srdf: warning: 1 of its pairs were not judged: a frame has no collision geometry' \
    "$cellpipe" check urdf_picker.urdf list=bodiless.srdf work=2000
ends 0 '' "$cellpipe" check -q urdf_picker.urdf list=whole.xml tools=short.urdf tools=held.urdf
ends 2 'unknown option of exclude "margn"; did you mean margin' "$cellpipe" check urdf_picker.urdf list=bare.srdf work=2000 margn=1mm
echo '<robot name="picker"><disable_collisions link1="base"' >cut.srdf
ends 3 'cut.srdf:' "$cellpipe" check urdf_picker.urdf list=cut.srdf
if [ -d "$robots" ]; then
    panda=$robots/moveit_panda
    ends 1 '' "$cellpipe" check -q --confine=no "$panda/panda_description/urdf/panda.urdf" "list=$panda/panda_moveit_config/config/panda.srdf"
    must "MoveIt's Panda" grep -q '"panda_link2" "panda_link6": collide at panda_joint3=' "$work/stdout"
else
    echo "skipped: $robots is not there"
fi

# ---- evidence beside all lists ----

for suffix in srdf contact.xml dmd.yaml prox.xml; do
    ends 0 '' exclude -q urdf_picker.urdf "list.$suffix" tools=held.urdf --out evidence=yes
    must "$suffix: the same list" cmp "held.$suffix" "list.$suffix"
    must "$suffix: its format" [ "$(grep -c '^"list":"' "list.$suffix.json")" = 1 ]
    exclude -q urdf_picker.urdf list.xml tools=held.urdf --out evidence=yes
    must "$suffix: all else as of a collision setup" sh -c "grep -v '^\"list\":' list.$suffix.json | cmp - list.xml.json"
    ends 0 'note: 11 of 15 findings are taken over' exclude -v urdf_picker.urdf other.xml tools=held.urdf "keep-evidence=list.$suffix.json"
    ends 0 "list.$suffix.json beside it is of an earlier list: evidence=yes writes it anew" exclude urdf_picker.urdf "list.$suffix"
done
exclude -q urdf_picker.urdf list.srdf --out evidence=yes
ends 0 '' "$cellpipe" check -q urdf_picker.urdf list=list.srdf work=2000
ends 0 'exclude-audited|note: 13 pairs of the list were judged: 0 of them collide' exclude -v urdf_picker.urdf other.srdf keep=list.srdf
# Pairs that a list cannot have are kept in its evidence: RobWork takes names for patterns.
sed 's/"base"/"base*"/' urdf_picker.urdf >pattern.urdf
exclude -q pattern.urdf pattern.prox.xml --out evidence=yes
must "a pattern is no pair of the list" grep -q '"first":"base\*","second":"hand",.*"status":"never-proved","verdict":"kept"' pattern.prox.xml.json

echo "$passed passed, $failed failed"
[ $failed = 0 ]
