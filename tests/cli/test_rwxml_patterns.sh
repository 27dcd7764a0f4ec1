#!/bin/sh
# test_rwxml_patterns.sh PROGRAM: regular expressions of proximity setups, beside PCRE (grep -xP). Each expression is a rule
# for a frame of its own and all frames of the names below; those that grep finds must be excluded.
. "$(dirname "$0")/check.sh"

cat >expressions <<'EOF'
arm[0-9]
(arm|leg)[0-9]+
arm(_l|_r)?
(?:arm|leg)_[lr]
a(r(m|n))*[[:digit:]]*
[^a].*
.*[_.]l
\w+
\D+
arm\d\d?
\w+\.\w+
[[:upper:]][[:lower:]]*
[[:alpha:]_]+[^[:alpha:]_]
[\d_]+
[\w.]*
[]a-r]+m.
|arm1
(arm1|)
(|a)+rm1
^arm1$
^arm1|leg2$
arm.*?
a+?r+m??.
((((a))))?(rm)+1
[\]^]
\(a\)
a\|b
a-b
[a-]*b
[A-Z]\w*|\d+
EOF
cat >names <<'EOF'
arm
arm1
arm2
arm12
arm_l
arm_r
arm.l
leg1
leg2
leg_l
an
arnm12
armrm1
rm1
rmrm1
Gripper
Grip_1
A
1
42
4_2
(a)
a|b
a-b
]
^
m
EOF
# Expressions made at random, and all names of up to five characters that they may fit.
awk 'function made(deep,  k) {
    k = int(rand() * (deep > 3 ? 4 : 9))
    if (k < 2) return substr("ab", k + 1, 1)
    if (k == 2) return "."
    if (k == 3) return rand() < 0.5 ? "[^a]" : "[ab]"
    if (k == 4) return "(" made(deep + 1) ")" substr("*+?", 1 + int(rand() * 3), 1)
    if (k == 5) return "(" made(deep + 1) "|" made(deep + 1) ")"
    if (k == 6) return "(?:" made(deep + 1) "|)"
    return made(deep + 1) made(deep + 1)
}
BEGIN { srand(7); for (i = 0; i < 300; i++) print made(0) }' >>expressions
awk 'BEGIN { for (n = 1; n <= 5; n++) for (i = 0; i < 2 ^ n; i++) { s = ""; for (k = 0; k < n; k++) s = s (int(i / 2 ^ k) % 2 ? "a" : "b"); print s } }' >>names

# write_cell: the frames, and a rule for each expression.
box='<RPY>0 0 0</RPY><Pos>0 0 0</Pos><Drawable name="g"><Box x="1" y="1" z="1"/></Drawable></Frame>'
write_cell() {
    {
        echo '<WorkCell name="w">'
        sed "s|.*|<Frame name=\"&\" refframe=\"WORLD\">$box|" names
        awk -v box="$box" '{ print "<Frame name=\"rule:" NR "\" refframe=\"WORLD\">" box }' expressions
        echo '<ProximitySetup file="rules.prox.xml"/></WorkCell>'
    } >cell.wc.xml
    {
        echo '<ProximitySetup UseIncludeAll="true" UseExcludeStaticPairs="false">'
        awk '{ print "<Exclude PatternA=\"REGEX" $0 "\" PatternB=\"rule:" NR "\"/>" }' expressions
        echo '</ProximitySetup>'
    } >rules.prox.xml
}
write_cell
ends 0 "" "$cellpipe" info --json cell.wc.xml
sed -n 's/.*{"first": "\([^"]*\)", "second": "\([^"]*\)".*/\1 \2/p' stdout | awk '
    $1 ~ /^rule:/ && $2 ~ /^rule:/ { next } # expressions may fit these names, too
    $1 ~ /^rule:/ { print substr($1, 6), $2; next }
    { print substr($2, 6), $1 }' | LC_ALL=C sort -u >got
number=0
while IFS= read -r expression; do
    number=$((number + 1))
    LC_ALL=C grep -xP -e "$expression" names | sed "s/^/$number /"
done <expressions | LC_ALL=C sort -u >want
must "$(wc -l <expressions) expressions and $(wc -l <names) names" cmp want got
must "many fit" [ "$(wc -l <want)" -gt 3000 ]
diff want got | head -n 5

# What would take a search with a way back all time there is.
printf 'a*a*a*a*a*a*a*a*a*a*a*a*b\n(a|a)*(a|aa)*(aa|a)*b\n(a*)*b\n((a+)+)+b\n(a?a?a?a?a?)*c\n' >expressions
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "a"; print "" }' >names
write_cell
ends 0 "rules of proximity setups that fit no two frames" within 20 "$cellpipe" info cell.wc.xml

# What is not read is told.
for expression in 'a{2}' '(a)\1' '(?=a)a' 'a*+' 'a**' '(a' 'a)' '*a' '[a' '[b-a]' '[a-c-z]' '[[:alpha:]-z]' '[\d-z]' '[[:what:]]' '[[.a.]]' '\' '\b' 'a\' '[\' '[[:]' 'b^' '$b' '(?a)' '{' \
    "$(awk 'BEGIN { for (i = 0; i < 70; i++) printf "("; printf "a"; for (i = 0; i < 70; i++) printf ")" }')"; do
    printf '%s\n' "$expression" >expressions
    write_cell
    ends 0 'rules\.prox\.xml:2: loss: a rule with the regular expression' "$cellpipe" info cell.wc.xml
done
finish
