#!/bin/sh
# test_tree.sh PROGRAM: the arrows between the rooms, and where third-party libraries may be named.
cd "$(dirname "$0")/../.." || exit 1
failed=0 includes=0

fail() {
    failed=$((failed + 1))
    echo "FAILED: $*"
}

# Quoted includes by what they reach, as FILE<TAB>PATH from the top: the file's folder first, then scene/ (-iquote).
list_includes() {
    find scene importers exporters cli -name '*.[ch]' | while read -r file; do
        sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file" | while read -r name; do
            if [ -f "$(dirname "$file")/$name" ]; then
                printf '%s\t%s\n' "$file" "$(realpath --relative-to=. "$(dirname "$file")/$name")"
            else
                printf '%s\t%s\n' "$file" "scene/$name"
            fi
        done
    done
}

tab=$(printf '\t')
list_includes >"${TMPDIR:-/tmp}/includes.$$"
while IFS=$tab read -r file path; do
    includes=$((includes + 1))
    [ -f "$path" ] || fail "$file includes $path, which is not there"
    case ${file%%/*}:${path%%/*} in
    scene:scene | importers:scene | exporters:scene | importers:importers | exporters:exporters | cli:cli) ;;
    cli:scene) # batch has a million entries in arenas, and reads its lines of JSON back
        case $path:$file in
        scene/cellpipe.h:* | scene/memory.h:cli/batch/* | scene/text/*:cli/batch/*) continue ;;
        esac
        fail "$file includes $path, which is not public" ;;
    *) fail "$file includes $path" ;;
    esac
done <"${TMPDIR:-/tmp}/includes.$$"
rm -f "${TMPDIR:-/tmp}/includes.$$"

# Each library by one file or folder; zlib by the two ends of scene/, source and sink, meshoptimizer by those of glTF.
one_place() { # library expression
    places=$(grep -rlE "^ *# *include *<$2" scene importers exporters cli --include='*.[ch]' |
        sed -E 's#^((importers|exporters)/[^/]+)/.*#\1#' | sort -u | tr '\n' ' ')
    [ "$(printf '%s' "$places" | wc -w)" -le "${3-1}" ] || fail "$1 is included in more than one place: $places"
}
one_place assimp 'assimp/'
one_place libxml2 'libxml/'
one_place libzip 'zip\.h'
one_place meshoptimizer 'meshoptimizer' 2
one_place libpng 'png\.h'
one_place libjpeg-turbo 'turbojpeg'
one_place jansson 'jansson'
one_place xxhash 'xxhash'
one_place zlib 'zlib' 2

# The library prints nothing and ends nothing.
grep -rnE '(^|[^a-z_])(printf|puts|putchar|vprintf|perror|exit|abort|assert) *\(|std(out|err)[^a-z"]' scene importers exporters \
    --include='*.c' | grep -vE '__attribute__|^[^:]*:[0-9]*: *(/?\*)|"[^"]*std(out|err)' && fail "the library prints or ends the program"

echo "$includes includes, $failed failed"
[ "$failed" = 0 ] && [ "$includes" -gt 50 ]
