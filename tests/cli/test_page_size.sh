#!/bin/sh
# test_page_size.sh PROGRAM: a page of any sample takes at most 300,000 bytes more than 1.34 of its GLB, packed by gzip.
# With --table it also prints of each sample: page, packed GLB, viewer, picture, and what is beyond 1.34 of the GLB.
. "$(dirname "$0")/check.sh"

"$cellpipe" formats | grep -q '^ *html ' || {
    echo "skipped: cli/test_page_size needs the exporter html (apt-get install libjs-three)"
    exit 77
}
count_between() { # begin end-character
    sed -n "s/.*$1\([^$2]*\)$2.*/\1/p" "$file" | tr -d '\n' | wc -c
}
is_small() { [ "$over" -le 300000 ]; }

# Some files in the folder of samples are for others to include, and fail alone.
"$cellpipe" batch -q "$top/samples" --out-dir pages --to html 2>/dev/null
"$cellpipe" batch -q "$top/samples" --out-dir glbs --to glb.gz --out clips=auto --out cameras=auto 2>/dev/null
find pages -name '*.html' | sort >list
count=0 largest=0
while read -r file; do
    name=${file#pages/}
    page=$(wc -c <"$file") glb=$(wc -c <"glbs/${name%.html}.glb.gz")
    over=$((page - glb * 134 / 100))
    count=$((count + 1))
    must "$name: $over bytes beside the GLB" is_small
    [ "$over" -gt "$largest" ] && largest=$over
    [ "${2-}" != --table ] ||
        echo "$name $page $glb $(count_between 'id="packed-code">' '<') $(count_between 'base64,' '"') $over"
done <list
must "there are samples" [ "$count" -gt 150 ]

echo "$count pages, at most $largest bytes beside the GLB; $passed passed, $failed failed"
[ "$failed" = 0 ]
