#!/bin/sh
# test_golden.sh PROGRAM: each golden/NAME.sh runs in a fresh folder with $cellpipe set; its standard output, messages and
# exit code must be those in golden/NAME.txt. UPDATE=1 writes them anew: read the difference before you believe it.
cellpipe=$(realpath "$1")
export cellpipe
cd "$(dirname "$0")/golden" || exit 1
golden=$(pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
for script in *.sh; do
    name=${script%.sh}
    rm -rf "$work/in"
    mkdir "$work/in"
    cp "$golden"/inputs/* "$work/in"
    (cd "$work/in" && sh "$golden/$script" >"$work/stdout" 2>"$work/stderr" </dev/null)
    code=$?
    {
        echo "exit $code"
        echo "-- stdout"
        cat "$work/stdout"
        echo "-- stderr"
        cat "$work/stderr"
    } >"$work/got"
    [ -z "${UPDATE-}" ] || cp "$work/got" "$name.txt"
    if diff -u "$name.txt" "$work/got"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED golden/$name"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
