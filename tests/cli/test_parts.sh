#!/bin/sh
# test_parts.sh PROGRAM: builds without optional parts. Each part can be left out, what is compiled then gives no
# warning, and a part that is asked for and missing is an error. Of each build only the files are compiled that know of
# a part which is left out.
. "$(dirname "$0")/check.sh"

configure() { # WORDS...
    cmake -S "$top" -B build -G Ninja -DCELLPIPE_TESTS=OFF -DCELLPIPE_WERROR=ON -DCMAKE_BUILD_TYPE=Debug "$@" >log 2>&1
}

# compile NAMES WHAT: the files that ask for HAVE_NAME.
compile() {
    objects=$(cd "$top" && grep -rlE "HAVE_($1)\>" --include=*.c scene importers exporters | while read -r file; do
        case $file in
        scene/*) echo "CMakeFiles/cellpipe_scene.dir/$file.o" ;;
        *) echo "CMakeFiles/cellpipe_objects.dir/$file.o" ;;
        esac
    done)
    must "there are such files: $2" [ -n "$objects" ]
    # shellcheck disable=SC2086 # words
    ninja -C build $objects >log 2>&1 || cat log
    # shellcheck disable=SC2086
    must "$2 compiles" ninja -C build $objects >/dev/null
}

all='XML2 YAML ASSIMP LIBZIP PNG TURBOJPEG MESHOPT OCCT THREE'
if ! command -v cmake >/dev/null || ! command -v ninja >/dev/null; then
    echo "skipped: builds without optional parts need cmake and ninja"
    exit 77
fi
off=
for part in $all; do
    must "configuring without $part" configure "-DCELLPIPE_$part=OFF"
    must "the summary says so: $part" grep -qE "^--   .*: no \(CELLPIPE_$part=OFF\)$" log
    must "and of no other part" [ "$(grep -c '^--   .*: no (CELLPIPE_.*=OFF)$' log)" = 2 ] # the tests are the other
    compile "$part" "what knows of $part"
    off="$off -DCELLPIPE_$part=OFF"
    must "configuring with $part again" configure "-DCELLPIPE_$part=AUTO"
    must "the summary has it again: $part" [ "$(grep -c '^--   .*: yes$' log)" = 11 ]
done
# live/ is the only place that knows libwebsockets; without it, it is not built, and the command says so.
must "configuring without LWS" configure -DCELLPIPE_LWS=OFF
must "the summary says so: LWS" grep -qE "^--   .*: no \(CELLPIPE_LWS=OFF\)$" log
must "nothing of live/ is built" sh -c '! ninja -C build -t targets all | grep -q cellpipe_live'
must "what loads it compiles" ninja -C build CMakeFiles/cellpipe_program.dir/cli/live.c.o
must "configuring with LWS again" configure -DCELLPIPE_LWS=AUTO
# Without SQLite, what asks for the state says what is missing, and manifest works. The library is the same, so that the
# program links with the one at hand.
must "configuring without SQLITE" configure -DCELLPIPE_SQLITE=OFF
must "the summary says so: SQLITE" grep -qE "^--   .*: no \(CELLPIPE_SQLITE=OFF\)$" log
objects=$(ninja -C build -t targets all | sed -n 's/^\(CMakeFiles\/cellpipe_program\.dir\/.*\.o\): .*/\1/p')
# shellcheck disable=SC2086 # words
must "the program compiles" ninja -C build $objects >log
# shellcheck disable=SC2086 # words
must "and links" sh -c 'cd build && "$@"' sh cc -o cellpipe $objects "$(dirname "$cellpipe")"/libcellpipe.so -lm -pthread -ldl
stateless() { LD_LIBRARY_PATH=$(dirname "$cellpipe") build/cellpipe "$@"; }
lacks='^cellpipe: error: this cellpipe was built without SQLite \(libsqlite3-dev\)'
"$cellpipe" manifest "$top/samples/stl_solids.stl" >list
for words in '' --dry-run '--shard 0/2'; do
    # shellcheck disable=SC2086 # words
    ends 2 "$lacks" stateless batch --manifest list --out-dir made $words
    must "and writes nothing: $words" [ ! -e made ]
done
mkdir -p old/.cellpipe
ends 2 "$lacks" stateless merge old
ends 2 "$lacks" stateless report old --json
ends 2 "$lacks" stateless gallery old
ends 2 "$lacks" stateless report list
ends 2 "$lacks" stateless manifest "$top/samples/stl_solids.stl" --known old
must "none writes anything" [ -z "$(ls old/.cellpipe)" ]
ends 0 "" stateless manifest "$top/samples/stl_solids.stl"
must "a manifest is as it was" sh -c '"$1" manifest "$2" | cmp - stdout' sh "$cellpipe" "$top/samples/stl_solids.stl"
ends 0 "" stateless --version
must "the version says so" grep -q '^sqlite .*apt-get install libsqlite3-dev' stdout
must "configuring with SQLITE again" configure -DCELLPIPE_SQLITE=AUTO
# shellcheck disable=SC2086
must "configuring without any" configure $off
must "nine are off" [ "$(grep -c '^--   .*: no (CELLPIPE_.*=OFF)$' log)" = 10 ]
compile "$(echo "$all" | tr ' ' '|')" "what knows of any part"

# One that is asked for, and is not there.
rm -rf build
must "a missing part is an error" sh -c '! "$@"' sh cmake -S "$top" -B build -G Ninja -DMESHOPT_INCLUDE= \
    -DCELLPIPE_MESHOPT=ON -DCELLPIPE_TESTS=OFF >log 2>&1
must "which names it" grep -q 'CELLPIPE_MESHOPT=ON, but it was not found' log
rm -rf build
must "if it is not asked for, it is left out" configure -DMESHOPT_INCLUDE=
must "with the package that has it" grep -q "^--   meshoptimizer .*: no: not found (Debian's package libmeshoptimizer-dev)" log
finish
