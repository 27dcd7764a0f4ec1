#!/bin/sh
# test_signals.sh PROGRAM: a signal ends the program as a signal does, without a word, and no temporary file stays.
. "$(dirname "$0")/check.sh"

# ends_by SIGNAL CODE WHAT: the program in the background ($!, started just before) ends so.
ends_by() {
    kill -"$1" "$program"
    kill -CONT "$program" 2>/dev/null # a writer is stopped
    wait "$program"
    got=$?
    must "$3 ends with $2 by SIG$1, not $got" [ "$got" = "$2" ]
    must "$3 by SIG$1: no messages" [ ! -s said ]
}

# While it waits for its input, which nobody writes.
mkfifo input
for signal in 'TERM 143' 'HUP 129'; do
    # shellcheck disable=SC2086
    set -- $signal
    "$cellpipe" convert input out.glb >said 2>&1 &
    program=$!
    sleep 0.2
    ends_by "$1" "$2" "a reader of a FIFO"
done
must "no output" [ ! -e out.glb ]

# While it writes: the dump of a large scene, whose temporary file is there already. Most file systems of Linux have files
# without a name, which are seen among the open files of the process alone.
mkdir out
has_nameless() { find "/proc/$program/fd" -lname '*/out/#*' 2>/dev/null | grep -q .; }
has_begun() { has_nameless || ls out/.cellpipe-* >/dev/null; }
has_begun_or_ended() { has_begun || ! kill -0 "$program"; }
# Starts a writer and stops it while its file is there. One that ends before it is looked at is started again.
start_writer() {
    part="$top/samples/stl_65536.stl.gz" starts=0
    until [ $starts = 100 ]; do
        starts=$((starts + 1))
        echo old >out/big.dump
        "$cellpipe" run -q read "$part" ! read "$part" ! read "$part" ! read "$part" ! read "$part" ! read "$part" ! \
            write out/big.dump >said 2>&1 &
        program=$!
        wait_until has_begun_or_ended
        kill -STOP "$program" 2>/dev/null && has_begun 2>/dev/null && break
        kill -CONT "$program" 2>/dev/null
        wait "$program"
    done
    if has_nameless; then named=0; else named=1; fi
}
for signal in 'TERM 143' 'HUP 129'; do
    # shellcheck disable=SC2086
    set -- $signal
    start_writer
    ends_by "$1" "$2" "a writer"
    must "no temporary file after SIG$1" [ "$(folder out)" = 'big.dump ' ]
    must "the old output after SIG$1" [ "$(cat out/big.dump)" = old ]
done

# Ctrl-C ends a search of exclude, and what is decided by then is written. Two pairs of this cell take for ever. A shell
# starts what is in the background deaf to SIGINT. The program has searched once it has used a second of the processor.
if env --default-signal=INT true 2>/dev/null; then
    interrupt_search() { # SIGNAL WORDS...: exclude with these words
        signal=$1
        shift
        env --default-signal=INT "$cellpipe" exclude "$top/samples/demo.wu" "$@" work=1000000000000000 >said 2>&1 &
        program=$!
        until [ "$(cut -d ' ' -f 14 "/proc/$program/stat" 2>/dev/null || echo 999)" -ge "$(getconf CLK_TCK)" ]; do
            sleep 0.05
        done
        kill -"$signal" "$program"
        wait "$program"
        got=$?
    }
    interrupt_search INT cut.xml --out evidence=yes
    must "an interrupted search ends with 130, not $got" [ "$got" = 130 ]
    must "and says so" grep -qE 'warning: the search was interrupted: [0-9]+ of [0-9]+ pairs are undecided' said
    must "the list is there" grep -q 'reason="never-proved"' cut.xml
    must "and its evidence" grep -q '"evidence":"the search was interrupted before it was decided"' cut.xml.json
    "$cellpipe" exclude "$top/samples/demo.wu" whole.xml 2>/dev/null
    sed -n 's/.*first="\([^"]*\)" second="\([^"]*\)".*/\1 \2/p' whole.xml | sort >whole.pairs
    sed -n 's/.*first="\([^"]*\)" second="\([^"]*\)".*/\1 \2/p' cut.xml | sort >cut.pairs
    must "no other pairs are excluded, but one by a longer proof" [ "$(comm -13 whole.pairs cut.pairs | wc -l)" -le 1 ]
    ends 0 '' "$cellpipe" check "$top/samples/demo.wu" list=cut.xml
    interrupt_search TERM term.xml
    must "SIGTERM ends it with 143, not $got" [ "$got" = 143 ]
    must "and nothing is written" [ ! -e term.xml ]
else
    echo "skipped: Ctrl-C needs env --default-signal (coreutils 8.31)"
fi

# A killed one leaves its file only if that has a name.
start_writer
ends_by KILL 137 "a writer"
must "SIGKILL leaves no file without a name" [ "$(folder out | grep -c cellpipe)" = $named ]
must "the old output after SIGKILL" [ "$(cat out/big.dump)" = old ]
rm -f out/.cellpipe-*

# What is left all the same, the next writer into the folder removes that needs such a name, as each does that replaces a
# file. A filter, and a program that writes elsewhere, does not. A process that lives keeps its file.
left_by() { # PROCESS: the name of its file
    host=$(uname -n | LC_ALL=C sed 's/[^A-Za-z0-9-]/_/g' | cut -c 1-64)
    space=$(readlink /proc/self/ns/pid | tr -dc 0-9)
    [ "${space:-4026531836}" = 4026531836 ] || host=$host.$space
    echo ".cellpipe-$host-$1-0123456789abcdef"
}
mkdir other
gone=$(left_by "$program")
for command in 'convert part.stl out/a.glb' 'weld part.stl out/a.glb' 'run read part.stl ! write out/a.glb'; do
    touch "out/$gone"
    ends 0 '' "$cellpipe" convert -q part.stl other/a.glb
    ends 0 '' "$cellpipe" convert -q part.stl other/a.glb
    ends 0 '' "$cellpipe" convert -q part.stl - --to glb
    must "it stays for a writer elsewhere" [ -e "out/$gone" ]
    # shellcheck disable=SC2086
    ends 0 '' "$cellpipe" $command -q
    must "a writer of a new file needs no name: $command" [ "$(folder out | grep -c cellpipe)" = $((1 - named)) ]
    # shellcheck disable=SC2086
    ends 0 '' "$cellpipe" $command -q
    must "it is gone after $command" [ "$(folder out)" = 'a.glb big.dump ' ]
    rm out/a.glb other/a.glb
done
lives=$(left_by $$)
touch out/a.glb "out/$lives"
ends 0 '' "$cellpipe" convert -q part.stl out/a.glb
must "a process that lives keeps its temporary file" [ -e "out/$lives" ]
rm "out/$lives"
mkdir out/d_cell
touch "out/$gone" "out/d_cell/$gone"
must "a relative output" env -C out "$cellpipe" convert -q ../part.stl a.glb
rmdir out/d_cell || fail "a temporary file in a folder of further outputs"
must "all is gone" [ "$(folder out)" = 'a.glb big.dump ' ]
# Several outputs of one plan: their folder is listed once, whatever it takes to write them.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    touch out/b.glb out/c.glb "out/$gone"
    ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -o calls -e trace=getdents64 "$cellpipe" run -q read part.stl ! \
        write out/a.glb ! write out/b.glb ! write out/c.glb
    must "one sweep for three outputs, not $(grep -c 'getdents.* = 0' calls)" [ "$(grep -c 'getdents.* = 0' calls)" -le 2 ]
    must "what was left is gone" [ ! -e "out/$gone" ]
    rm out/b.glb out/c.glb
else
    echo "skipped: test_signals' sweeps need strace"
fi
rm out/a.glb

# nohup's children go on: an ignored signal stays ignored.
(
    trap '' HUP
    exec "$cellpipe" convert -q input nohup.dump
) &
program=$!
sleep 0.2
kill -HUP "$program"
cat part.stl >input
wait "$program"
must "an ignored signal" [ -s nohup.dump ]

# A large file is mapped while it is read. What happens to it meanwhile is told: here the program is stopped as soon as it
# has mapped the file.
if [ -r /proc/self/maps ]; then
    change_large() { # WORDS...: a command that changes large.stl while it is read
        yes "$(cat part.stl)" | head -n 1800000 >large.stl
        "$cellpipe" convert --threads 1 large.stl out/large.dump >said 2>&1 &
        program=$!
        until grep -q large.stl "/proc/$program/maps" || ! kill -0 "$program" 2>/dev/null; do :; done
        kill -STOP "$program"
        "$@"
        kill -CONT "$program"
        wait "$program"
    }
    cut() { : >large.stl; }
    append() { echo '! more' >>large.stl; }
    change_large cut
    must "a file cut short ends with 3, not $?" [ $? = 3 ]
    must "and a message" grep -q 'cut short by somebody else' said
    must "and no output" [ "$(folder out)" = 'big.dump ' ]
    change_large append
    must "a file that changes ends with 3, not $?" [ $? = 3 ]
    must 'and the error "source-changed"' grep -q 'large.stl: error: changed while it was being read' said
    rm large.stl
else
    echo "skipped: test_signals' mapped files need /proc"
fi

# A limit on the size of files is an error like a full disk.
ends 4 'big.stl: error: cannot be written: File too large' sh -c "ulimit -f 1; '$cellpipe' convert -q '$top/samples/stl_65536.stl.gz' out/big.stl"
must "nothing of it" [ "$(folder out)" = 'big.dump ' ]

# An alarm that it did not set ends it as well.
"$cellpipe" convert input out.glb >said 2>&1 &
program=$!
sleep 0.2
ends_by ALRM 142 "a reader of a FIFO"

# Progress: a line on a terminal when it takes long, nothing anywhere else.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    { sleep 1.3; cat part.stl; } >input &
    script -qec "'$cellpipe' convert input slow.dump" /dev/null >typescript </dev/null
    must "what is read, on a terminal" grep -q 'reading input' typescript
    must "and taken away again, for what was written" grep -q "$(printf '\033')\[Kwrote slow.dump: " typescript
    { sleep 1.3; cat part.stl; } >input &
    script -qec "'$cellpipe' info input" /dev/null >typescript </dev/null
    must "the result has its first line for itself" grep -q "$(printf '\033')\[Kinput: stl" typescript
    name=$(printf 'a\033b')
    mkfifo "$name"
    { sleep 1.3; cat part.stl; } >"$name" &
    script -qec "'$cellpipe' convert 'a'*b slow.dump" /dev/null >typescript </dev/null
    must "a name's control characters stay away from it" grep -qF 'reading a\x1bb' typescript
    script -qec "'$cellpipe' convert -q part.stl fast.dump" /dev/null >typescript </dev/null
    must "nothing when it is fast" [ ! -s typescript ]

    # What was written: as `info` counts it, and as large as the file is.
    script -qec "'$cellpipe' convert '$top/samples/demo.wu' demo.glb" /dev/null >typescript </dev/null
    triangles=$("$cellpipe" info --json demo.glb | sed -n 's/^ "triangles": \([0-9]*\)\([0-9]\{3\}\),.*/\1,\2/p')
    clips=$(grep -a -o '"made":"sweep"' demo.glb | wc -l | tr -d ' ')
    must "a line says what was written" grep -q "^wrote demo.glb: $triangles triangles, $clips clips, $((($(wc -c <demo.glb) + 500) / 1000)) kB" typescript
else
    echo "skipped: test_signals' terminal needs script (bsdutils)"
fi
{ sleep 1.3; cat part.stl; } >input &
ends 0 '' "$cellpipe" convert input slow.dump
finish
