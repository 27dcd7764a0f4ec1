#!/bin/sh
# test_docs.sh PROGRAM: the manual page, and blocks of the other pages between <!-- cellpipe ARGUMENTS --> and
# <!-- /cellpipe -->, are what the program prints, and the chart of performance.md is what chart.sh draws of it (UPDATE=1
# writes them anew); every filter and exit code stands where a reader looks for it; links lead somewhere. Every code
# block is checked as blocks.awk says: commands work, files are read and mean what the page says, sessions print theirs.
program=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 1
checks=0 failed=0

check() { # what command...
    checks=$((checks + 1))
    what=$1
    shift
    "$@" >/dev/null && return
    failed=$((failed + 1))
    echo "FAILED: $what"
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

commands=$("$program" help | sed -n '/^commands:/,/^$/s/^  \([a-z][a-z0-9]*\) .*/\1/p')

# A folder with the files that the pages' commands name, some of them from blocks of the pages.
mkdir "$work/bin" "$work/parts" "$work/parts/arm" "$work/build" "$work/build/release"
ln -s "$program" "$work/bin/cellpipe"
ln -s "$program" "$work/build/release/cellpipe"
ln -s "$(dirname "$program")/tests" "$work/build/release/tests"
ln -s "$(pwd)/samples" "$work/samples"
cp -R samples/demo.wu samples/demo "$work"
mv "$work/demo.wu" "$work/cell.wu"
for name in part.stl a.stl table.stl parts/one.stl parts/hollow.stl parts/arm/cavity.stl; do
    cp samples/stl_solids.stl "$work/$name"
done
"$program" convert -q samples/stl_solids.stl "$work/in.glb"
echo 'correct horse battery staple' >"$work/password.txt"
awk -v out="$work" -f tests/cli/blocks.awk README.md CONTRIBUTING.md docs/*.md samples/README.md >"$work/unknown"
check "every block says what it is" sh -c '! grep . "$1" >&2' - "$work/unknown"

# Every example works as printed.
{
    grep -v -E '\[K=V\]|FILTER| A B|cellpipe (formats|filters)$' "$work/commands"
    cat README.md docs/*.md samples/README.md | grep -o -E '`cellpipe [a-z][^`]*`' | tr -d '`' | grep -E '\.(wu|stl|glb)'
    sed -n '/^.SH EXAMPLES/,/^.fi/s/^\(cellpipe [^|]*\)/\1/p' docs/cellpipe.1 | sed 's/\\-/-/g; s/ | jq .*//'
    for word in $commands; do "$program" help "$word" | sed -n 's/^  \(cellpipe .*\)/\1/p'; done
} >"$work/examples"
awk '!seen[$0]++' "$work/examples" >"$work/unique"
check "examples" [ "$(wc -l <"$work/unique")" -gt 60 ]
# A server is there until it is told to end. The port is any that is free.
serves() { # example
    (cd "$work" && PATH=$work/bin:$PATH && export PATH && eval "exec $1 --listen 127.0.0.1:0" >said 2>messages) &
    until grep -q serving "$work/said" 2>/dev/null || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
    kill -TERM $! 2>/dev/null
    wait $! 2>/dev/null
    grep -q serving "$work/said" && rm "$work/said"
}
echo 'correct horse battery staple' | "$program" users "$work/people" add tina teacher
while read -r example; do
    case $example in
    "cellpipe serve"*)
        check "the example: $example" serves "$example"
        continue
        ;;
    esac
    check "the example: $example" sh -c 'cd "$1" && PATH=$1/bin:$PATH I=1 && export PATH && eval "$2" 2>messages || { cat messages >&2; false; }' \
        - "$work" "$example"
done <"$work/unique"

# Files of the pages mean what the pages say; each value is worked out by hand.
shows() { # pattern command...
    pattern=$1
    shift
    (cd "$work" && PATH=$work/bin:$PATH "$@" 2>&1) >"$work/shown"
    grep -q -E -e "$pattern" "$work/shown" || { cat "$work/shown" >&2; false; }
}
check "a part: a tetrahedron of 60 x 40 x 30 mm, 60 40 30 / 6 mm3, moved by 100 0 20" \
    shows '4 triangles.* from \(0\.1 0 0\.02\) to \(0\.16 0\.04 0\.05\)$' cellpipe info bracket.dcp
check "a part: its volume" shows 'volume 12000 mm3$' cellpipe info bracket.dcp
check "a device: the tool at 20 cos 30 + 15, 20 sin 30, 100 mm" \
    shows '^position +0\.0323205080757 0\.01 0\.1 m$' cellpipe fk arm.dcd 30deg
check "a loop: the ram at sqrt(50^2 - 30^2) mm" shows '^position +0\.04 0 0 m$' cellpipe fk press.dcd 90deg
check "a loop: the ram at 30 + 50 mm" shows '^position +0\.08 0 0 m$' cellpipe fk press.dcd 0deg
check "a workcell: the tag 200 mm beside the arm" shows '"t1", "parent": "weld".*\[1, 0, 0, 0\.5, 0, 1, 0, 0\.2,' \
    cellpipe info --json cell.dcw
check "a workcell, with folders" shows '3 of 3 pairs of 3 frames' cellpipe info cell.dcw --in paths=folders
# The link carries the table from turn 30, slide 15 to turn 60, slide 30: x = 500 + 30 + (0 - 515) cos 30 - 300 sin 30.
check "a recording: the table is carried" shows '^0\.08,1\.04719755119659[0-9]*,-0\.066003082948[0-9]*,0\.0023076211353[0-9]*,0,' \
    sh -c 'cellpipe convert -q cell.dcr table_poses.csv --out frames=table; cat table_poses.csv'
check "a collision setup: its pair" shows '^pair "Arm.Base" "Floor" verdict excluded' \
    sh -c 'cellpipe convert -q setup.xml setup.dump; cat setup.dump'
check "a collision setup: static pairs" grep -q '^exclude_static_pairs yes' "$work/setup.dump"
check "a collision setup: a volatile frame" grep -q '^node "Arm.TCP" .* flags volatile' "$work/setup.dump"
check "a table: 0.5 degrees, 5 mm" shows '^0\.01,0\.00872664625997[0-9]*,0\.5235987755982[0-9]*,.*,0\.005$' \
    sh -c 'cellpipe convert -q samples/demo.wu again.csv ! recording file=table.csv; cat again.csv'
check "JSON lines: 0.5 rad, 5 mm" shows '^0\.01,0\.5,.*,0\.005$' \
    sh -c 'cellpipe convert -q samples/demo.wu again.csv ! recording file=lines.jsonl; cat again.csv'

# Sessions print what the pages show, in a folder of their own if they say so. "..." stands for any lines, behind a
# blank for the rest of its line. Messages go to standard error, which mixes with standard output in no fixed order.
mkdir -p "$work/library/parts/arm" "$work/copies/parts/arm" "$work/copies/parts/old"
cp samples/stl_hollow.stl "$work/library/parts/hollow.stl"
cp samples/obj_plate.obj "$work/library/parts/plate.obj"
cp samples/stl_viscam.stl "$work/library/parts/viscam.stl"
cp samples/stl_solids.stl "$work/library/parts/arm/link.stl"
printf 'solid cover\n  facet normal 0 0 1\n    outer loop\n    vertex oops 0 0\n' >"$work/library/parts/arm/cover.stl"
echo >"$work/library/parts/notes.txt"
cp samples/stl_viscam.stl "$work/copies/parts/viscam.stl"
cp samples/stl_viscam.stl "$work/copies/parts/old/viscam_v1.stl"
cp samples/stl_hollow.stl "$work/copies/parts/hollow.stl"
cp samples/stl_hollow.stl "$work/copies/parts/old/hollow.stl"
mkdir -p "$work/steps/cad/station"
cp samples/step_clamp.step "$work/steps/cad/clamp.step"
sed 's/60\.0/80.0/g' samples/step_clamp.step >"$work/steps/cad/station/clamp_80.step"
sed -n '1,200p' samples/step_clamp.step >"$work/steps/cad/station/cut.step"
echo >"$work/steps/cad/notes.txt"
# The same shape, with its facets in another order.
sed -n '1p; 9,15p' samples/stl_hollow.stl >"$work/copies/parts/arm/cavity.stl"
sed -n '2,8p; 16,$p' samples/stl_hollow.stl >>"$work/copies/parts/arm/cavity.stl"
for session in "$work"/session-[0-9]*; do
    command=$(sed -n 's/^\$ //p' "$session")
    folder=$(basename "$session" | sed 's/session-[0-9]*-*//')
    case $command in
    cellpipe* | touch* | cp*) ;;
    *) [ -x "$work/${command%% *}" ] || continue ;;
    esac
    (cd "$work/$folder" && PATH=$work/bin:$PATH && eval "$command" 2>"$work/messages") >"$work/shown"
    check "the session: $command" awk -v messages="$work/messages" '
        function fits(line, wanted) { return line == wanted || (sub(/ \.\.\.$/, " ", wanted) && index(line, wanted) == 1) }
        FILENAME == messages { said[$0]; next }
        FILENAME != name { name = FILENAME; file++ }
        file == 1 { if (!/^\$ / && !($0 in said)) wanted[++count] = $0; next }
        !started { started = 1; open = at = wanted[1] == "..." }
        at < count && fits($0, wanted[at + 1]) { at++; if (at < count && wanted[at + 1] == "...") { at++; open = 1 } else open = 0; next }
        !open { print "not on the page: " $0 >"/dev/stderr"; exit }
        END { if (at < count) print "no line: " wanted[at + 1] >"/dev/stderr"; exit at < count }' \
        "$work/messages" "$session" "$work/shown"
done
# Messages of bad inputs are those that a case expects.
cut -s -f 3 tests/cases/*/cases.txt | grep -E '.{30}' >"$work/expected"
check "messages of bad inputs" [ -s "$work/messages-of-cases" ]
check "messages that a case expects" sh -c '! grep -v -E -f "$1" "$2" >&2' - "$work/expected" "$work/messages-of-cases"
for file in "$work"/statements-*.c; do
    { printf '#include "cellpipe.h"\n#include "importers/importers.h"\n#include "model/model.h"\n'; cat "$file"; } >"$work/main.c"
    check "$(sed -n 3p "$file")" ${CC:-cc} -std=c11 -iquote scene -iquote . -Wall -Wextra -Werror -Wno-unused \
        -Wno-missing-prototypes -fsyntax-only "$work/main.c"
done

# Words of docs/stage-format.md are those of the reader and writer; dumps have no line that docs/dump.md has not.
while read -r place kind word; do
    case $kind in
    evidence) sources="exporters/evidence.c exporters/collision_setup scene/collide/list importers/collision_setup scene/model" ;;
    *) sources="importers/gltf exporters/gltf scene/model" ;;
    esac
    # shellcheck disable=SC2086 # folders
    check "$place: $word is no member" grep -q -r -E "[\" ]$word(\"|\\\\\"|=)|AT\\([a-z_]*, $word\\)" $sources
done <"$work/members"
for file in samples/demo.wu samples/gltf_features.gltf samples/gltf_textures.gltf samples/mechanisms/hexapod.dcr samples/obj_plate.obj; do
    "$program" info --dump "$file"
done 2>/dev/null | sed 's/ .*//' | sort -u >"$work/words"
sed -n 's/^     *\([a-z_]*\) .*/\1/p' docs/dump.md >"$work/named"
grep -o '`[a-z_0-9]*`' docs/dump.md | tr -d '`' >>"$work/named"
echo coordinates_2 >>"$work/named"
check "dumps have many kinds of lines" [ "$(wc -l <"$work/words")" -gt 20 ]
while read -r word; do
    check "docs/dump.md: a line of $word" grep -q -x "$word" "$work/named"
done <"$work/words"

# The page as it should be. Fences stay.
renew() {
    awk -v work="$work" '
        function run() { fflush(); system("cd \"" work "\" && PATH=" work "/bin:$PATH && cellpipe " words " 2>messages") }
        /^<!-- cellpipe .* -->$/ { print; words = $0; sub(/^<!-- cellpipe /, "", words); sub(/ -->$/, "", words); inside = 1; fences = 0; next }
        /^<!-- \/cellpipe -->$/ { if (!fences) run(); inside = 0 }
        inside && /^```/ { print; if (!fences++) run(); next }
        !inside' "$1"
}
stays() { # page, what it should be
    [ -z "${UPDATE-}" ] || cp "$2" "$1"
    diff -u "$1" "$2" >&2
}
for page in README.md docs/*.md; do
    renew "$page" >"$work/page"
    check "$page is stale: UPDATE=1 tests/cli/test_docs.sh PROGRAM" stays "$page" "$work/page"
done
"$program" help --man >"$work/page"
check "docs/cellpipe.1 is stale: cellpipe help --man prints it" stays docs/cellpipe.1 "$work/page"
tests/bench/chart.sh docs/performance.md >"$work/page"
check "docs/performance.svg is stale: tests/bench/chart.sh docs/performance.md prints it" stays docs/performance.svg "$work/page"
check "the README has the formats" grep -q '^| stl |' README.md
# Each suffix of README is one that a test reads: those of assimp elsewhere, the others here.
reads() { # format suffix
    case $1$2 in
    stl*) sample=samples/stl_solids.stl ;;
    obj*) sample=samples/obj_lines.obj ;;
    tag*) sample=samples/tag_primitives.wu ;;
    deneb-part*) sample=bracket.dcp ;;
    deneb-device*) sample=arm.dcd ;;
    deneb-workcell*) sample=cell.dcw ;;
    deneb-recording*) sample=cell.dcr ;;
    collision-setup*) sample=setup.xml ;;
    gltf.glb) sample=tests/cases/gltf/trailing.glb ;;
    gltf.gltf) sample=samples/gltf_features.gltf ;;
    ply*) sample=samples/ply_roof.ply ;;
    off*) sample=samples/off_tent.off ;;
    tri*) sample=samples/tri_wedge.tri ;;
    msh*) sample=samples/msh_corner.msh ;;
    dxf*) sample=samples/dxf_shed.dxf ;;
    3mf*) sample=samples/3mf_gripper.3mf ;;
    amf*) sample=samples/amf_gripper.amf ;;
    urdf*) sample=samples/urdf_picker.urdf ;;
    srdf*) sample=samples/urdf_picker.srdf ;;
    step*) sample=samples/step_clamp.step ;;
    vrml97*) sample=tests/cases/vrml97/box.wrl ;;
    collada.dae) sample=samples/collada_arm.dae ;;
    collada.zae) sample=tests/cases/collada/unnamed.zae ;;
    rwxml*) sample=samples/rwxml_gripper.wc.xml ;;
    ac3d*) sample=samples/ac3d_desk.ac ;;
    assimp*) grep -q -r -E "(^0.*|\"[a-zA-Z_]*)\\$2\\>" tests/unit tests/cases --include=*.c --include=cases.txt && return ;;
    *) return 1 ;;
    esac
    cp -f "$sample" "$work/suffix$2" 2>/dev/null || cp -f "$work/$sample" "$work/suffix$2" || return
    (cd "$work" && "$program" info --json "suffix$2" 2>messages) | grep -q "\"format\": \"$1\""
}
sed -n 's/^| \([a-z0-9-]*\) | [^|]* | yes | [yes]* *| `\(.*\)` |$/\1 \2/p' README.md >"$work/suffixes"
while read -r format suffixes; do
    for suffix in $suffixes; do
        check "README: $format reads $suffix" reads "$format" "$suffix"
    done
done <"$work/suffixes"
if command -v man >/dev/null; then
    check "the manual page is good roff" [ -z "$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=100 man --warnings -E UTF-8 -l -Tutf8 -Z docs/cellpipe.1 2>&1 >/dev/null)" ]
fi

check "help lists commands" [ "$(printf '%s\n' "$commands" | wc -l)" -gt 9 ]
for word in $commands FILTER; do
    check "docs/cli.md: $word" grep -q "^<!-- cellpipe help $word -->$" docs/cli.md
    check "help of $word" "$program" help "$word"
done
for code in 0 1 2 3 4 5 6 70; do
    check "docs/cli.md: exit $code" grep -q "^| $code |" docs/cli.md
done
for name in $("$program" formats | awk '{print $1}') $("$program" filters | awk '{print $1}'); do
    check "help of $name" "$program" help "$name"
    check "CHANGES.md: $name" grep -q "\`$name\`" CHANGES.md
done
check "help of a suffix" [ "$("$program" help wrl)" = "$("$program" help vrml97)" ]

# Of what nothing works without, the help says so.
for name in $("$program" filters | awk '$1 != "exclude" { print $1 }'); do
    "$program" convert -q samples/demo.wu "$work/required.glb" ! "$name" >/dev/null 2>&1
    [ $? = 2 ] && want=0 || want=1
    check "help of $name: required options" sh -c '"$1" help "$2" | grep -q "required: "; [ $? = "$3" ]' - "$program" "$name" "$want"
done
for name in batch ik; do
    check "help of $name: required options" sh -c '"$1" help "$2" | grep -q "required: "' - "$program" "$name"
done
version=$("$program" --version | head -n 1)
check "the version in CMake" grep -q "VERSION ${version#cellpipe } " CMakeLists.txt
check "the version in CHANGES.md" grep -q "^## ${version#cellpipe }\$" CHANGES.md

check "the ten lines of docs/program.md" cmp -s "$work/first.prg" samples/demo/first.prg

# The plug-ins of CONTRIBUTING.md compile where it says they go.
mkdir "$work/tree" "$work/tree/importers" "$work/tree/exporters"
cp -R scene "$work/tree"
cp importers/importers.h "$work/tree/importers"
cp exporters/exporters.h "$work/tree/exporters"
awk -v top="$work/tree/" '/^```c / { file = top $2; next } /^```/ { file = "" } file { print >file }' CONTRIBUTING.md
for file in importers/rig.c exporters/frames.c scene/filters/lift.c; do
    check "CONTRIBUTING.md: $file" sh -c 'cd "$1" && ${CC:-cc} -std=c11 -D_POSIX_C_SOURCE=200809L -iquote scene -Wall -Wextra \
        -Wpedantic -Wconversion -Wshadow -Werror -c -o plugin.o "$2"' - "$work/tree" "$file"
done

# Every key of JSON is in the table of its command.
has_keys() { # command...
    sed -n "/^## $1 --json/,/^## /p" docs/cli.md >"$work/table"
    for key in $(cd "$work" && "$program" "$@" --json 2>messages | grep -o -E '"[a-z_]+":' | tr -d '":' | sort -u); do
        check "docs/cli.md: the key $key of $1" grep -q -E "[\`.]${key}\`|[{ ]${key}[,}]" "$work/table"
        keys=$((keys + 1))
    done
}
keys=0
has_keys info samples/demo.wu
mkdir "$work/package" && echo '<package><name>p</name></package>' >"$work/package/package.xml" && cp samples/urdf_picker.urdf "$work/package"
has_keys info package
has_keys collide samples/deneb/welding/weld.dcr --clearance 5mm
has_keys fk samples/mechanisms/hexapod.dcw J1=5mm frame=platform
has_keys ik samples/dh_arm.wu pose=0.3,0.2,0.4,0,180deg,0
has_keys check samples/stl_faults.stl
has_keys diff samples/demo.wu samples/dh_arm.wu
has_keys diff samples/demo.wu samples/dh_arm.wu states=3
has_keys report library/web
check "keys of JSON" [ $keys -gt 100 ]
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    (cd "$work" && script -qec '"bin/cellpipe" convert samples/demo.wu written.glb' /dev/null </dev/null) |
        tr -d '\r' | grep -o 'wrote .*' | sed 's/written/cell/' >"$work/shown"
    check "docs/cli.md: what was written" sh -c '[ -s "$1" ] && grep -q -F -f "$1" docs/cli.md' - "$work/shown"
fi

for page in docs/*.md; do
    check "$page is named in README.md, CONTRIBUTING.md or docs/architecture.md" \
        grep -q "(\(docs/\)\?${page#docs/}" README.md CONTRIBUTING.md docs/architecture.md
done
for page in README.md CONTRIBUTING.md SECURITY.md docs/*.md samples/README.md; do
    for link in $(grep -o -E '\]\([^)#:]+\)' "$page" | tr -d '])('); do
        check "$page: the link $link" [ -e "$(dirname "$page")/$link" ]
    done
done
check "docs/pages.png is at most 200 kB" [ "$(wc -c <docs/pages.png)" -le 200000 ]
check "every sample has its line" sh -c '
    for file in samples/*.*; do [ "$file" = samples/README.md ] || grep -q "$(basename "$file")" samples/README.md || { echo "$file"; exit 1; }; done >&2'
echo "$checks checks, $failed failed"
[ "$failed" = 0 ]
