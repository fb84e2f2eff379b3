# sealed: yes
# What has changed here, by positions.

t 'own changes, in their order' <<'EOT'
sea init -q --name=a a
cd a
[ "$(sea changes)" = '' ]
[ "$(sea changes --position)" = 0 ]
sea put -q -t host '{"_id":"web1","ram":16}' '{"_id":"web2","ram":1,"os":"x"}'
sea set -q web1 ram:=32
sea delete -q web2
sea put -q -t host '{"_id":"web2","ram":1}'
sea changes | sed 's/-[0-9a-f]*//g' >out
same out <<'EOX'
1  created  web1  1  ram, _type  (a)
2  created  web2  1  os, ram, _type  (a)
3  updated  web1  1 → 2  ram  (a)
4  deleted  web2  1 → 2  (a)
5  restored  web2  2 → 3  ram, _type  (a)
EOX
sea changes --json -1 --since="$(sea changes -2 --json | jq -r 'select(.event == "summary").position')" >out
jq -se '.[0] | .effect == "updated" and .id == "web1" and .type == "host" and .changes == {"/ram": {"old": 16, "new": 32}} and .own' out
EOT

t 'a position is where one goes on' <<'EOT'
cd a
sea changes >all
for n in 1 2 3 4 5; do
  at=$(sed -n "${n}s/ .*//p" all)
  sea changes --since="$at" >out
  tail -n +$((n + 1)) all | same out
done
[ -z "$(sea changes --since=now)" ]
[ "$(sea changes --position)" = "$at" ]
sea changes --since=0 | same all
sea reindex -q --projection
sea gc -q
sea changes | same all
status $NOT_FOUND sea changes --since="${at%?}$(echo "${at#"${at%?}"}" | tr 0-9a-f 1-9a-f0)"
says err 'error[expired]: unknown position'
says err 'to read all changes, run: sea changes --since=0'
status $NOT_FOUND sea changes --since=77-000000000000 --json
jq -e '.code == "expired" and .exit == 4 and .position == "77-000000000000"' err
for text in x 1 1-x -- 1.000000000000; do status $USAGE sea changes --since="$text"; done
status $USAGE sea changes --position --since=0
EOT

t 'some of them' <<'EOT'
cd a
sea put -q -t person '{"_id":"ada","ram":99}'
[ "$(sea changes -t person | wc -l)" = 1 ]
[ "$(sea changes -t host | wc -l)" = 5 ]
[ "$(sea changes -t person -t host | wc -l)" = 6 ]
[ "$(sea changes --where='ram > 20' --json | jq -r 'select(.event == "change").id' | tr '\n' ' ')" = 'web1 web1 ada ' ]
[ "$(sea changes -t host --where='ram = :n' -p n:=1 --json | jq -r 'select(.event == "change").id' | sort -u)" = web2 ]
status $BAD_DATA sea changes --where='ram >'
# The position at the end is behind what was passed over.
[ "$(sea changes -t host --json | jq -r 'select(.event == "summary").position')" = "$(sea changes --position)" ]
EOT

t 'changes of other instances, in the order of arrival' <<'EOT'
cd a
sea add-container -q c ../c.sea --create
sea sync -q
sea clone -q --name=b ../c.sea ../b
here=$(sea changes --position)
there=$(sea -C ../b changes --position)
status $NOT_FOUND sea -C ../b changes --since="$here"
sea set -q ada n:=1
sea -C ../b set -q ada n:=2
sea -C ../b put -q '{"_id":"new"}'
sea -C ../b sync -q
[ "$(sea changes --since="$here" | wc -l)" = 1 ]
sea sync -q
sea changes --since="$here" --json >out
jq -se '.[1:-1] | length == 2 and (map(.own) == [false, false]) and (.[0] | .id == "ada" and .conflict) and .[1].effect == "created"' out
jq -se '.[1] | if .lost then .effect == "lost" and .old == .rev else .effect == "updated" and .old != .rev end' out
sea resolve -q ada --prefer=winner
sea changes --json | jq -se '.[-2] | .effect == "resolved" and (has("conflict") | not) and .own'
sea sync -q
sea -C ../b sync -q
# Each has its own order, and both come to the same.
for one in . ../b; do
  sea -C $one changes --json | jq -r 'select(.event == "change") | "\(.id) \(.rev) \(.conflict)"' | tac | sort -u -k1,1 -s >"$one/../end-$(basename "$(cd $one && pwd)")"
done
same ../end-a <../end-b
[ "$(sea -C ../b changes --since="$there" --json | jq -s '[.[] | select(.event == "change" and .own)] | length')" = 2 ]
EOT

t 'purged changes, and changes that no longer count' <<'EOT'
cd a
at=$(sea changes --position)
sea set -q ada secret=word
sea set -q ada secret=
status $PARTIAL sea purge --confirm=a --history-only ada secret
sea changes --since="$at" --json >out
if grep word out; then false; fi
jq -se 'map(select(.purged)) | length >= 1' out
EOT

t 'a copy knows the positions of before it was made' <<'EOT'
cp -a a copy
old=$(sea -C a changes --position)
sea -C a put -q '{"_id":"only-here"}'
new=$(sea -C a changes --position)
sea -C copy changes --since="$old"
status $NOT_FOUND sea -C copy changes --since="$new"
EOT
