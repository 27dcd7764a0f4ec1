#!/bin/sh
# test_users.sh PROGRAM: the command users, on a terminal and without one: what it asks for, what it writes, and that no
# user gets lost, whoever changes the file at the same time or is killed.
. "$(dirname "$0")/check.sh"
terminal=$(dirname "$cellpipe")/tests/terminal
umask 022
return=$(printf '\r')

# has FILE LINE...: the lines of a file, whose hashes are left out.
has() {
    file=$1
    shift
    got=$(sed 's/:[^:]*$//' "$file" | tr '\n' ' ')
    must "$file has \"$got\", not \"$*\"" [ "$got" = "${*:+$* }" ]
}
mode() {
    must "the mode of $1 is $(stat -c %a "$1")" [ "$(stat -c %a "$1")" = 600 ]
}
# matches FILE NAME PASSWORD: as libcrypt says it, by another program.
matches() {
    HASH=$(sed -n "s/^$2:[a-z]*://p" "$1") PASSWORD=$3 perl -e 'exit(crypt($ENV{PASSWORD}, $ENV{HASH}) ne $ENV{HASH})'
}

# ---- the password from standard input ----

echo 'correct horse' >first
printf 'battery staple' >second # the last line needs no end
ends 0 '' "$cellpipe" users u add tina teacher <first
has u tina:teacher
mode u
must "only the file is there" [ "$(find . -name 'u*')" = ./u ]
must "its hash is yescrypt of cost 7" grep -q '^tina:teacher:\$y\$jBT\$[./0-9A-Za-z]*\$[./0-9A-Za-z]\{43\}$' u
ends 0 '' "$cellpipe" users u add otto operator <second
ends 0 '' "$cellpipe" users u add 'Anna B. "<b>"' viewer <first
has u tina:teacher otto:operator 'Anna B. "<b>":viewer'
must "tina's password" matches u tina 'correct horse'
must "otto's password" matches u otto 'battery staple'
must "two hashes of a password differ" [ "$(cut -d: -f3 u | sort -u | wc -l)" = 3 ]
ends 0 '' "$cellpipe" users u list
must "the list" [ "$(cat stdout)" = "$(printf 'teacher  tina\noperator otto\nviewer   Anna B. "<b>"')" ]
must "the list has no hash" sh -c '! grep -q "[$]" stdout'
ends 0 '' "$cellpipe" users u passwd tina <second
has u tina:teacher otto:operator 'Anna B. "<b>":viewer'
must "tina's new password" matches u tina 'battery staple'
must "the old one is gone" sh -c '! HASH=$(sed -n "s/^tina:teacher://p" u) perl -e "exit(crypt(\"correct horse\", \$ENV{HASH}) ne \$ENV{HASH})"'
# Of a pipe no byte behind the line is taken.
{ "$cellpipe" users u passwd otto && "$cellpipe" users u passwd tina && cat; } >rest <<'END'
otto has another one
t: pass:wörd $y$ "'
the rest
END
must "the first line" matches u otto 'otto has another one'
must "the second line" matches u tina "t: pass:wörd \$y\$ \"'"
must "what is left" [ "$(cat rest)" = 'the rest' ]
ends 0 '' "$cellpipe" users u remove 'Anna B. "<b>"'
has u tina:teacher otto:operator
# Another role; the password stays.
cp u before
ends 0 '' "$cellpipe" users u role otto viewer </dev/null
has u tina:teacher otto:viewer
mode u
ends 0 '' "$cellpipe" users u role otto operator
must "the hashes are the same" cmp -s u before
printf '\342\200\256evil:viewer:%s\n' "$(sed -n 's/^tina:teacher://p' u)" >shown
chmod 600 shown
"$cellpipe" users shown list >stdout
must "a name turns no text around" [ "$(cat stdout)" = 'viewer   \u202eevil' ]

# ---- what is refused: the file stays, and no message has a secret ----

cp u kept
refused() { # CODE EXPRESSION WORDS...; the password in `in`
    ends "$@" <in
    cmp -s u kept || fail "the file has changed: $*"
    ! grep -q 'hunter22\|jBT' stderr stdout || fail "a secret is told: $*"
}
echo 'hunter22 hunter22' >in
refused 2 'users needs a file and an action' "$cellpipe" users
refused 2 'users needs a file and an action' "$cellpipe" users u
refused 2 'unknown action "show"; users has list, add, passwd, role and remove' "$cellpipe" users u show
refused 2 'add needs a name and a role: viewer, operator or teacher' "$cellpipe" users u add
refused 2 'add needs a name and a role' "$cellpipe" users u add anna
refused 2 'passwd needs a name' "$cellpipe" users u passwd
refused 2 'remove needs a name' "$cellpipe" users u remove
refused 2 'unknown role "boss"; roles are viewer, operator and teacher' "$cellpipe" users u add anna boss
refused 2 'unknown role "guest"' "$cellpipe" users u add anna guest
refused 2 'role needs a name and a role: viewer, operator or teacher' "$cellpipe" users u role tina
refused 2 'unknown role "boss"; roles are viewer, operator and teacher' "$cellpipe" users u role tina boss
refused 2 'u: .*there is no user "anna"' "$cellpipe" users u role anna viewer
refused 2 'role has a word too many: "x"' "$cellpipe" users u role tina viewer x
refused 2 'u: .*there is a user "tina" already; passwd changes' "$cellpipe" users u add tina viewer
refused 2 'u: .*there is no user "anna"' "$cellpipe" users u passwd anna
refused 2 'u: .*there is no user "anna"' "$cellpipe" users u remove anna
refused 2 'a name is empty' "$cellpipe" users u add '' viewer
refused 2 'a name has a colon' "$cellpipe" users u add an:na viewer
refused 2 'a name has a control character' "$cellpipe" users u add "$(printf 'an\033na')" viewer
refused 2 'a name is not UTF-8' "$cellpipe" users u add "$(printf 'an\377na')" viewer
refused 2 'begins or ends with a blank' "$cellpipe" users u add 'anna ' viewer
refused 2 'more than 64 bytes' "$cellpipe" users u add "$(printf '%065d' 0)" viewer
# A password is no word of a command line.
refused 2 'add has a word too many; a password is never one, since' "$cellpipe" users u add anna viewer hunter22
refused 2 'passwd has a word too many; a password is never one, since' "$cellpipe" users u passwd tina hunter22
refused 2 'password is asked for on the terminal, or is the first line' "$cellpipe" users u passwd tina --password=hunter22
refused 2 'list has a word too many: "tina"' "$cellpipe" users u list tina
refused 2 'remove has a word too many: "otto"' "$cellpipe" users u remove tina otto
for action in 'add anna viewer' 'passwd tina'; do
    : >in
    refused 2 'there is no password' "$cellpipe" users u $action
    echo >in
    refused 2 'at least 8 characters' "$cellpipe" users u $action
    printf '1234567\n890\n' >in
    refused 2 'at least 8 characters' "$cellpipe" users u $action
    printf '12345678\r\n' >in
    refused 2 'no control characters, such as the carriage return' "$cellpipe" users u $action
    printf '1234567\0008\n' >in
    refused 2 'no control characters' "$cellpipe" users u $action
    printf '12345678\377\n' >in
    refused 2 'a password is UTF-8' "$cellpipe" users u $action
    printf '%0512d\n' 0 >in
    refused 2 'at most 511 bytes' "$cellpipe" users u $action
done
ends 2 'a password cannot be read' sh -c '"$1" users u passwd tina <&-' sh "$cellpipe"
ends 3 'none: .*cannot be opened: No such file' "$cellpipe" users none list
ends 3 'none: .*cannot be opened: No such file' "$cellpipe" users none remove tina
ends 4 'none/u: .*No such file' "$cellpipe" users none/u add anna viewer <first
ends 3 'no regular file' "$cellpipe" users . list
must "nothing was made" [ ! -e none ]
chmod 640 u
for action in list 'add anna viewer' 'passwd tina' 'role tina viewer' 'remove tina'; do
    echo 'hunter22 hunter22' >in
    refused 3 'u: .*others may use it \(mode 640\), and it holds secrets: chmod 600' "$cellpipe" users u $action
done
chmod 600 u
{ cat u; echo 'anna:viewer:secret'; } >broken
chmod 600 broken
ends 3 '^broken:3: .*is no hash as "cellpipe users" makes it' "$cellpipe" users broken add bert viewer <first
{ sed 's/tina:/bert:/' u; cat u; } >broken
ends 3 '^broken:4: .*the user "otto" stands in line 2 already' "$cellpipe" users broken list
# A report has the reason, and no secret.
ends 2 'a word too many' "$cellpipe" users u passwd tina hunter22 --report r.json
must "the report" grep -q 'a word too many' r.json
must "no secret in the report" sh -c '! grep -q hunter22 r.json'
: >in
while read -r code words; do
    # shellcheck disable=SC2086 # words
    "$cellpipe" users $words --report r.json <in >stdout 2>stderr
    must "the code $code of $words" grep -q "\"code\": $code" r.json
done <<'END'
"users-word" u add
"users-role" u add anna boss
"users-name" u add an:na viewer
"users-known" u add tina viewer
"users-unknown" u remove anna
"users-password" u passwd tina
"users-open" none list
"users-file" . list
END
ends 2 'the command names that file too' "$cellpipe" users u list --report u
# A link is followed, and stays.
mkdir far
ln -s far/users near
ends 3 'near: .*cannot be opened: No such file' "$cellpipe" users near add anna viewer <first
cp u far/users
ends 0 '' "$cellpipe" users near add anna viewer <first
must "the link" [ -h near ]
has far/users tina:teacher otto:operator anna:viewer
mode far/users
# What is left of a process that was killed is no hindrance.
(umask 077 && echo 'tina:teac' >u.lock)
cp u v && cp u.lock v.lock && chmod 600 v.lock
ends 0 '' "$cellpipe" users v remove otto
has v tina:teacher
must "it is cleared up" [ ! -e v.lock ]
rm u.lock

# ---- the terminal ----

on_terminal() { # STEP... -- WORDS...
    "$terminal" "$@" >screen 2>"$work/stderr"
}
ctrl_c=$(printf '\003') ctrl_d=$(printf '\004') ctrl_z=$(printf '\032')
rm u && cp v u && mode u
typed="types:a password typed$return"
must "a password is typed twice" on_terminal 'sees:New password: ' echo:off "$typed" 'sees:Again: ' "$typed" ends:0 echo:on \
    -- "$cellpipe" users u add anna operator
has u tina:teacher anna:operator
must "it is anna's" matches u anna 'a password typed'
must "nobody sees it" [ "$(tr -d '\r' <screen)" = "$(printf 'New password: \nAgain: ')" ]
# It is the terminal that is asked, wherever the answers and messages go.
must "answers elsewhere" on_terminal 'sees:New password: ' "$typed" 'sees:Again: ' "$typed" ends:0 \
    -- sh -c '"$@" >answers 2>messages' sh "$cellpipe" users u passwd anna
must "nothing elsewhere" [ ! -s answers ]
must "no messages elsewhere" [ ! -s messages ]
cp u kept
must "two that differ" on_terminal 'sees:New password: ' "$typed" 'sees:Again: ' "types:a password typad$return" \
    'sees:error: the two passwords differ' ends:2 echo:on -- "$cellpipe" users u passwd anna
must "one that is longer" on_terminal 'sees:New password: ' "$typed" 'sees:Again: ' "types:a password typed!$return" \
    'sees:differ' ends:2 echo:on -- "$cellpipe" users u passwd anna
must "one that is shorter" on_terminal 'sees:New password: ' "$typed" 'sees:Again: ' "types:a password type$return" \
    'sees:differ' ends:2 echo:on -- "$cellpipe" users u passwd anna
must "a short one is asked for once" on_terminal 'sees:New password: ' "types:short$return" 'sees:at least 8 characters' \
    ends:2 echo:on -- "$cellpipe" users u passwd anna
must "asked once" sh -c '! grep -q Again screen'
must "the end of the input" on_terminal 'sees:New password: ' "types:$ctrl_d" 'sees:there is no password' ends:2 echo:on \
    -- "$cellpipe" users u passwd anna
must "an unknown name is told before" on_terminal 'sees:there is no user' ends:2 -- "$cellpipe" users u passwd nobody
must "Ctrl-C" on_terminal 'sees:New password: ' echo:off "types:half a$ctrl_c" ends:130 echo:on -- "$cellpipe" users u passwd anna
must "Ctrl-C at the second" on_terminal 'sees:New password: ' "$typed" 'sees:Again: ' echo:off "types:$ctrl_c" ends:130 \
    echo:on -- "$cellpipe" users u passwd anna
for signal in 'INT 130' 'TERM 143' 'HUP 129' 'QUIT 131' 'ALRM 142'; do
    must "SIG${signal% *}" on_terminal 'sees:New password: ' echo:off "gets:${signal% *}" "ends:${signal#* }" echo:on \
        -- sh -c 'ulimit -c 0; exec "$@"' sh "$cellpipe" users u passwd anna
done
must "nothing has changed" cmp -s u kept
must "Ctrl-Z" on_terminal 'sees:New password: ' echo:off "types:$ctrl_z" stops goes-on 'sees:New password: ' echo:off \
    "types:another password$return" 'sees:Again: ' echo:off "types:$ctrl_z" stops goes-on 'sees:New password: ' \
    "types:another password$return" 'sees:Again: ' "types:another password$return" ends:0 echo:on \
    -- "$cellpipe" users u passwd anna
must "after all stops" matches u anna 'another password'
# A terminal without echo stays without.
must "it stays as it was" on_terminal 'sees:New password: ' "$typed" 'sees:Again: ' "$typed" 'sees:ended' echo:off ends:0 \
    -- sh -c 'stty -echo; "$@"; stty -a | grep -q "[-]echo " && echo ended' sh "$cellpipe" users u passwd anna

# ---- at the same time ----

rm -f many
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$cellpipe" users many add "user $i" viewer <first 2>>messages &
done
wait
must "no messages" [ ! -s messages ]
must "all 20 are there" [ "$(cut -d: -f1 many | sort | tr '\n' ,)" = "$(seq 20 | sed 's/^/user /' | sort | tr '\n' ,)" ]
mode many
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
    "$cellpipe" users many remove "user $i" 2>>messages &
done
wait
must "no messages of remove" [ ! -s messages ]
has many 'user 20:viewer'
must "and no other file" [ "$(find . -name 'many*')" = ./many ]

# Some are killed at any moment: whatever has ended well is there, and the file is whole.
rm -f many well
started=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    "$cellpipe" users many add "user $i" viewer <first 2>>messages &
    started="$started $!"
done
i=0
for child in $started; do
    i=$((i + 1))
    [ $i -gt 8 ] || { sleep "0.0$i"; kill -9 "$child" 2>/dev/null; }
done
i=0
for child in $started; do
    i=$((i + 1))
    wait "$child" 2>/dev/null && echo "user $i" >>well
done
ends 0 '' "$cellpipe" users many list
"$cellpipe" users many list | sed 's/^viewer   //' | sort >listed
sort -o well well
must "whoever was told so is there" [ -z "$(comm -23 well listed)" ]
must "half of them were left alone" [ "$(wc -l <well)" -ge 8 ]
ends 0 '' "$cellpipe" users many add last teacher <first
must "and no other file after that" [ "$(find . -name 'many*')" = ./many ]
mode many
finish
