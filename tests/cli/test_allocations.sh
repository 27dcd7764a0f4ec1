#!/bin/sh
# test_allocations.sh PROGRAM: every command while one allocation fails, its own, the library's or another library's
# (tools/fail_allocation.c): each 29th of all, or with CELLPIPE_LONG each, and those after it in a third of them. Either
# all is as it is without the failure, to the last byte of outputs, answers, messages and report, or the exit code says
# that something failed, a message says what, and there is no output.
. "$(dirname "$0")/check.sh"
library=$(dirname "$cellpipe")/tests/libfail_allocation.so
if [ ! -e "$library" ]; then
    echo "skipped: no $library"
    exit 77
fi
library=$(realpath "$library")
samples=$top/samples cases=$top/tests/cases step=${CELLPIPE_LONG:+1}
step=${step:-29}
usual_preload=$LD_PRELOAD
[ -z "$LD_PRELOAD" ] || library="$LD_PRELOAD $library"
runs=0

# run COUNTER WORDS...: in the folder out, with the report beside the outputs; COUNTER is FAIL_AT=... or FAIL_COUNT=...
run() {
    counter=$1
    shift
    rm -rf out
    mkdir out
    report="--report out/report.json"
    case $* in batch* | *--jobs*) report= ;; esac
    [ "$1" != gallery ] || rm -rf done/.gallery done/index.html
    # shellcheck disable=SC2086 # none, or two words
    env "$counter" LD_PRELOAD="$library" "$cellpipe" "$@" $report >stdout 2>stderr <"$input"
    code=$?
}

# What is wrong with the last run, the one without a failure being `usual`, of exit code $1; nothing: all is as it should.
fault() {
    if [ "$code" -gt 6 ]; then
        echo "exit $code"
    elif [ "$code" = "$1" ] && { [ "$code" = 0 ] || ! grep -q 'error: out of memory$' stderr; }; then # the first error counts
        diff -r usual out >/dev/null || echo "other outputs or another report, exit $code"
        cmp -s usual.stdout stdout || echo "another answer, exit $code"
        grep -v -e 'error : Memory allocation failed' -e '^$' stderr >ours # libxml2 says that on its first use
        cmp -s usual.stderr ours || echo "other messages, exit $code"
    else
        [ -s stderr ] || echo "exit $code without a word"
        if [ -e out/report.json ]; then
            [ "$(tail -n 1 out/report.json)" = } ] || echo "a report that is cut short"
            rm -f out/report.json
            case $job in # the output was in place, and what failed is its comparison
            *--compare-back*) [ ! -e out/o.glb ] || { cmp -s usual/o.glb out/o.glb && rm out/o.glb; } ;;
            esac
        elif [ -n "$(folder out)" ]; then # the outputs were in place, and only the report failed
            diff -r -x report.json usual out >/dev/null && rm -r out && mkdir out
        fi
        rmdir out 2>/dev/null || echo "exit $code, but outputs: $(folder out)"
    fi
}

# Of a batch one output may fail and the other appear, as it should. All records that say "ok" have the usual key.
fault_of_batch() {
    keys() { sed -n 's/.*"out":"\([^"]*\)".*"key":"\([^"]*\)".*"state":"ok".*/\1 \2/p' "$1"/log.jsonl 2>/dev/null | sort; }
    # glibc itself ends a process that exits without memory for what is local to a thread of a C++ library
    [ "$code" -le 6 ] || grep -q '^cannot allocate memory for thread-local data: ABORT$' stderr || echo "exit $code"
    ! grep -q 'by signal' stderr || echo "a worker was killed"
    [ "$code" = "$1" ] || [ -s stderr ] || echo "exit $code without a word"
    for path in out/d/*.*; do
        [ ! -e "$path" ] || cmp -s "$path" "usual/${path#out/}" || echo "another output $path"
        [ -e "usual/${path#out/}" ] || [ "$path" = "out/d/*.*" ] || echo "no output $path"
    done
    [ "$code" != "$1" ] || [ "$(ls usual/d)" = "$(ls out/d)" ] || echo "outputs are missing, exit $code"
    keys usual >usual.keys
    [ -s usual.keys ] || echo "no keys"
    keys out >keys
    [ -z "$(comm -13 usual.keys keys)" ] || echo "other keys: $(comm -13 usual.keys keys | tr '\n' ' ')"
    [ -z "$(find out -name '.cellpipe-*')" ] || echo "a temporary file"
    # Whatever was written, the next run knows: of the state it reads as much as is there, and it changes no output.
    LD_PRELOAD=$usual_preload "$cellpipe" batch "$samples/obj_plate.obj" "$samples/stl_one_facet.stl" --out-dir out/d --jobs 1 -q \
        --progress none >next 2>&1 || echo "the next run fails: $(cat next)"
    diff -r -x .cellpipe usual/d out/d >/dev/null || echo "other outputs after the next run"
}

# Of many files one may fail and the others be told, as they should: whatever else the answer has says so.
fault_of_many() {
    [ "$code" -le 6 ] || echo "exit $code"
    [ "$code" = "$1" ] || [ "$code" = 1 ] || [ -s stderr ] || echo "exit $code without a word"
    [ -s stderr ] || cmp -s usual.stdout stdout || grep -Eq 'out-of-memory|crashed|out of memory' stdout || echo "another answer, exit $code"
    case $job in *--json*) [ ! -s stdout ] || [ "$(tail -n 1 stdout)" = } ] || [ "$code" -gt 1 ] || echo "half an answer" ;; esac
}

# Of a gallery a model may be missing, and the next run makes it.
fault_of_gallery() {
    [ "$code" -le 6 ] || grep -q '^cannot allocate memory for thread-local data: ABORT$' stderr || echo "exit $code"
    [ "$code" = "$1" ] || [ -s stderr ] || echo "exit $code without a word"
    ! grep -q 'by signal' stderr || echo "a worker was killed"
    [ -z "$(find done -name '.cellpipe-*')" ] || echo "a temporary file"
    LD_PRELOAD=$usual_preload "$cellpipe" gallery done --retry >next 2>&1 || echo "the next run fails: $(cat next)"
    [ "$(find done/.gallery -name '*.js' -o -name '*.png' | wc -l)" = 2 ] || echo "no model: $(folder done)"
    ! grep -q null done/.gallery/*.js || echo "a model that has failed stays"
}

# job WORDS...: the command with each allocation failing.
job() {
    judge=fault job=$*
    case $* in
    batch*) judge=fault_of_batch ;;
    gallery*) judge=fault_of_gallery ;;
    check*--jobs* | info*--jobs*) judge=fault_of_many ;;
    esac
    run FAIL_COUNT=count "$@"
    usual=$code
    rm -rf usual
    mv out usual
    mv stdout usual.stdout
    mv stderr usual.stderr
    [ "$usual" -le "${most:-1}" ] || fail "exit $usual: $*"
    allocations=$(cat count)
    at=1 number=0
    while [ $at -le "$allocations" ]; do
        for all in "" ${CELLPIPE_LONG:+FAIL_ALL=1}; do
            [ -z "$all" ] || [ $((number % 3)) = 0 ] || continue
            export ${all:-FAIL_NONE=1}
            run FAIL_AT=$at "$@"
            unset FAIL_ALL FAIL_NONE
            runs=$((runs + 1))
            $judge "$usual" >faults
            if [ -s faults ]; then
                fail "FAIL_AT=$at $all $*: $(cat faults)"
            else
                pass
            fi
        done
        at=$((at + step)) number=$((number + 1))
    done
    [ -z "$VERBOSE" ] || echo "$allocations allocations: $*"
    echo "$*" >>jobs
}

input=/dev/null
"$cellpipe" batch -q "$samples/obj_plate.obj" --out-dir done --jobs 1 2>"$work/stderr"
robot=$samples/demo.wu
job convert "$samples/obj_plate.obj" out/o.wrl
job convert "$samples/obj_plate.obj" out/o.glb --threads 1 --out web=yes
job convert "$samples/obj_plate.obj" out/o.gltf --out embed=yes
job convert "$samples/3mf_gripper.3mf" out/o.glb
job convert "$samples/amf_gripper.amf" out/o.glb
job convert "$samples/urdf_picker.urdf" out/o.glb
job convert "$samples/xacro_arm.urdf.xacro" out/o.glb --in arg=segments:=3
job convert "$samples/urdf_picker.urdf" out/o.urdf
job convert "$samples/urdf_picker.urdf" "$samples/urdf_picker.srdf" out/o.glb
job convert "$samples/urdf_picker.urdf" out/o.glb --compare-back
job convert "$samples/vrml97_picker.wrl" out/o.glb
job convert "$cases/vrml97/own.wrl" out/o.glb
job convert "$cases/vrml97/inline_gltf.wrl" out/o.glb
job convert "$samples/stl_65535.stl.gz" out/o.glb.gz --threads 2
job convert "$samples/tag_models.wu" out/o.wrl --out layout=parts
job convert "$samples/gltf_textures.gltf" out/o.png --out size=60x40 --out edges=yes --threads 2
job convert "$samples/collada_arm.dae" out/o.wrl
job convert "$cases/deneb-recording/cell.dcr" out/o.wrl
job convert "$cases/exclude/judged.xml" out/o.xml --out evidence=yes
job convert "$samples/stl_faults.stl" out/o.stl ! weld ! repair holes=100 ! orient ! simplify ratio=0.5 ! lod levels=2
job convert "$samples/obj_plate.obj" out/o.glb ! triangulate ! split-meshes ! instances ! merge-meshes ! normals
job select node=Arm "$robot" out/o.glb
job flatten "$robot" out/o.glb
job pose "$robot" out/o.glb device=Arm reach=0.55,0.32,0.73,-60deg,0,-170deg
job program "$robot" out/o.glb "file=$samples/demo/pick.prg" device=Arm
job recording "$samples/dh_arm.wu" out/o.jsonl "file=$cases/recording/good.jsonl"
job trace "$cases/deneb-recording/cell.dcr" out/o.glb frame=hand
job exclude "$cases/srdf/arm.urdf" "$cases/srdf/good.srdf" out/o.srdf "keep=$cases/srdf/old.srdf" work=50 samples=5 descents=1 --threads 1
job exclude "$samples/tag_robots.wu" out/o.xml work=50 samples=5 descents=1 --threads 1 --out split=device --out evidence=yes
job exclude "$samples/urdf_picker.urdf" out/o.srdf "tools=$samples/urdf_picker/workpiece.urdf" work=50 samples=5 descents=1 --threads 1 --out evidence=yes
job exclude "$samples/urdf_picker.urdf" out/o.dmd.yaml "tools=hand:$samples/stl_one_facet.stl" work=50 samples=5 descents=1 --threads 1
job run read "$robot" ! pose device=Arm deg=0,90,0,0,0,0 ! read "$samples/stl_one_facet.stl" ! write out/o.wrl
job batch "$samples/obj_plate.obj" "$samples/stl_one_facet.stl" --out-dir out/d --jobs 1 --progress none --status out/log.jsonl
job sheet "$samples/obj_plate.obj" "$samples/stl_one_facet.stl" out/o.png --size 40x30
job report done --json
job report done --html
job gallery done --jobs 1
job merge done
job manifest "$samples/obj_plate.obj" "$samples/stl_one_facet.stl"
job info "$robot" --json
mkdir "$work/package" && echo '<package><name>p</name></package>' >"$work/package/package.xml" && cp "$samples/urdf_picker.urdf" "$work/package"
mkdir "$work/package/q" && echo '<package><name>q&amp;q</name></package>' >"$work/package/q/package.xml"
gzip -c "$samples/urdf_picker.urdf" >"$work/package/q/packed.urdf.gz"
echo '<robot name="picker"><group name="g"/></robot>' >"$work/package/q/picker.srdf"
job info "$work/package"
job info "$work/package" --json
job info "$samples/tag_arm.wu" --dump
job check solid "$samples/stl_faults.stl" --json
job check closed max-size=2m "$samples/stl_faults.stl" "$samples/obj_plate.obj" --jobs 1 --progress none
job check closed "$samples/stl_faults.stl" "$samples/obj_plate.obj" --jobs 1 --progress none --json
job info "$samples/stl_faults.stl" "$samples/obj_plate.obj" --jobs 1 --progress none
job check "$cases/exclude/arm.wu" "list=$cases/exclude/judged.xml"
job check "$samples/urdf_picker.urdf" "list=$samples/urdf_picker.srdf" "tools=$samples/urdf_picker/workpiece.urdf" work=50 samples=5 descents=1 --threads 1
job diff "$robot" "$samples/dh_arm.wu"
job diff "$robot" "$samples/dh_arm.wu" --json
printf '%s\n' 'Arm.J1 Arm.J2' >"$work/map" && job diff "$samples/dh_arm.wu" "$samples/dh_arm.wu" states=3 map="$work/map"
job diff "$robot" "$samples/dh_arm.wu" states=3 --json
job diff "$cases/exclude/judged.xml" "$cases/exclude/good.xml" "cell=$cases/exclude/arm.wu" work=50 samples=5 descents=2
job collide "$robot" device=Arm 30deg 20deg 0 0 60deg 0 --clearance 5mm
job fk "$cases/deneb/loop_good.dcd"
job ik "$robot" device=Arm pose=0.55,0.32,0.73,-60deg,0,-170deg
job igrip2vrml -d "$samples/deneb/welding/robot_left.dcd" out/o.wrl
job formats
job filters
job help simplify
(umask 077 && printf 'tina:teacher:$y$jBT$abcdefghijklmnop$LA5SwbXOWV6NGakmZQom2eQu354yi09.Fdb35EPMpA/\n' >"$work/users")
job users "$work/users" list
# A server that can listen has no end. This one has all but that.
most=4 job serve "$robot" --users "$work/users" --listen unix:none/socket
unset most

"$cellpipe" help >overview
for name in $(sed -n '/^commands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p' overview) $(sed -n '/^filters:/{n;p;}' overview); do
    grep -Eq "(^|! )$name( |\$)" jobs || fail "$name is in no job"
done
echo "$runs runs"
finish
