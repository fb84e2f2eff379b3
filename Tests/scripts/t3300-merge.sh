# sealed: yes
t 'changes of different properties are merged' <<'EOT'
sea init -q --name=a
sea add-container -q c ../c.sea --create
sea put -q '{"_id":"x","_type":"host","ram":1,"os":"old","place":{"row":1,"rack":1},"tags":{"$set":["db"]},"n":{"$counter":1}}'
sea sync -q
sea clone -q --name=b ../c.sea ../b
sea set -q x ram:=2 place.row:=2 tags+=linux n+=2
sea -C ../b set -q x os=new place.rack:=3 tags-=db n-=1
sea -C ../b sync -q
sea sync >out
says out 'c: pulled 2, pushed 2'
grep -q '^merged: x 3-[0-9a-f]* (clean: ' out
says out '/os by b'
says out '/ram by a'
sea get x --json | grep -v _conflicts >here
[ "$(sea get x ram os place.row place.rack n | tr '\n' ' ')" = '2 new 2 3 2 ' ]
[ "$(sea get --json x tags)" = '{"$set":["linux"]}' ]
sea -C ../b sync -q
sea -C ../b get x --json | same here
status 0 sea conflicts --exit-code
EOT

t 'two that merge at once write the same revision' <<'EOT'
sea set -q x ram:=4
sea -C ../b set -q x os=newer
sea push -q
sea -C ../b push -q
sea pull -q
sea -C ../b pull -q
[ "$(sea rev-parse x)" = "$(sea -C ../b rev-parse x)" ]
sea sync -q
sea -C ../b sync -q
sea sync -q
[ "$(sea rev-parse x)" = "$(sea -C ../b rev-parse x)" ]
status 0 sea conflicts --exit-code
# Nothing goes on: there is nothing left to exchange.
sea sync >out
says out 'c: pulled 0, pushed 0'
EOT

t 'one clash, and nothing of the record is merged' <<'EOT'
sea set -q x ram:=8 os=a
sea -C ../b set -q x ram:=16 place.row:=9
sea -C ../b sync -q
sea sync >out
says out 'CONFLICT host x edit/edit: /ram   ('
fails grep -q '^merged' out
[ "$(sea conflicts --format='%(clashes)')" = /ram ]
sea get x --json | grep -q '"_conflicts":\["'
status $CONFLICT sea sync --fail-on-conflict
sea status --porcelain | grep -q "^# conflicts	1"
EOT

t 'a policy that all share settles it, everywhere alike' <<'EOT'
sea config set --shared merge.host.policy /ram=max
sea sync --json >out
python3 - <<'EOP'
import json
events = [json.loads(line) for line in open("out")]
merged = [one for one in events if one["event"] == "merged"]
assert len(merged) == 1 and merged[0]["id"] == "x" and merged[0]["how"] == "policy:max", events
assert len(merged[0]["leaves"]) == 2 and "/ram" in merged[0]["paths"], merged
assert events[-1]["merged"] == 1 and events[-1]["conflicts"] == 0, events[-1]
EOP
[ "$(sea get x ram)" = 16 ]
sea -C ../b sync -q
[ "$(sea -C ../b rev-parse x)" = "$(sea rev-parse x)" ]
EOT

t 'paths that belong together are taken together' <<'EOT'
sea config set --shared merge.site.atomic /lat,/lon
sea put -q '{"_id":"s","_type":"site","lat":1,"lon":1,"name":"n"}'
sea sync -q
sea -C ../b sync -q
sea set -q s lat:=2
sea -C ../b set -q s lon:=2 name=m
sea -C ../b sync -q
sea sync >out
says out 'CONFLICT site s edit/edit: /lat /lon   (/name merges automatically)'
sea resolve -q --theirs s
EOT

t 'two people edit one text' <<'EOT'
sea config set --shared merge.page.policy /body=text
sea put -q '{"_id":"p","_type":"page","body":"one\ntwo\nthree\nfour\n"}'
sea sync -q
sea -C ../b sync -q
sea put -q '{"_id":"p","_type":"page","body":"One\ntwo\nthree\nfour\n"}'
sea -C ../b put -q '{"_id":"p","_type":"page","body":"one\ntwo\nthree\nfour\nfive\n"}'
sea -C ../b sync -q
sea sync >out
grep -q '^merged: p .*policy:text' out
[ "$(sea get p --json | jq -r .body | tr '\n' ' ')" = 'One two three four five  ' ]
sea -C ../b sync -q
[ "$(sea -C ../b rev-parse p)" = "$(sea rev-parse p)" ]
# Adjacent lines are left to people.
sea put -q '{"_id":"p","_type":"page","body":"One\nTWO\nthree\nfour\nfive\n"}'
sea -C ../b put -q '{"_id":"p","_type":"page","body":"One\ntwo\nTHREE\nfour\nfive\n"}'
sea -C ../b sync -q
sea sync >out
says out 'CONFLICT page p edit/edit: /body'
sea resolve -q --ours p
EOT

t 'off by one setting, or for once' <<'EOT'
sea put -q '{"_id":"y","a":1,"b":1}'
sea sync -q
sea -C ../b sync -q
sea set -q y a:=2
sea -C ../b set -q y b:=2
sea -C ../b sync -q
sea -c merge.auto=off sync >out
says out 'CONFLICT - y edit/edit   (/a /b merge automatically)'
sea sync --no-merge >out
fails grep -q merged out
sea sync >out
says out 'merged: y'
status $BAD_DATA sea -c merge.auto=maybe sync
says err "merge.auto: 'maybe' is not one of off, clean, drivers"
status $BAD_DATA sea config set --shared merge.host.policy 'max /a=ours'
says err "'/a=ours' cannot be shared"
status $BAD_DATA sea config set --shared merge.auto drivers
EOT

t 'a policy of one instance decides there, and others follow' <<'EOT'
sea put -q '{"_id":"z","_type":"note","a":1}'
sea sync -q
sea -C ../b sync -q
sea config set merge.note.policy theirs
sea set -q z a:=2
sea -C ../b set -q z a:=3
sea -C ../b sync -q
sea sync >out
grep -q '^merged: z .*policy:theirs' out
[ "$(sea get z a)" = 3 ]
sea -C ../b sync -q
[ "$(sea -C ../b get z a)" = 3 ]
status 0 sea -C ../b conflicts --exit-code
EOT

t 'two that insist on their own do not go on for ever' <<'EOT'
sea config set merge.note.policy ours
sea -C ../b config set merge.note.policy ours
sea set -q z a:=4
sea -C ../b set -q z a:=5
sea push -q
sea -C ../b push -q
sea pull -q
sea -C ../b pull -q
[ "$(sea get z a)" = 4 ]
[ "$(sea -C ../b get z a)" = 5 ]
for k in 1 2 3 4; do sea -C ../b sync -q; sea sync -q; done
sea sync >out
says out 'c: pulled 0, pushed 0'
[ "$(sea conflicts --format='%(id) %(clashes)')" = 'z /a' ]
sea -C ../b sync >out
says out 'origin: pulled 0, pushed 0'
sea log z >revisions
[ "$(wc -l <revisions)" -lt 16 ]
EOT

t 'a deletion against an edit is left to people' <<'EOT'
sea put -q '{"_id":"d","a":1}'
sea sync -q
sea -C ../b sync -q
sea delete -q d
sea -C ../b set -q d a:=2
sea -C ../b sync -q
sea sync >out
says out 'CONFLICT - d delete/edit: /a'
fails grep -q '^merged: d' out
[ "$(sea get d a)" = 2 ]
EOT

t 'a program of one'"'"'s own settles it with a sync, if that is wanted' <<'EOT'
sea put -q '{"_id":"r","_type":"report","text":"a","n":1}'
sea sync -q
sea -C ../b sync -q
cat >both <<'EOX'
#!/bin/sh
printf '"%s and %s"' "$(tr -d '"\n' <"$2")" "$(tr -d '"\n' <"$3")" >"$2.new" && mv "$2.new" "$2"
EOX
chmod +x both
sea config set driver.both.command "$PWD/both %O %A %B"
sea config set driver.both.scope property
sea config set merge.report.driver /text=both
sea set -q r text=b
sea -C ../b set -q r text=c n:=2
sea -C ../b sync -q
sea sync >out
says out 'CONFLICT report r edit/edit: /text'
sea config set merge.auto drivers
sea sync >out
grep -q '^merged: r .*driver:both' out
case $(sea get r text) in 'b and c' | 'c and b') ;; *) false ;; esac
[ "$(sea get r n)" = 2 ]
sea -C ../b sync -q
[ "$(sea -C ../b rev-parse r)" = "$(sea rev-parse r)" ]
EOT

t 'a program that fails stops nothing, and is not asked again for the same' <<'EOT'
sea config set driver.both.command "sh -c 'echo asked >>$PWD/asked; exit 200' %O %A %B"
sea set -q r text=d
sea -C ../b set -q r text=e
sea -C ../b sync -q
status $REFUSED sea sync
says err "sea: warning[merge-program]: r: driver 'both' failed with status 200"
says out 'c: pulled 1, pushed 1'
status 0 sea sync
[ "$(wc -l <asked)" = 1 ]
sea conflicts --format='%(id)' >out
says out r
EOT

t 'merges end, also where a cloud brings what the other one wrote a round late' <<'EOT'
export XDG_STATE_HOME=/dev/null
rm -rf late && mkdir late && cd late
sea init -q --name=a a
sea -C a put -q '{"_id":"r"}'
sea -C a add-container -q --create c "$PWD/fa"
sea -C a sync -q
cp -a fa fb
cp -a fa srv
sea clone -q --name=b fb b
round() {
  sea -C a sync -q
  sea -C b sync -q
  cp -an fa/. srv/
  cp -an srv/. fa/
  cp -an fb/. srv/
  cp -an srv/. fb/
}
for k in 1 2; do
  sea -C a set -q r a$k=1
  sea -C b set -q r b$k=1
  round
done
for k in 1 2 3 4 5 6 7 8; do round; done
[ "$(sea -C a rev-parse r@winner)" = "$(sea -C b rev-parse r@winner)" ]
sea -C a get r | jq -c '[.a1, .a2, .b1, .b2]' >got
echo '["1","1","1","1"]' | same got
find fa fb -type f | wc -l >before
for k in 1 2 3; do round; done
find fa fb -type f | wc -l | same before
status 0 sea -C a conflicts
[ "$(sea -C a conflicts --count)" = 0 ]
[ "$(sea -C b conflicts --count)" = 0 ]
EOT
