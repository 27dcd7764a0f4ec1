#!/bin/sh
# test_tree.sh PROGRAM: the arrows between the rooms, and where third-party libraries may be named.
cd "$(dirname "$0")/../.." || exit 1
failed=0

fail() {
    failed=$((failed + 1))
    echo "FAILED: $*"
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tab=$(printf '\t')

# The floors: what a file includes and calls lies on its own floor or below. The engines share one, and so do filters,
# importers and exporters, which do not know each other. cli/ knows the public headers alone. Prints what breaks this among
# lines FILE<TAB>FILE.
check_arrows() {
    awk -F"$tab" -v word="$1" '
    function floor_of(path) {
        if (path ~ "^scene/[^/]*[.]h$") return 0 # public
        if (path ~ "^scene/base/") return 1
        if (path ~ "^scene/model/") return 2
        if (path ~ "^scene/(mesh|motion|collide|program|view)/") return 3
        if (path ~ "^scene/plugins/") return 4
        if (path ~ "^(scene/filters|importers|exporters)/") return 5
        return path == "cellpipe.c" ? 6 : 7
    }
    function room_of(path) { return path ~ "^scene/filters/" ? "filters" : substr(path, 1, index(path, "/")) }
    {
        from = floor_of($1); to = floor_of($2)
        if (from == 7)
            good = to == 0 || to == 7
        else
            good = from >= to && (from != 5 || to != 5 || room_of($1) == room_of($2))
        if ($1 ~ "^scene/base/text/" && to > 1)
            good = 0
        if (!good) print $1 " " word " " $2
    }'
}

# Quoted includes by what they reach: the file's folder first, then scene/ (-iquote).
find scene importers exporters live cli cellpipe.c -name '*.[ch]' -exec grep -HoE '^ *# *include *"[^"]*"' {} + |
    sed 's/: *# *include *"/ /; s/"$//' | while read -r file name; do
    case $name in
    */../* | ../*) path=$(realpath --relative-to=. "$(dirname "$file")/$name") ;;
    *) path=$(dirname "$file")/$name ;;
    esac
    path=${path#./}
    [ -f "$path" ] || path=scene/$name
    [ -f "$path" ] || echo "$file includes $name, which is not there" >>"$work/faults"
    printf '%s\t%s\n' "$file" "$path"
done >"$work/includes"
check_arrows includes <"$work/includes" >>"$work/faults"

# The same by the names that objects need and have: a declaration of one's own is no way around.
build=$(dirname "$1")/CMakeFiles
(cd "$build" && find cellpipe_scene.dir cellpipe_objects.dir -name '*.o') | while read -r object; do
    source=${object#*/}
    [ ! -f "${source%.o}" ] || echo "$build/$object" # others are left from files that have moved
done | xargs nm -A | sed -n "s#^$build/cellpipe_[a-z]*\.dir/\(.*\)\.o:[0-9a-f ]* \([A-Za-z]\) \(.*\)#\2 \3 \1#p" >"$work/names"
awk 'NR == FNR { if ($1 ~ /[BDRTVW]/) home[$2] = $3; next }
     $1 == "U" && $2 in home && home[$2] != $3 { print $3 "\t" home[$2] }' "$work/names" "$work/names" |
    sort -u >"$work/calls"
check_arrows calls <"$work/calls" >>"$work/faults"
while read -r fault; do fail "$fault"; done <"$work/faults"
includes=$(wc -l <"$work/includes") calls=$(wc -l <"$work/calls")
[ "$calls" -gt 1000 ] || fail "only $calls calls between files were found in $build"

# Unit tests know the public headers alone, but for those that tests/CMakeLists.txt lists as "inside". Headers of the
# tests that reach inside are found round by round.
inside=$(sed -n '/^set(inside$/,/)/p; /^set(live$/,/)/p' tests/CMakeLists.txt | sed 's/#.*//; s/^set(live$/live /' | tr -d '()' | tr -s ' \n' ' ')
deep='/' before=
while [ "$deep" != "$before" ]; do
    before=$deep
    deep="/$(grep -lE "^#include \"([^\"]*/[^\"]*${before#/})\"" tests/unit/*.h | sed 's#.*/##; s/^/|/' | tr -d '\n')"
done
public=0
for test in tests/unit/test_*.c; do
    name=$(basename "$test" .c)
    case " $inside scene_alone " in *" ${name#test_} "*) continue ;; esac
    public=$((public + 1))
    found=$(grep -E "^#include \"([^\"]*/[^\"]*${deep#/})\"" "$test" | head -n 1)
    [ -z "$found" ] || fail "$test is to know the public headers alone: $found"
done
[ "$public" -gt 50 ] || fail "only $public unit tests know the public headers alone"

# Each library by one file or folder; zlib by the two ends of scene/, source and sink, meshoptimizer by those of glTF.
one_place() { # library expression
    places=$(grep -rlE "^ *# *include *<$2" scene importers exporters live cli --include='*.[ch]' |
        sed -E 's#^((importers|exporters)/[^/]+|live)/.*#\1#' | sort -u | tr '\n' ' ')
    [ "$(printf '%s' "$places" | wc -w)" -le "${3-1}" ] || fail "$1 is included in more than one place: $places"
}
one_place assimp 'assimp/'
one_place libxml2 'libxml/'
one_place libyaml 'yaml\.h'
one_place libzip 'zip\.h'
one_place meshoptimizer 'meshoptimizer' 2
one_place libpng 'png\.h'
one_place libjpeg-turbo 'turbojpeg'
one_place jansson 'jansson'
one_place xxhash 'xxhash'
one_place zlib 'zlib' 2
one_place libwebsockets 'libwebsockets'
one_place libcrypt 'crypt\.h'
one_place SQLite 'sqlite3'

# The library prints nothing and ends nothing.
grep -rnE '(^|[^a-z_])(printf|puts|putchar|vprintf|perror|exit|abort|assert) *\(|std(out|err)[^a-z"]' scene importers exporters \
    --include='*.c' | grep -vE '__attribute__|^[^:]*:[0-9]*: *(/?\*)|"[^"]*std(out|err)' && fail "the library prints or ends the program"

echo "$includes includes, $calls calls, $failed failed"
[ "$failed" = 0 ] && [ "$includes" -gt 500 ]
