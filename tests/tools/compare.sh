#!/bin/sh
# compare.sh [-j N] [--expected FILE] [--keep FOLDER] A B [PATH...]: tells whether two builds of the program behave
# alike to the byte. Both get the same commands on every file below the paths; exit codes, standard output, standard
# error and all files that they write are compared. Without paths: samples, tests/cells and tests/cases.
#   -j N             N processes at a time (1)
#   --expected FILE  differences that are meant: a regular expression a line, then " # " and the reason
#   --keep FOLDER    keep what differs there: what A made in a/, what B made in b/
# Each difference is a line: FILE: COMMAND: what differs. It ends with 1 if one is not expected.
#
# A readable file goes through info, check, and every exporter. Cells of samples and tests/cells also go through every
# filter and the other commands. A cases.txt has commands of its own. Files above 20 MB, and commands that take more
# than 60 s in both builds, are skipped and counted.
LC_ALL=C
export LC_ALL
top=$(cd "$(dirname "$0")/../.." && pwd)
script=$top/tests/tools/$(basename "$0")

# ---- commands ----

# Writes lists of commands, a line each; IN becomes the file. Names come from the program's own lists.
#   brief     all that a file gets which cannot be read
#   full      what others also get; the first line writes by all exporters that write any scene, in one process
#   each      the same exporters one by one, if that fails
#   thorough  what samples also get
#   alone     commands without a file
list_commands() { # program, folder
    printf '%s\n' 'info IN' 'check IN' 'convert IN out.glb --report report.json' >"$2/brief"
    chain='run read IN'
    "$1" formats | awk '/^[^ ]+ +(read, )?write / { sub(/ *\(read alone: .*/, ""); for (i = NF; $i ~ /^\./; i--) print $i }' | sort -u >"$2/suffixes"
    while read -r suffix; do
        if "$1" convert -q "$top/samples/stl_one_facet.stl" "$2/any$suffix" 2>/dev/null; then
            chain="$chain ! write out$suffix"
            echo "convert IN out$suffix" >>"$2/each"
        else
            echo "convert IN out$suffix" >>"$2/full"
        fi
    done <"$2/suffixes"
    {
        printf '%s\n' "$chain" 'info --json IN' \
            'run read IN ! write stage.glb profile=stage ! write web.glb web=yes' \
            'run read IN ! triangulate ! write out.stl format=ascii ! write out.dump'
        cat "$2/full"
    } >"$2/first"
    mv "$2/first" "$2/full"
    {
        printf '%s\n' 'info --explain IN' 'check solid IN' 'check scene motion IN --json' 'diff IN IN --json' \
            'collide IN' 'collide IN --json --clearance 1mm' 'fk IN home=yes' 'fk IN home=yes --json' \
            'ik IN pose=WORLD tries=3 --json' 'igrip2vrml -d IN out.wrl' 'igrip2vrml -w IN out.wrl' \
            'convert IN out.wrl --out layout=parts' 'convert IN out.wrl --out cycle=10' 'convert IN out.stl --strict' \
            'manifest IN' 'exclude IN out.xml work=200 samples=20 descents=2 --out evidence=yes' \
            'run read IN ! read IN ! flatten ! weld ! normals ! write out.dump' \
            'run read IN ! split-meshes ! instances ! write out.dump' 'run read IN ! repair ! orient ! write out.dump' \
            'run read IN ! triangulate ! merge-meshes ! write out.dump'
        "$1" filters | while read -r filter _; do
            case $filter in
            select) words='node=WORLD' ;;
            pose) words='home=yes' ;;
            simplify) words='ratio=0.5' ;;
            exclude) words='work=200 samples=20 descents=2' ;;
            trace) words='frame=WORLD' ;;
            program) words="file='$top/samples/demo/pick.prg'" ;;
            recording) words="file='$top/tests/cases/recording/times.csv'" ;;
            *) words= ;;
            esac
            echo "run read IN ! $filter $words ! write out.dump"
        done
    } >"$2/thorough"
    {
        printf '%s\n' '' formats 'formats --markdown' filters nonsense help 'help nonsense' 'help --complete -- ""' \
            'help --complete -- convert x y.' 'help --complete -- simplify x y ""' "manifest '$top/samples'" \
            "batch '$top/samples/demo' '$top/samples/tag' --out-dir out --jobs 1 -q; rm -r out/.cellpipe"
        "$1" help --complete -- help '' | sed 's/^/help /' | sort -u
    } >"$2/alone"
}

# Runs a command in the working folder and leaves in $here what came of it: the code alone, if it took too long.
run_command() { # command, its text for the report
    printf '%s\n' "$2" >"$here/.command"
    eval "timeout 60 \"\$program\" $1" >"$here/.stdout" 2>"$here/.stderr" </dev/null
    code=$?
    [ $code != 124 ] || find "$here" -mindepth 1 ! -name .command -delete
    echo $code >"$here/.code"
}

# Runs the commands of lists on "$in", each in a folder of its own, whose number is its line.
run_lists() { # list...
    cat "$@" >"$work/list"
    folders=
    count=$number
    while IFS= read -r line; do
        count=$((count + 1))
        folders="$folders $count"
    done <"$work/list"
    # shellcheck disable=SC2086 # numbers
    mkdir $folders
    while IFS= read -r line; do
        number=$((number + 1))
        here=$run/$number
        cd "$here" || exit 1
        command="$line "
        while :; do
            case $command in
            *' IN '*) command="${command%% IN *} \"\$in\" ${command#* IN }" ;;
            *) break ;;
            esac
        done
        run_command "$command" "$line"
    done <"$work/list"
    cd "$run" || exit 1
}

# The lines of a cases.txt, as tests/cases/run.sh runs them: in its folder, with OUT for a fresh folder.
run_cases() { # file
    cd "$(dirname "$1")" || exit 1
    while IFS="$(printf '\t')" read -r code line _; do
        case $code in '' | '#'*) continue ;; esac
        number=$((number + 1))
        here=$run/$number
        mkdir "$here" "$here/out"
        command=$line
        while :; do
            case $command in
            *OUT*) command="${command%%OUT*}\$here/out${command#*OUT}" ;;
            *) break ;;
            esac
        done
        run_command "$command" "$line"
    done <cases.txt
    cd "$run" || exit 1
}

# ---- a part of the files ----

run_file() { # file
    number=0
    in=$1
    case $in in
    alone)
        run_lists "$lists/alone"
        return ;;
    */cases.txt)
        run_cases "$in"
        return ;;
    esac
    run_lists "$lists/brief"
    worked 1 || return 0
    run_lists "$lists/full"
    worked 4 || run_lists "$lists/each"
    case $in in
    # Parts are in cells, and cells of mechanisms in recordings: these are slow, and say the same again.
    *.dcp | "$top"/samples/mechanisms/*.dc[dr]) ;;
    "$top"/samples/* | "$top"/tests/cells/*) run_lists "$lists/thorough" ;;
    esac
}

# Whether A's command of this number succeeded: what follows is the same for both, so that each command is compared.
worked() { # number
    if [ $side = a ]; then read -r code <"$1/.code"; else read -r code <"$work/a/$file/$1/.code"; fi
    [ "$code" = 0 ]
}

# What `diff -rq a b` says, as lines "FILE: COMMAND: WHAT", and how many commands are equal, different and stopped.
tell_differences() {
    awk -v keep="$keep" -v part="$(basename "$work")" '
    function first_line(path,    line) { line = ""; getline line <path; close(path); return line }
    function tell(folder, what) {
        if (!(folder in name)) { print "odd\t" folder ": " what; return }
        print "line\t" name[folder] ": " command[folder] ": " what
        differs[folder] = 1
    }
    FILENAME ~ /folders$/ {
        folder = substr($0, 3)
        split(folder, words, "/")
        name[folder] = first_line("a/" words[1] "/.name")
        command[folder] = first_line("a/" folder "/.command")
        code = first_line("a/" folder "/.code")
        other = first_line("b/" folder "/.code")
        if (code == 124 && other == 124) stopped[folder] = 1
        if (code != other) tell(folder, "exit code " code ", then " other)
        next
    }
    # Files a/F/N/PATH and b/F/N/PATH differ; Only in a/F/N: PATH
    {
        text = $0
        side = ""
        if (match(text, /^Only in [ab]\//)) { side = substr(text, 9, 1); text = substr(text, 11); sub(/: /, "/", text) }
        else if (match(text, /^Files a\/.* and b\/.* differ$/)) { text = substr(text, 9, (length(text) - 22) / 2) }
        else { print "odd\t" $0; next }
        match(text, /^[0-9]+\/[0-9]+\//)
        folder = substr(text, 1, RLENGTH - 1)
        text = substr(text, RLENGTH + 1)
        if (text == ".code") next
        if (text == ".stdout") text = "standard output"
        if (text == ".stderr") text = "standard error"
        tell(folder, side == "" ? text : text " by " toupper(side) " alone")
    }
    END {
        for (folder in name) { counts[folder in differs ? "different" : folder in stopped ? "stopped" : "equal"]++ }
        for (kind in counts) print "count\t" kind "\t" counts[kind]
        for (folder in differs) if (keep != "") print "keep\t" folder
    }' "$work/folders" -
}

# Runs all A for some files and then all B, at the same paths; only what differs outlasts the part.
run_part() { # A, B, folder of lists and results, folder to keep or nothing, file...
    a=$1 b=$2 lists=$3 keep=$4
    shift 4
    work=$(mktemp -d "$lists/part.XXXXXX") || exit 1
    program=$work/cellpipe
    mkdir "$work/tmp"
    TMPDIR=$work/tmp
    export TMPDIR
    for side in a b; do
        [ $side = a ] && build=$a || build=$b
        ln -sf "$build" "$program"
        file=0
        for in in "$@"; do
            file=$((file + 1))
            run=$work/run/$file
            mkdir -p "$run"
            cd "$run" || exit 1
            printf '%s\n' "${in#"$top"/}" >.name
            run_file "$in"
        done
        cd "$work" || exit 1
        mv run $side
    done
    (cd a && find . -mindepth 2 -maxdepth 2 -type d) >folders
    diff -rq a b | tell_differences >result
    sed -n 's/^keep\t//p' result | while read -r folder; do
        place=${work##*.}-${folder%/*}-${folder#*/}
        for side in a b; do
            mkdir -p "$keep/$side/$place"
            cp -R "$side/$folder/." "$keep/$side/$place"
        done
    done
    mv result "$lists/result.${work##*.}"
    rm -rf "$work"
}

if [ "${1-}" = --part ]; then
    shift
    run_part "$@"
    exit
fi

# ---- all files ----

usage() {
    sed -n '2,/^LC_ALL/s/^# \{0,1\}//p' "$script" >&2
    exit 2
}

jobs=1 expected=/dev/null keep=
while :; do
    case ${1-} in
    -j) jobs=$2 ;;
    --expected) expected=$2 ;;
    --keep)
        mkdir -p "$2" || exit 2
        keep=$(realpath "$2") ;;
    -*) usage ;;
    *) break ;;
    esac
    [ $# -ge 2 ] || usage
    shift 2
done
[ $# -ge 2 ] || usage
a=$(realpath "$1") b=$(realpath "$2")
if ! [ -x "$a" ] || ! [ -x "$b" ] || ! [ -r "$expected" ]; then usage; fi
shift 2
[ $# -gt 0 ] || set -- "$top/samples" "$top/tests/cells" "$top/tests/cases"

all=$(mktemp -d) || exit 1
trap 'rm -rf "$all"' EXIT
trap 'exit 2' INT TERM
list_commands "$a" "$all"
[ -s "$all/full" ] && [ -s "$all/thorough" ] || exit 2

find "$@" -type f ! -name '*.md' ! -name '*.py' ! -name '*.sh' -exec realpath {} + | sort -u >"$all/files"
xargs -d '\n' -I FILE find FILE -size +20480k <"$all/files" >"$all/large"
{
    echo alone
    grep '/cases\.txt$' "$all/files" # the longest first
    grep -v '/cases\.txt$' "$all/files" | grep -vxFf "$all/large"
} | tr '\n' '\0' | xargs -0 -n 8 -P "$jobs" "$script" --part "$a" "$b" "$all" "$keep" || exit 2
cat "$all"/result.* | sort >"$all/results"

awk -v large="$(wc -l <"$all/large")" -v list="$expected" '
FILENAME == list {
    expression = $0
    if (expression ~ /^(#|$)/) next
    reason[++expressions] = sub(/ # .*/, "", expression) ? substr($0, length(expression) + 4) : "no reason given"
    expected[expressions] = expression
    next
}
/^count\t/ { split($0, words, "\t"); counts[words[2]] += words[3] }
/^odd\t|^line\t/ {
    text = $0
    sub(/^[a-z]*\t/, "", text)
    for (i = 1; i <= expressions; i++)
        if (text ~ expected[i]) { met[i]++; next }
    print text
    unexpected++
}
END {
    for (i = 1; i <= expressions; i++)
        printf "expected: %d times /%s/: %s\n", met[i], expected[i], reason[i]
    equal = counts["equal"] + 0
    different = counts["different"] + 0
    stopped = counts["stopped"] + 0
    printf "%d commands: %d equal, %d different, %d stopped after 60 s in both; %d files above 20 MB skipped\n",
           equal + different + stopped, equal, different, stopped, large
    printf "%d differences that are not expected\n", unexpected
    exit unexpected > 0 || equal + different == 0
}' "$expected" "$all/results"
