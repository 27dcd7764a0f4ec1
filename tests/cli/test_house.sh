#!/bin/sh
# test_house.sh PROGRAM: comments are sentences in plain words: of all in the product, at most these shares are not, in
# percent. Lower a bound when fewer are left. tests/tools/house.sh --fragments and --words list those that count.
most_fragments=2
most_with_capital=2
most_words=1
. "$(dirname "$0")/check.sh"
house=$top/tests/tools/house.sh

# row TABLE WHAT: what a table says behind WHAT.
row() {
    sed -n "s/^| $2 | \(.*\) | [^|]* |\$/\1/p" "$1"
}

says() { # row, what it must say
    got=$(row table "$1")
    must "\"$1\" is \"$got\", not \"$2\"" [ "$got" = "$2" ]
}

# A small tree, counted by hand.
mkdir -p planted/docs planted/scene/base planted/scene/mesh planted/importers planted/cli
cat >planted/docs/style.md <<'END'
Words to use: *read*. Words to avoid: *due, stands
for, in turn*.
END
cat >planted/scene/base/text.h <<'END'
/* Texts of all kinds, and how they are read. */
#include "memory.h"
typedef struct {
    int a, *b, c[3]; // of the whole text, from its beginning on
    void (*call)(int one, int two); /* Where a call goes to. */
} cp_text;
struct part { int a; };
END
cat >planted/scene/base/memory.h <<'END'
/* Where the memory of all the texts is, it
 * stands
 * for them. */
#include "text.h"
// Nobody reads this short line.
// In it, nothing is due: two lines are one comment.
int x; // "duely" and "overdue" are other words
END
cat >planted/scene/base/memory.c <<'END'
#include "memory.h"
static const char *text = "/* Of what is in a text nothing counts */ struct part {";
#define MANY struct many { int a; }; \
    struct many { int a; }; \
    struct many { int a; }
struct part { int a; };
struct other { int a; };
static const struct { int a; } other[] = {{1}};
struct part *find(struct part *part) { return (struct part *){part}; }
END
{ # 31 leaves, where a struct within the struct counts by its own
    printf '#include "base/text.h"\n#include "shape.h"\nstruct large {\n'
    seq 1 27 | sed 's/.*/    int a&;/'
    printf '    struct { int u, v; } inner;\n    union { int w; struct { int q; }; };\n};\n'
    printf 'struct nearly {\n%s\n};\n' "$(seq 1 30 | sed 's/.*/    int a&;/')"
} >planted/scene/mesh/mesh.c
echo 'struct large;' >planted/scene/mesh/shape.h
printf '#include "../scene/mesh/shape.h"\nstruct part { int z; };\n' >planted/importers/rig.h
printf '#include "rig.h"\n' >planted/importers/rig.c
printf 'int one;\n' >planted/cli/one.cc

(cd planted && "$house") >table
says 'product lines' "$(cat planted/scene/*/*.* planted/importers/* planted/cli/* | wc -l) in 8 files"
# text.h: "of the whole ..." counts and "Where a call goes to." is too short; memory.h: "Where ..." and no other one.
says 'comments of six words and more that open as fragments' '2 of 5, 40.0 %'
says 'of these, with a capital' '1 of 5, 20.0 %'
says 'comments with words that docs\/style.md avoids' '2 of 6, 33.3 %'
says 'structs of more than 30 fields' '1: large 31'
says 'struct tags that stand in more than one place' 1
says 'of these, with a place in a header; with two or more' '1; 1'
says 'include circle of units' 2
says 'object circle' 'not counted'
says 'headers that a source reaches (median)' 2 # memory.c 2, mesh.c 3, rig.c 2
(cd planted && "$house" --fragments) >listed
must "where fragments are" grep -q '^scene/base/memory.h:1: Where the memory of all the texts is, it stands' listed
printf '#include "nowhere.h"\n' >>planted/cli/one.cc
# shellcheck disable=SC2016
must "an include that is not there fails" sh -c 'cd planted && ! "$1" >stdout 2>&1' sh "$house"

# Objects: three that need each other, one that they need, and one whose source is gone.
if command -v "${CC:-cc}" >/dev/null; then
    objects=planted/build/release/CMakeFiles/cellpipe_scene.dir/scene
    mkdir -p $objects
    echo "int b(void); int d(void); int a(void) { return b() + d(); }" >planted/scene/a.c
    echo "int c(void); int d(void); int b(void) { return c() + d(); }" >planted/scene/b.c
    echo "int a(void); int c(void) { return a(); }" >planted/scene/c.c
    echo "int d(void) { return 0; }" >planted/scene/d.c
    for name in a b c d; do "${CC:-cc}" -c planted/scene/$name.c -o $objects/$name.c.o || exit 1; done
    cp $objects/a.c.o $objects/gone.c.o
    (cd planted && "$house") >table 2>stderr
    says 'object circle' '3 of 4'
fi

# The product.
(cd "$top" && "$house" nowhere) >product
at_most() { # row, bound
    got=$(row product "$1" | sed 's/.*, \([0-9.]*\) %/\1/')
    must "$1: $got %, more than $2" awk -v got="$got" -v most="$2" 'BEGIN { exit !(got != "" && got + 0 <= most + 0) }'
}
at_most 'comments of six words and more that open as fragments' $most_fragments
at_most 'of these, with a capital' $most_with_capital
at_most 'comments with words that docs\/style.md avoids' $most_words
finish
