# Editors and tools of the user's, in a folder whose path has a space in it.
mkdir 'a folder' bin
export PATH="$PWD/bin:$PATH" here="$PWD"
cat >lib <<'EOX'
# program NAME: makes it of the lines on standard input.
program() {
  { echo '#!/bin/sh' && cat; } >"$here/bin/$1"
  chmod +x "$here/bin/$1"
}
# split ID: a record in conflict, in which /a and /deep/x clash and the others merge.
split() {
  sea -C "$here/a folder" put -q "{\"_id\":\"$1\",\"_type\":\"t\",\"a\":0,\"deep\":{\"x\":0,\"y\":0},\"c\":0}"
  sea -C "$here/a folder" sync -q
  sea -C "$here/b" sync -q
  sea -C "$here/a folder" put -q "{\"_id\":\"$1\",\"_type\":\"t\",\"a\":1,\"deep\":{\"x\":1,\"y\":1},\"c\":0}"
  sea -C "$here/b" put -q "{\"_id\":\"$1\",\"_type\":\"t\",\"a\":2,\"deep\":{\"x\":2,\"y\":0},\"c\":2}"
  sea -C "$here/b" sync -q
  sea -C "$here/a folder" sync -q
  [ "$(sea -C "$here/a folder" conflicts --count "$1")" = 1 ]
}
# The only text that was kept is put away.
kept() {
  ls .sea/tmp/*.json >../kept
  [ "$(wc -l <../kept)" = 1 ]
  mv "$(cat ../kept)" ../text
}
nothing() { [ -z "$(ls .sea/tmp)" ]; }
cd "$here/a folder"
EOX

t 'two databases' <<'EOT'
sea init -q --name=a 'a folder'
sea -C 'a folder' add-container -q --create hub ../hub.sea
sea -C 'a folder' sync -q
sea clone -q --name=b hub.sea b
EOT

t 'the editor gets the merge, and what clashes stands as a choice' <<'EOT'
. ./lib
split e
program show <<'EOX'
for last; do :; done
cat "$last" >../seen
stat -c %a "$last" >../mode
printf '%s\n' "$#" "$1" >../words
EOX
before=$(sea log --format='%(block)' -1)
EDITOR='show "an option"' status 3 sea resolve --edit e
says err 'error[conflict]: e: unresolved conflicts in /a, /deep/x'
says err 'hint: replace each $clash with a value'
printf '600\n' | same ../mode
printf '2\nan option\n' | same ../words
[ "$(jq -c '[._id, ._type, .c, .deep.y, .a["$clash"].base, .deep.x["$clash"].base]' ../seen)" = '["e","t",2,1,0,0]' ]
[ "$(jq -c '.a["$clash"] | to_entries | map(.value)' ../seen)" = "$(jq -c '.deep.x["$clash"] | to_entries | map(.value)' ../seen)" ]
mine=$(sea rev-parse --short e@ours)
[ "$(jq ".a[\"\$clash\"][\"$mine\"]" ../seen)" = 1 ]
[ "$(sea log --format='%(block)' -1)" = "$before" ]
nothing
EDITOR='show x' status 3 sea resolve --edit --pick=/a=max e
says err 'unresolved conflicts in /deep/x'
[ "$(jq .a ../seen)" = 2 ]
EOT

t 'which editor' <<'EOT'
. ./lib
for name in one two three vi; do program $name <<EOX
echo $name >../which
EOX
done
which() { printf '%s\n' "$1" | same ../which; }
SEA_EDITOR=one VISUAL=two EDITOR=three status $CONFLICT sea resolve --edit e
which one
SEA_EDITOR= VISUAL=two EDITOR=three status $CONFLICT sea resolve --edit e
which two
EDITOR=three status $CONFLICT sea --no-input resolve --edit e
which three
rm ../which
status $USAGE sea resolve --edit e
says err "cannot start 'vi': no terminal"
EDITOR='/usr/bin/vim -f' status 2 sea resolve --edit e
[ ! -e ../which ]
status $CONFLICT /usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- sea resolve --edit e
which vi
EDITOR=false status $REFUSED sea resolve --edit e
says err "'false' failed with status 1"
nothing
EOT

t 'the edited merge is written' <<'EOT'
. ./lib
program choose <<'EOX'
jq '.a = 7 | .deep.x = 8 | .new = "n" | del(.c)' <"$1" >"$1.new"
mv "$1.new" "$1"
EOX
EDITOR=choose status 0 sea resolve -n --edit e
says out 'would write e'
EDITOR=choose status 0 sea resolve --edit --set=z:=1 e
[ "$(sea get e --json | jq -c '[._type, .a, .deep.x, .deep.y, .new, .c, .z, ._conflicts]')" = '["t",7,8,1,"n",null,1,null]' ]
nothing
split m1
split m2
EDITOR=choose status 0 sea resolve --edit --all
[ "$(cut -f2 out | tr '\n' ' ')" = 'm1 m2 ' ]
EOT

t 'a text that cannot be read is kept' <<'EOT'
. ./lib
split k
program spoil <<'EOX'
sed 's/"_type"/oops/' <"$1" >"$1.new"
mv "$1.new" "$1"
EOX
EDITOR=spoil status $BAD_DATA sea resolve --edit k
says err '.json:3:3: unexpected character: o'
says err 'to use your text, correct it and add --with='
kept
says err "$(cat ../kept)"
says ../text oops
EDITOR=spoil status $BAD_DATA sea --json resolve --edit k
says err '"code":"bad-data","exit":13,"file":"'
says err '"line":3,"column":3'
kept
program half <<'EOX'
jq '.a = 5' <"$1" >"$1.new"
mv "$1.new" "$1"
EOX
EDITOR=half status $CONFLICT sea resolve --edit k
says err 'k: unresolved conflicts in /deep/x'
says err 'your text was kept'
kept
[ "$(jq .a ../text)" = 5 ]
EDITOR="half x; exit 4;" status 14 sea resolve --edit k
nothing
program fail <<'EOX'
half "$1"
exit 4
EOX
EDITOR=fail status $REFUSED sea resolve --edit k
says err 'to use your text, correct it and add --with='
kept
for text in '' '   ' '[]' '{} {}' '{"_id":"other"}' '{"a":{"$what":1}}' '"text"'; do
  printf %s "$text" >../given
  EDITOR="cp ../given" status 13 sea resolve --edit k
  kept
  printf %s "$text" | cmp - ../text
done
EDITOR='truncate -s 65M' status 14 sea resolve --edit k
EDITOR=rm status $SYSTEM sea resolve --edit k
EDITOR='ln -sf /etc/passwd' status 12 sea resolve --edit k
nothing
# What was kept can be mended, and given back.
jq '.deep.x = 6' ../text >../mended 2>/dev/null || echo '{"_id":"k","a":5,"deep":{"x":6}}' >../mended
sea resolve -q --with=../mended k
[ "$(sea get k a deep.x | tr '\n' ' ')" = '5 6 ' ]
EOT

t 'edited text is kept when a later step fails' <<'EOT'
. ./lib
split n1
split n2
program first <<'EOX'
grep -q '"n1"' "$1" || exit 1
jq '.a = 7 | .deep.x = 8' <"$1" >"$1.new"
mv "$1.new" "$1"
EOX
EDITOR=first status $REFUSED sea resolve --edit n1 n2
says err "warning[not-written]: n1: your text was kept in '"
kept
[ "$(jq -c '[.a, .deep.x]' ../text)" = '[7,8]' ]
mkdir -p .sea/hooks
printf '#!/bin/sh\nexit 1\n' >.sea/hooks/pre-resolve
chmod +x .sea/hooks/pre-resolve
EDITOR=first status $REFUSED sea resolve --edit n1
kept
rm .sea/hooks/pre-resolve
program other <<'EOX'
first "$1"
sea set -q n1 new=1
EOX
EDITOR=other status $CONFLICT sea resolve --edit n1
kept
EDITOR=first status $REFUSED sea resolve --partial --edit n1 n2
nothing
[ "$(sea get n1 a)" = 7 ]
sea resolve -q --winner n2
EOT

t 'a deletion against an edit' <<'EOT'
. ./lib
for id in d1 d2; do sea put -q "{\"_id\":\"$id\",\"a\":0}"; done
sea sync -q
sea -C ../b sync -q
sea set -q d1 a:=1
sea set -q d2 a:=1
sea -C ../b delete -q d1
sea -C ../b delete -q d2
sea -C ../b sync -q
sea sync -q
program show <<'EOX'
cat "$1" >../seen
EOX
EDITOR=show status $CONFLICT sea resolve --edit d1
[ "$(jq -c '.["$clash"] | to_entries | map(.value) | sort' ../seen)" = '["changed","deleted"]' ]
[ "$(jq -c .a ../seen)" = 1 ]
program keep <<'EOX'
jq 'del(.["$clash"])' <"$1" >"$1.new"
mv "$1.new" "$1"
EOX
EDITOR=keep status 0 sea resolve --edit d1
[ "$(sea get d1 a)" = 1 ]
program drop <<'EOX'
echo '{"_deleted":true}' >"$1"
EOX
EDITOR=drop status 0 sea resolve --edit d2
status $NOT_FOUND sea get d2
EOT

t 'a tool' <<'EOT'
. ./lib
split t
program merge-tool <<'EOX'
[ $# = 0 ] || exit 9
cat "$BASE" "$LOCAL" "$REMOTE" >../three
cat "$MERGED" >../merged
jq -s '.[0] * {a: 9, deep: .[1].deep}' "$LOCAL" "$REMOTE" >"$MERGED"
echo 'to the terminal'
exit ${fails-0}
EOX
sea config set tool.mine.command 'merge-tool'
status $NOT_FOUND sea resolve --tool t
says err 'unknown merge tool'
status $NOT_FOUND sea resolve --tool=other t
says err "unknown tool 'other'"
fails=1 status $CONFLICT sea resolve --tool=mine t
says out 'to the terminal'
fails=200 status $CONFLICT sea resolve --tool=mine t
[ "$(jq -s length ../three)" = 3 ]
[ "$(jq -c '.a["$clash"].base' ../merged)" = 0 ]
status $CONFLICT sea -c 'tool.idle.command=true "$MERGED"' resolve --tool=idle t
says err 'unresolved conflicts in /a, /deep/x'
sea config set merge.tool mine
status 0 sea resolve --tool t
[ "$(sea get t a)" = 9 ]
sea log t | grep -q 'resolve --tool'
split t2
status $USAGE sea resolve --tool --pick=/a=max t2
status $USAGE sea resolve --tool --edit t2
status $REFUSED sea -c 'tool.bad.command=echo no >"$MERGED"' resolve --tool=bad t2
status $CONFLICT sea -c 'tool.gone.command=no-such-program' resolve --tool=gone t2
sea resolve -q --winner t2
EOT
