# sealed: yes
sea init -q
sea put -q '{"_id":"ada","_type":"contact","phone":"1","name":"Ada","hits":{"$counter":2},"tags":{"$set":["a","b"]},"at":{"x":1,"y":2}}'
sea set -q ada phone=2 hits+=5 tags+=c tags-=a at.x:=5
sleep 2.1
sea set -q ada name=Eve new:=true

t "last week's phone number, and nothing else" <<'EOT'
status 0 sea revert ada@~2 phone
grep -Eqx 'updated	ada	4-[0-9a-f]{64}' out
[ "$(sea get ada phone name hits | tr '\n' ' ')" = '1 Eve 7 ' ]
status 0 sea revert ada@~3 phone
grep -q '^unchanged	ada	4-' out
status 0 sea revert ada@~3 /at/x new
[ "$(sea get ada --json | jq -c '[.at,.new]')" = '[{"x":1,"y":2},null]' ]
EOT

t 'the whole record, counters and sets too' <<'EOT'
status 0 sea revert -n ada@~4
[ "$(sea get ada name)" = Eve ]
status 0 sea revert ada@~4
sea get ada --json | jq -cS 'del(._id,._rev)' >have
same have <<'EOX'
{"_type":"contact","at":{"x":1,"y":2},"hits":{"$counter":2},"name":"Ada","phone":"1","tags":{"$set":["a","b"]}}
EOX
status 0 sea revert ada
[ "$(sea get ada name hits | tr '\n' ' ')" = 'Eve 7 ' ]
sea undo -q
[ "$(sea get ada name)" = Ada ]
EOT

t 'as it was then' <<'EOT'
status 0 sea revert --at=@$(($(date +%s) - 1)) -n ada
status 0 sea revert "ada@{$(sea ops --json | tail -1 | jq -r .op)}" name
status $NOT_FOUND sea revert --at=2001-01-01 ada
EOT

t 'a deleted record is brought back' <<'EOT'
sea delete -q ada
for words in 'get ada' 'get ada phone' 'get ada@{0} phone' 'set ada phone=1' 'delete ada'; do
  status $NOT_FOUND sea $words
  says err 'hint: the record was deleted; for its history, run: sea log ada; to restore it, run: sea revert ada'
done
status $NOT_FOUND sea revert ada@~1 phone
status 0 sea revert ada
grep -q '^created	ada	' out
[ "$(sea get ada phone)" = 1 ]
status $NOT_FOUND sea revert ada@~1
says err 'ada was deleted in'
EOT

t 'impossible reverts are refused' <<'EOT'
status $NOT_FOUND sea revert no-such
for words in 'diff --at=@{0} ada@~1' 'set ada@~1 phone=1' 'delete ada@~1'; do
  status $NOT_FOUND sea $words
  says err 'hint: this is a revision; use the record: ada'
done
status $NOT_FOUND sea revert ada@9-abcdef
status $NOT_FOUND sea revert ada phnoe
status $CONFLICT sea revert --if-rev=1-abcd ada@~2
sea put -q '{"_id":"one","n":1}'
status $NOT_FOUND sea revert one
status $USAGE sea revert
status $USAGE sea revert --if-rev=x ada
EOT

t 'two that revert and count lose nothing of what is counted' <<'EOT'
sea put -q '{"_id":"c","n":{"$counter":1}}'
sea set -q c n+=9
sea add-container -q --create box "$PWD/box"
sea sync -q
sea clone -q --name=two "$PWD/box" two
status 0 sea revert c@~1 n
[ "$(sea get c n)" = 1 ]
sea -C two set -q c n+=100
sea sync -q
sea -C two sync -q
sea sync -q
[ "$(sea get c n)" = 101 ]
EOT
