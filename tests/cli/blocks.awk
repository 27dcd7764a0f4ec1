# blocks.awk: the code blocks of pages. A block is indented by four blanks, or stands between ``` lines. The line before
# it may say what it is:
#   <!-- cellpipe ARGUMENTS -->  what the program prints, up to <!-- /cellpipe -->: test_docs.sh makes it
#   <!-- file NAME -->           a file, which is written to the folder `out`
#   <!-- session [in FOLDER] --> commands behind `$ ` and what they print, each written to out/session-N[-FOLDER]
#   <!-- messages -->            messages of bad inputs, written to out/messages-of-cases: tests/cases expects them
#   <!-- members [of KIND] -->   JSON with notes beside it, or attributes: its words are those of the reader and the
#                                writer of glTF, or of that kind
#   <!-- C [with PARAMETERS] --> statements of C, written to out/statements-N.c, in a function of these parameters
#   <!-- notation -->            grammars, formulas, other languages: nothing of it is run
# A block without such a line, and one behind ```c FILE, is made of commands; those of the program are written to
# out/commands, a line each. What does not fit is printed.
function finish() {
    if (kind == "file")
        save(out "/" name)
    else if (kind == "session")
        save_commands()
    else if (kind == "C")
        save_statements()
    else if (kind == "messages")
        save_messages()
    else if (kind == "lines")
        find_lines()
    else if (kind == "members")
        find_members()
    else if (kind == "")
        find_commands()
    kind = ""
    count = 0
}
function save(path,   i) {
    for (i = 1; i <= count; i++)
        print lines[i] >path
    close(path)
}
function save_commands(   i, path) {
    for (i = 1; i <= count; i++) {
        if (lines[i] ~ /^\$ /)
            path = sprintf("%s/session-%03d%s", out, ++sessions, name == "session" ? "" : "-" name)
        print lines[i] >path
    }
    close(path)
}
function save_statements(   i, path, parameters) {
    path = out "/statements-" ++statements ".c"
    parameters = line_of_kind
    if (sub(/^<!-- C with /, "", parameters) && sub(/ -->$/, "", parameters))
        print "void statements(" parameters ")" >path
    else
        print "void statements(void)" >path
    print "{" >path
    for (i = 1; i <= count; i++)
        print lines[i] >path
    print "}" >path
    close(path)
}
function save_messages(   i) {
    for (i = 1; i <= count; i++)
        print lines[i] >(out "/messages-of-cases")
}
# Without comments, and with single blanks.
function plain(text) {
    gsub(/[ \t]*(!|\/\*).*$/, "", text)
    gsub(/[ \t]+/, " ", text)
    gsub(/^ | $/, "", text)
    return text
}
function find_lines(   text, i, present, wanted, cut, found) {
    while ((getline text <name) > 0)
        present[plain(text)] = 1
    close(name)
    for (i = 1; i <= count; i++) {
        wanted = plain(lines[i])
        cut = sub(/ ?\.\.\.$/, "", wanted)
        found = wanted == "" || wanted in present
        if (cut)
            for (text in present)
                found = found || index(text, wanted) == 1
        if (!found)
            print FILENAME ":" start ": " name " has no line: " lines[i]
    }
}
function find_members(   i, rest, word) {
    for (i = 1; i <= count; i++)
        for (rest = lines[i]; match(rest, /"[a-z_0-9]+":|[a-z_]+="/); rest = substr(rest, RSTART + RLENGTH)) {
            word = substr(rest, RSTART, RLENGTH)
            gsub(/[":=]/, "", word)
            word = (name == "members" ? "gltf" : name) " " word
            if (!(word in members))
                members[word] = FILENAME ":" start
        }
}
function find_commands(   i, command, known) {
    for (i = 1; i <= count; i++) {
        command = lines[i]
        while (command ~ /\\$/ && i < count)
            command = substr(command, 1, length(command) - 1) lines[++i]
        sub(/^build\/release\/cellpipe /, "cellpipe ", command)
        if (command ~ /^cellpipe /)
            print command >(out "/commands")
        else if (command !~ others && command != "")
            print FILENAME ":" start ": neither a command nor in a block that says what it is: " command
    }
}
BEGIN {
    others = "^(UPDATE=1 )?(\\./bootstrap|build/release/|tests/|contrib/|cmake |ctest |cc |find |find_package" \
             "|make_shape=|\\$make_shape |for |awk |seq |rclone |target_link_libraries|time cellpipe |time_collide )"
}
FNR == 1 { skipping = fenced = inside = 0; free = 1 }
/^<!-- (cellpipe|bench)/ { skipping = 1 }
/^<!-- \/(cellpipe|bench)/ { skipping = 0; free = 1; next }
skipping { next }
fenced && /^```/ { fenced = 0; finish(); free = 1; next }
fenced { lines[++count] = $0; next }
inside && /^(    |$)/ { lines[++count] = substr($0, 5); next }
inside { inside = 0; while (count && lines[count] == "") count--; finish() }
/^```c / { kind = "notation" }
/^```/ { fenced = 1; start = FNR; next }
/^    / && free { inside = 1; start = FNR; lines[++count] = substr($0, 5); next }
/^<!-- (file|lines of|session|messages|members|C|notation)/ {
    line_of_kind = $0
    kind = $2
    name = $(NF - 1)
    free = 1
    next
}
{ free = $0 == "" }
END {
    if (inside)
        finish()
    for (word in members)
        print members[word], word >(out "/members")
}
