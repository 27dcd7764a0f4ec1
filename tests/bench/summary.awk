# summary.awk: reads the tables that bench.sh prints (or docs/performance.md) and prints the summary: one row for each
# job. Peers come fastest first, each with its time as a multiple of cellpipe's. A failed program is left out.

function start_row(name) {
    finish_row()
    title = name
    mine = unit = memory = least = most = ""
    peers = 0
}

# Keeps the list sorted: peer[1] is the fastest.
function add_peer(name, times,    i) {
    for (i = ++peers; i > 1 && ratio[i - 1] > times; i--) {
        ratio[i] = ratio[i - 1]
        peer[i] = peer[i - 1]
    }
    ratio[i] = times
    peer[i] = name
}

function finish_row(    i, list) {
    if (mine == "") return
    if (peers) compared = 1
    for (i = 1; i <= peers; i++)
        list = list (i > 1 ? ", " : "") peer[i] sprintf(ratio[i] < 2 ? " %.2f" : " %.1f", ratio[i])
    if (!rows++) {
        print "\n### Summary\n"
        print "| job | cellpipe | times faster than | peak, MiB | peers' peak, MiB |\n|---|---|---|---|---|"
    }
    printf "| %s | %s%s | %s | %s | %s |\n", title, mine, unit, list, memory, least == most ? least : least " to " most
    mine = ""
}

# A program's line: the columns of its time, its ratio and its memory are named by the header.
function read_program(    name, megabytes) {
    name = $2
    if ($seconds !~ /^[0-9.]+$/ || $seconds == 0 || name == "cellpipe_fast") return
    megabytes = $peak ~ /^[0-9.]+$/ ? sprintf("%.0f", $peak) : ""
    if (name == "cellpipe") {
        mine = $seconds
        unit = " s"
        memory = megabytes
    } else if (mine != "") {
        add_peer(name, times && $times >= 2 ? $times : $seconds / mine)
        if (megabytes == "") return
        if (least == "" || megabytes + 0 < least + 0) least = megabytes
        if (most == "" || megabytes + 0 > most + 0) most = megabytes
    }
}

function read_query() {
    if ($7 !~ /^[0-9.]+$/) return
    start_row("collisions, " $2)
    mine = $5
    unit = " a second"
    add_peer("FCL", $7)
    finish_row()
}

BEGIN { FS = " *[|] *" }

/^####? / {
    finish_row()
    heading = $0
    sub(/^#+ /, "", heading)
    kind = ""
}
/^[|] (program|queries) [|]/ {
    kind = seconds = times = peak = ""
    for (i = 2; i < NF; i++) {
        if ($i == "s" || $i == "process, s") seconds = i
        if ($i == "times cellpipe" && !times) times = i
        if ($i == "peak MiB") peak = i
    }
    if ($2 == "queries") kind = "query"
    else if (heading ~ /^torus / || (seconds && $seconds == "s")) {
        kind = "program"
        if (sub(/^torus .*, /, "", heading)) heading = "simplifying " heading
        start_row(heading)
    }
    next
}
!/^[|]/ { kind = "" }
/^[|]---/ { next }
kind == "program" { read_program() }
kind == "query" { read_query() }
END {
    finish_row()
    if (compared) {
        print "\nThe first rows are whole processes, from file to file; collisions are calls of the library. Not all"
        print "programs do the same work: assimp and three leave vertices unjoined, vtk and gltfpack make no normals, and FCL"
        print "has no upper bound for a distance."
    }
}
