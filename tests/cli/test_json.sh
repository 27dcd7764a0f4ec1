#!/bin/sh
# test_json.sh PROGRAM: check --json and diff --json say what the lines of text say, and end with the same exit code.
. "$(dirname "$0")/check.sh"

# ask FILE EXPRESSION: the value of a Python expression over the object j in the file.
if command -v python3 >/dev/null; then
    ask() {
        python3 -c 'import json, sys
j = json.load(open(sys.argv[1]), parse_constant=lambda word: sys.exit(word + " is no JSON"))
print(eval(sys.argv[2]))' "$@"
    }
else
    echo "no python3: the objects are not parsed"
    parsed=no
fi

# same ARGUMENTS...: the exit codes of text and JSON are equal, and so are messages and the texts of all entries.
same() {
    "$cellpipe" "$@" >text.txt 2>text.err
    text_code=$?
    "$cellpipe" "$@" --json >got.json 2>json.err
    must "exit code of $*" [ $? = $text_code ]
    must "messages of $*" cmp text.err json.err
    [ -z "${parsed-}" ] || return 0
    case $1 in
    check)
        ask got.json '"\n".join([f["file"] + ": " + f["text"] for f in j["faults"] if f["code"].startswith("check-")] +
            [f["file"] + ": ok" for f in j["files"] if f["ok"]])' | grep . | LC_ALL=C sort >from_json.txt
        must "ok of $*" [ "$(ask got.json 'j["ok"]')" = "$([ $text_code = 0 ] && echo True || echo False)" ]
        ;;
    diff)
        ask got.json '"\n".join(d["text"] for d in j["differences"])' | grep . | LC_ALL=C sort >from_json.txt
        must "equal of $*" [ "$(ask got.json 'j["equal"]')" = "$([ $text_code = 0 ] && echo True || echo False)" ]
        must "count of $*" [ "$(ask got.json 'j["count"]')" = "$(wc -l <text.txt)" ]
        ;;
    esac
    LC_ALL=C sort text.txt >sorted.txt
    must "texts of $*" cmp sorted.txt from_json.txt
}

# is EXPRESSION VALUE: of the last object.
is() {
    [ -n "${parsed-}" ] || must "$1 is $2" [ "$(ask got.json "$1")" = "$2" ]
}

# ---- check ----

same check part.stl
is 'sorted(j)' "['faults', 'files', 'ok']"
same check solid cell.wu
same check closed manifold open.stl
is '[(f["code"], f["mesh"], f["counts"]["border_edges"]) for f in j["faults"]]' "[('check-closed', 'open', 3)]"
same check bad.stl
is '[(f["file"], f["line"], f["code"], f["text"]) for f in j["faults"]]' \
    "[('bad.stl', 4, 'stl-syntax', 'facet 1: expected a number, found \"oops\"')]"
is 'j["files"]' "[{'file': 'bad.stl', 'ok': False}]"
mkdir -p empty
for request in 'missing.stl' 'empty' ''; do
    "$cellpipe" check --json $request >got.json 2>/dev/null
    code=$?
    must "no answer for \"$request\", exit code $code" [ $code -ge 2 -a ! -s got.json ]
done

# A list that fits, and one that no longer does.
sed -i '/Gone/d' pairs.xml
"$cellpipe" convert -q cell.wu list.xml --out evidence=yes
same check cell.wu list=list.xml
is 'j["files"]' "[{'file': 'cell.wu', 'ok': True}, {'file': 'list.xml', 'ok': True}]"
sed 's/J2Geo/J3Geo/' arm.dev >arm2.dev
sed 's/arm.dev/arm2.dev/' cell.wu >changed.wu
same check changed.wu list=list.xml
is 'j["files"]' "[{'file': 'changed.wu', 'ok': True}, {'file': 'list.xml', 'ok': False}]"
is '[(f["change"], f["first"], f["second"]) for f in j["faults"]]' \
    "[('frame-gone', 'Arm.J2Geo', None), ('frame-new', 'Arm.J3Geo', None)]"
same check solid open.stl list=list.xml
is '[f["ok"] for f in j["files"]]' '[False, False]'

# ---- diff ----

same diff cell.wu cell.wu
sed 's/JointPosLimit -90 90/JointPosLimit -90 91/; s/0, 0, 0.25/0, 0, 0.250001/; s/JointVelLimit 20//' arm.dev >arm2.dev
sed '/FramePair/d' pairs.xml >pairs2.xml
sed -i 's/pairs.xml/pairs2.xml/' arm2.dev
sed 's/arm.dev/arm2.dev/; s/"Item"/"Thing"/; s/#Box 2 1/#Box 2 2/; s/0.5, 0.25/0.5, 0.5/' cell.wu >cell2.wu
same diff cell.wu cell2.wu
is '[(d["name"], d["only_in"]) for d in j["differences"] if d["subject"] == "frame" and d["property"] == "presence"]' \
    "[('Item', 'a'), ('Thing', 'b')]"
is '[(d["name"], d["a"], d["b"]) for d in j["differences"] if d["property"] == "home"]' "[('Arm.J2', 0.25, 0.5)]"
is '[(d["a"], d["b"]) for d in j["differences"] if d["property"] == "velocity"]' '[(0.3490658503988659, None)]'
is '[(d["mesh"], d["a"], d["b"]) for d in j["differences"] if d["property"] == "size"]' \
    "[('#Box 2 1 0.1', [2, 1, 0.1], [2, 2, 0.1])]"
is '[(d["index"], d["a"][11], d["b"][11]) for d in j["differences"] if d["property"] == "pose" and d["name"] == "Arm.J2"]' \
    '[(0, 1.05, 1.300001)]'
is '[(d["name"], d["second"]) for d in j["differences"] if d["subject"] == "exclusion"]' "[('Arm.J1Geo', 'Arm.J2Geo')]"
same diff part.stl open.stl
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >one.obj
sed 's/0 1 0/0 2 0/' one.obj >two.obj
same diff one.obj two.obj
is '[(d["property"], d["mesh"], d["index"], d["a"], d["b"]) for d in j["differences"]]' \
    "[('position', 'one', 2, [0, 1, 0], [0, 2, 0])]"
same diff one.obj two.obj tol=1
"$cellpipe" diff missing.stl part.stl --json >got.json 2>"$work/stderr"
must "no answer without a file" [ $? = 3 -a ! -s got.json ]

# A name that is no plain text stays JSON, and is in it as it is.
printf '{ "A\033[31m\303\251"\n}\n' >strange.wu
printf '{ "B"\n}\n' >plain.wu
"$cellpipe" diff -q --json strange.wu plain.wu >got.json
is '"A\x1b[31m" in j["differences"][0]["name"] and "\xe9" in j["differences"][0]["name"]' True

# Lists of a cell: an arm that meets a wall, which one list excludes and the other does not.
printf '{ "J"\n Revolute\n ActiveJoint\n JointPosLimit -180 180\n}\n{ "Tip"\n ReferenceFrame "J"\n Position (1, 0, 0)\n GeoID "#Box 0.2 0.2 0.2"\n}\n{ "Wall"\n Position (0, 1, 0)\n GeoID "#Box 0.2 0.2 0.2"\n}\n' >wall.wu
printf '<CollisionSetup><Exclude><FramePair first="Tip" second="Wall"/></Exclude></CollisionSetup>' >with.xml
printf '<CollisionSetup><Exclude></Exclude></CollisionSetup>' >without.xml
same diff with.xml without.xml cell=wall.wu
is 'j["cell"], j["tolerance"], [(d["property"], d["only_in"], d["excluded_by"]) for d in j["differences"]]' \
    "('wall.wu', None, [('presence', 'a', None), ('collides', None, 'a')])"
is '[c["joint"] for c in j["differences"][1]["collision"]]' "['J']"
same diff with.xml with.xml cell=wall.wu
same diff without.xml without.xml cell=wall.wu
finish
