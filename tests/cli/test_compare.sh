#!/bin/sh
# test_compare.sh PROGRAM: tests/tools/compare.sh finds no difference of the program from itself, and each kind of
# difference of one that differs.
. "$(dirname "$0")/check.sh"
compare=$top/tests/tools/compare.sh
mkdir inputs
mv part.stl inputs
printf '# one line\n0\tinfo ../part.stl\tnothing\n2\tconvert ../part.stl OUT/x.nothing\tsuffix\n' >cases.txt
mkdir inputs/more
mv cases.txt inputs/more

"$compare" "$cellpipe" "$cellpipe" inputs >same 2>&1
code=$?
must "it ends with 0 if nothing differs: $(cat same)" [ $code = 0 ]
must "it compares many commands" sh -c "sed -n 's/ commands: .*//p' same | grep -q '^[1-9][0-9][0-9]*\$'"
must "all are equal" grep -qE '^([0-9]+) commands: \1 equal, 0 different, 0 stopped' same

# One byte of a file, a file more, another code, a word more to standard output and to standard error.
cat >other <<END
#!/bin/sh
"$cellpipe" "\$@"
code=\$?
case "\$*" in
*out.wrl*) printf x | dd of=out.wrl bs=1 seek=7 conv=notrunc 2>/dev/null ;;
*report.json*) : >more ;;
'check '*) code=\$((code + 7)) ;;
'info --json '*) echo more ;;
'convert ../part.stl '*) echo more >&2 ;;
esac
exit \$code
END
chmod +x other
"$compare" -j 2 --keep kept "$cellpipe" other inputs >differs 2>&1
must "it ends with 1 if something differs" [ $? = 1 ]
finds() { # expression of a line
    must "no line /$1/" grep -qE -- "$1" differs
}
finds '/inputs/part\.stl: run read IN ! .*write out\.wrl.*: out\.wrl$'
finds '/inputs/part\.stl: convert IN out\.glb --report report\.json: more by B alone$'
finds '/inputs/part\.stl: check IN: exit code [01], then [78]$'
finds '/inputs/part\.stl: info --json IN: standard output$'
finds '/inputs/more/cases\.txt: convert \.\./part\.stl OUT/x\.nothing: standard error$'
finds '^[0-9]+ commands: [0-9]+ equal, 5 different, 0 stopped'
must "five lines of differences" [ "$(grep -c '^/' differs)" = 5 ]
cmp -s kept/a/*/out.wrl kept/b/*/out.wrl
must "the differing files are kept" [ $? = 1 ]

# Differences that are meant, with a reason; all but one, and all.
cat >expected <<'END'
out\.wrl$ # a letter
more by B # a file
exit code # a number
standard error$ # a word
END
"$compare" --expected expected "$cellpipe" other inputs >differs 2>&1
must "it ends with 1 if one is not expected" [ $? = 1 ]
finds '^expected: 1 times /exit code/: a number$'
finds '^1 differences that are not expected$'
must "one line of differences" [ "$(grep -c '^/' differs)" = 1 ]
echo 'standard output$' >>expected
"$compare" --expected expected "$cellpipe" other inputs >differs 2>&1
must "it ends with 0 if all are expected" [ $? = 0 ]
finish
