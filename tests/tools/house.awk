# house.awk: what house.sh counts, in one pass over the sources. It takes:
#   avoided     words to avoid, with commas between
#   list        what to list in place of the table: fragments, words, structs, tags, circles or headers; or nothing
#   symbols     a file of `nm -P -A` lines, or nothing
#   seen        the folders in which quoted includes are looked up behind the file's own, with blanks between
# The files are arguments. Comments and texts are taken out first, so that neither looks like code.

BEGIN {
    openings = " of until where whether what as since from in without with so those nor or than among behind beyond " \
               "for by to "
    avoided_count = split(tolower(avoided), avoided_words, / *, */)
    folder_count = split(seen, folders, " ")
    for (i = 1; i < ARGC; i++)
        is_source[ARGV[i]] = 1
}

FNR == 1 { start_file() }
{ lines++; take_line($0) }
END {
    end_comment()
    for (file in is_source)
        link_includes(file)
    if (symbols != "")
        read_symbols()
    print_results()
}

function start_file() {
    end_comment()
    in_block = in_directive = depth = unnamed = 0
    paren[0] = has_words[0] = is_typedef[0] = 0
    kind_before = tag_before = ""
    files++
}

# ---- comments, texts and code ----

# Parts a line into comments and code. A quoted include is taken before its name is dropped as a text.
function take_line(rest,    code, at_start, token) {
    at_start = 1
    if (!in_block && match(rest, /^[ \t]*#[ \t]*include[ \t]*"[^"]*"/)) {
        token = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        gsub(/^[^"]*"|"$/, "", token)
        includes[FILENAME] = includes[FILENAME] " " token
    }
    while (rest != "") {
        if (in_block) {
            if (!(token = index(rest, "*/"))) { add_comment(rest); break }
            add_comment(substr(rest, 1, token - 1))
            end_comment()
            in_block = 0
            rest = substr(rest, token + 2)
        } else if (match(rest, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|\/\//)) {
            code = code substr(rest, 1, RSTART - 1)
            token = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            if (code !~ /^[ \t]*$/) at_start = 0
            if (token == "/*") {
                end_comment()
                start_comment()
                in_block = 1
            } else if (token == "//") {
                # Lines of // that follow each other, with no code before them, are one comment.
                if (!(at_start && comment_line && last_slashes == FNR - 1)) { end_comment(); start_comment() }
                last_slashes = at_start ? FNR : 0
                add_comment(rest)
                rest = ""
            } else
                code = code " \"\" "
        } else {
            code = code rest
            rest = ""
        }
    }
    take_code(code)
}

function start_comment() {
    comment_line = FNR
    comment_file = FILENAME
    comment = ""
}

function add_comment(text) {
    sub(/^[ \t]*\**[ \t]*/, "", text)
    sub(/[ \t*]+$/, "", text)
    comment = comment (comment == "" || text == "" ? "" : " ") text
}

function end_comment(    words, count, i, n, first, place, plain) {
    if (!comment_line) return
    place = comment_file ":" comment_line ": "
    comment_line = last_slashes = 0
    n = split(comment, words, /[ \t]+/)
    for (i = 1; i <= n; i++)
        count += words[i] ~ /[A-Za-z0-9]/
    if (count == 0) return
    comments++
    plain = tolower(comment)
    gsub(/[^a-z0-9']+/, " ", plain)
    plain = " " plain " "
    for (i = 1; i <= avoided_count; i++)
        if (index(plain, " " avoided_words[i] " ")) {
            with_avoided++
            list_line("words", place "\"" avoided_words[i] "\" in: " comment)
            break
        }
    if (count < 6) return
    long_comments++
    first = words[1]
    gsub(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/, "", first)
    if (first != "" && index(openings, " " tolower(first) " ")) {
        fragments++
        with_capital += first ~ /^[A-Z]/
        list_line("fragments", place comment)
    }
}

# ---- structs ----

# A struct's fields are its declarators. Those of a struct within it count in its place.
function take_code(code,    token) {
    if (in_directive || code ~ /^[ \t]*#/) {
        in_directive = code ~ /\\$/
        return
    }
    while (match(code, /[A-Za-z_][A-Za-z_0-9]*|[][(){};,]/)) {
        token = substr(code, RSTART, RLENGTH)
        code = substr(code, RSTART + RLENGTH)
        if (token == "{") open_brace()
        else if (token == "}") close_brace()
        else if (token == "(" || token == "[") { paren[depth]++; kind_before = "" }
        else if (token == ")" || token == "]") { paren[depth]--; kind_before = "" }
        else if (token == ";") { if (!paren[depth]) end_declaration(); kind_before = ""; unnamed = 0 }
        else if (token == ",") { if (!paren[depth]) commas[depth]++; kind_before = "" }
        else take_word(token)
    }
}

function take_word(word) {
    has_words[depth] = 1
    if (word == "typedef") is_typedef[depth] = 1
    if (unnamed) { add_struct(is_typedef[depth] ? word : "", fields[depth + 1], unnamed_place); unnamed = 0 }
    if (word == "struct" || word == "union" || word == "enum") { kind_before = word; tag_before = "" }
    else if (kind_before != "" && tag_before == "") tag_before = word
    else kind_before = ""
}

function open_brace() {
    depth++
    kind[depth] = kind_before
    tag[depth] = kind_before == "" ? "" : tag_before
    place_of[depth] = FILENAME ":" FNR
    fields[depth] = commas[depth] = inner[depth] = paren[depth] = 0
    has_words[depth] = has_inner[depth] = is_typedef[depth] = 0
    kind_before = ""
    unnamed = 0
}

function close_brace(    is_struct) {
    if (!depth) { print FILENAME ":" FNR ": a } without its {" >"/dev/stderr"; broken = 1; return }
    is_struct = kind[depth] == "struct" || kind[depth] == "union"
    if (is_struct && tag[depth] != "") add_struct(tag[depth], fields[depth], place_of[depth])
    # Without a tag it has the name of its type, which follows; within a struct it is no struct of its own.
    unnamed = is_struct && tag[depth] == "" && kind[depth - 1] != "struct" && kind[depth - 1] != "union"
    unnamed_place = place_of[depth]
    depth--
    if (is_struct) { inner[depth] += fields[depth + 1]; has_inner[depth] = 1 }
    kind_before = ""
}

function end_declaration() {
    if (has_inner[depth]) fields[depth] += inner[depth]
    else if (has_words[depth]) fields[depth] += 1 + commas[depth]
    has_words[depth] = commas[depth] = inner[depth] = has_inner[depth] = is_typedef[depth] = 0
}

function add_struct(name, count, place) {
    if (count > 30) {
        large++
        large_names = large_names ", " name " " count
        list_line("structs", place ": " name " has " count " fields")
    }
    if (name == "") return
    places[name] = places[name] " " place
    times[name]++
    if (place ~ /\.h:/) times_in_headers[name]++
}

# ---- includes ----

function resolve(file, name,    folder, i, path) {
    folder = file
    if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
    path = plain_path(folder "/" name)
    for (i = 1; !(path in is_source) && i <= folder_count; i++)
        path = plain_path(folders[i] "/" name)
    if (path in is_source) return path
    print file ": includes \"" name "\", which is not there" >"/dev/stderr"
    broken = 1
    return ""
}

function plain_path(path) {
    while (sub(/^\.\//, "", path) || sub(/\/\.\//, "/", path)) ;
    while (sub(/[^\/.]+[^\/]*\/\.\.\//, "", path)) ;
    return path
}

function unit(file) {
    sub(/\.[a-z]*$/, "", file)
    return file
}

function link_includes(file,    names, n, i, path) {
    n = split(includes[file], names, " ")
    for (i = 1; i <= n; i++)
        if ((path = resolve(file, names[i])) != "") {
            reached[file] = reached[file] " " path
            edges["unit", unit(file)] = edges["unit", unit(file)] " " unit(path)
            nodes["unit", unit(file)] = nodes["unit", unit(path)] = 1
        }
}

# Headers that a source includes, and those that they include.
function headers_of(source,    queue, head, tail, known, names, n, i) {
    split("", known)
    known[source] = 1
    queue[head = tail = 1] = source
    for (; head <= tail; head++) {
        n = split(reached[queue[head]], names, " ")
        for (i = 1; i <= n; i++)
            if (!(names[i] in known)) { known[names[i]] = 1; queue[++tail] = names[i] }
    }
    return tail - 1
}

# The counts are small numbers, so it counts how often each of them comes.
function median_of_headers(    file, count, often, most, sources, sum, i) {
    for (file in is_source)
        if (file ~ /\.c$/) {
            often[count = headers_of(file)]++
            sources++
            if (count > most) most = count
            list_line("headers", count " " file)
        }
    for (i = 0; i <= most; i++)
        if ((sum += often[i]) >= (sources + 1) / 2) return i
    return 0
}

# ---- objects ----

function read_symbols(    line, words, object, n, i, needs, of, count, from) {
    while ((getline line <symbols) > 0) {
        split(line, words, " ")
        object = words[1]
        sub(/:$/, "", object)
        sub(/^.*\.dir\//, "", object)
        sub(/\.o$/, "", object)
        # A build keeps objects of files that have moved.
        if (!(object in is_source)) continue
        if (!(("object", object) in nodes)) { nodes["object", object] = 1; objects++ }
        if (words[3] ~ /^[TDBRVWC]$/) definer[words[2]] = object
        else if (words[3] == "U") { needs[++count] = words[2]; from[count] = object }
    }
    for (i = 1; i <= count; i++)
        if ((of = definer[needs[i]]) != "" && of != from[i])
            edges["object", from[i]] = edges["object", from[i]] " " of
}

# ---- circles ----

# Tarjan: the largest set of nodes of a kind in which each leads to every other; 0 if none leads back to another.
function largest_circle(of,    key, parts) {
    largest = 0
    for (key in nodes) {
        split(key, parts, SUBSEP)
        if (parts[1] == of && !(key in number)) visit(of, parts[2])
    }
    return largest
}

function visit(of, node,    others, n, i, size, list_of, other) {
    number[of, node] = low[of, node] = ++counter
    stack[++top] = node
    on_stack[of, node] = 1
    n = split(edges[of, node], others, " ")
    for (i = 1; i <= n; i++) {
        other = others[i]
        if (!((of, other) in number)) {
            visit(of, other)
            if (low[of, other] < low[of, node]) low[of, node] = low[of, other]
        } else if (((of, other) in on_stack) && number[of, other] < low[of, node])
            low[of, node] = number[of, other]
    }
    if (low[of, node] != number[of, node]) return
    do {
        other = stack[top--]
        delete on_stack[of, other]
        size++
        list_of = list_of " " other
    } while (other != node)
    if (size > 1) list_line("circles", of " circle of " size ":" list_of)
    if (size > 1 && size > largest) largest = size
}

# ---- results ----

function list_line(what, line) {
    if (list == what) print line
}

function share(part, whole) {
    return sprintf("%d of %d, %.1f %%", part, whole, whole ? 100 * part / whole : 0)
}

function row(what, now, wanted) {
    if (list == "") printf "| %s | %s | %s |\n", what, now, wanted
}

function print_results(    name, twice, with_header, in_headers, include_circle, object_circle) {
    for (name in times)
        if (times[name] > 1) {
            twice++
            with_header += times_in_headers[name] > 0
            in_headers += times_in_headers[name] > 1
            list_line("tags", name ": " times[name] " times:" places[name])
        }
    include_circle = largest_circle("unit")
    object_circle = symbols == "" ? "not counted" : largest_circle("object") " of " objects
    row("measure", "now", "wanted")
    row("---", "---", "---")
    row("product lines", lines " in " files " files", "fewer")
    row("comments of six words and more that open as fragments", share(fragments, long_comments), "at most 2 %")
    row("of these, with a capital", share(with_capital, long_comments), "at most 2 %")
    row("comments with words that docs/style.md avoids", share(with_avoided, comments), "at most 1 %")
    row("structs of more than 30 fields", large + 0 (large ? ": " substr(large_names, 3) : ""), "2")
    row("struct tags that stand in more than one place", twice + 0, "few")
    row("of these, with a place in a header; with two or more", with_header + 0 "; " in_headers + 0, "0; 0")
    row("include circle of units", include_circle, "0")
    row("object circle", object_circle, "at most 5")
    row("headers that a source reaches (median)", median_of_headers(), "at most 8")
    exit broken
}
