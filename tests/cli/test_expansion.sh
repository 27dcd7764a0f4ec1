#!/bin/sh
# test_expansion.sh PROGRAM: a small file that multiplies what it holds ends at a limit that its size sets, whatever the
# format: 100,000 nodes or instances and 20 for each byte of the files, each counted once.
. "$(dirname "$0")/check.sh"

# limit FILES...: what they may become.
limit() {
    echo $((100000 + 20 * $(cat "$@" | wc -c)))
}

# grows LIMIT FILE: refused by that limit, and by that of nodes where it is smaller, without much work.
grows() {
    ends 6 "$2:([0-9]+:[0-9]+:)? error: .* than the limit of $1 \\(--limit expansion=\\)" \
        sh -c 'ulimit -t 4; exec "$@"' limited "$cellpipe" convert "$2" out.glb
    ends 6 "than the limit of 1000 \\(--limit nodes=\\)" "$cellpipe" convert "$2" out.glb --limit nodes=1000
    must "no output of $2" [ ! -e out.glb ]
}

# 3MF: objects of two components each, 2^20 of the same.
components() { # LEVELS
    awk -v levels="$1" 'BEGIN {
        printf "<?xml version=\"1.0\"?><model unit=\"millimeter\" xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">"
        printf "<resources><object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/>"
        printf "<vertex x=\"0\" y=\"1\" z=\"0\"/></vertices><triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/></triangles></mesh></object>"
        for (i = 2; i < levels + 2; i++)
            printf "<object id=\"%d\"><components><component objectid=\"%d\"/><component objectid=\"%d\"/></components></object>", i, i - 1, i - 1
        printf "</resources><build><item objectid=\"%d\"/></build></model>\n", levels + 1
    }'
}
components 20 >doubled.model
grows "$(limit doubled.model)" doubled.model
components 10 >few.model
ends 0 '' "$cellpipe" info few.model
must "all of a few: 2^11 - 1 nodes" grep -q '^frames *2048 ' stdout

# tag: devices in devices, each of which names the next one twice.
awk 'BEGIN { for (i = 0; i < 300; i++) printf "{ \"F%d\"\n}\n", i }' >level0.dev
for level in 1 2 3 4 5 6 7 8 9 10 11; do
    printf '{ "B"\n}\n{ "C"\n ReferenceFrame "B"\n Device "level%d.dev"\n}\n{ "D"\n ReferenceFrame "B"\n Device "level%d.dev"\n}\n' \
        $((level - 1)) $((level - 1)) >level$level.dev
done
printf '{ "WORLD"\n}\n{ "D"\n ReferenceFrame "WORLD"\n Device "level11.dev"\n}\n' >devices.wu
grows "$(limit devices.wu level*.dev)" devices.wu
sed s/level11/level5/ devices.wu >few.wu
ends 0 '' "$cellpipe" info few.wu
must "all of a few devices" [ "$(sed -n 's/^frames *\([0-9]*\) .*/\1/p' stdout)" -gt $((32 * 300)) ]

# Models: a file of many instances at many frames.
awk 'BEGIN { printf "<?xml version=\"1.0\"?><model unit=\"millimeter\" xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">"
    printf "<resources><object id=\"1\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/>"
    printf "<vertex x=\"0\" y=\"1\" z=\"0\"/></vertices><triangles><triangle v1=\"0\" v2=\"2\" v3=\"1\"/></triangles></mesh></object>"
    for (id = 2; id < 4; id++) {
        printf "<object id=\"%d\"><components>", id
        for (i = 0; i < 45; i++) printf "<component objectid=\"%d\"/>", id - 1
        printf "</components></object>"
    }
    printf "</resources><build><item objectid=\"3\"/></build></model>\n" }' >many.model
awk 'BEGIN { printf "{ \"WORLD\"\n}\n"; for (i = 0; i < 700; i++) printf "{ \"F%d\"\n GeoID \"many.model\"\n}\n", i }' >models.wu
grows "$(limit models.wu many.model)" models.wu

# Deneb: devices of many parts, many times.
awk 'BEGIN { printf "DCT DEVICE 1.0\nUNIT mm\nANGLE deg\nDEVICE \"arm\"\nPART \"base\" ATTACH 1\n"
    for (i = 0; i < 1000; i++) printf "PART \"p%d\" ATTACH 1\n", i; print "END" }' >arm.dcd
awk 'BEGIN { printf "DCT WORKCELL 1.0\nHEAD\nNAME \"cell\" UNIT mm ANGLE deg\nEND\nDEVICES\n"
    for (i = 0; i < 2000; i++) printf "DEVICE \"d%d\" FILE \"arm\"\nEND\n", i; print "END" }' >cell.dcw
grows "$(limit cell.dcw arm.dcd)" cell.dcw

# The size of what is read again and again does not count again; another file does.
cp many.model more.model
{ head -n 2 models.wu; printf '{ "G"\n GeoID "more.model"\n}\n'; tail -n +3 models.wu; } >both.wu
grows "$(limit both.wu many.model more.model)" both.wu

# What a user lifts.
ends 6 'than the limit of 100000 \(--limit expansion=\)' "$cellpipe" convert doubled.model out.glb --limit expansion=0
ends 0 '' "$cellpipe" convert -q few.model out.glb --limit expansion=0
finish
