t 'no conflict' <<'EOT'
sea init -q --name=a
sea add-container -q c ../c.sea --create
sea put -q '{"_id":"x","_type":"t","keep":1,"clash":"old","mine":1,"theirs":1}' '{"_id":"gone","_type":"t","n":1}'
sea sync -q
sea clone -q --name=b ../c.sea ../b
status 0 sea conflicts --exit-code
[ ! -s out ]
[ "$(sea conflicts --count)" = 0 ]
sea conflicts x
EOT

t 'a list of them' <<'EOT'
sea put -q '{"_id":"x","_type":"t","keep":1,"clash":"two adults","mine":2,"theirs":1}'
sea -C ../b put -q '{"_id":"x","_type":"t","keep":1,"clash":"one child","mine":1,"theirs":2}'
sea -C ../b delete -q gone
sea put -q '{"_id":"gone","_type":"t","n":2}'
for id in p q; do sea put -q "{\"_id\":\"$id\",\"n\":1}"; sea -C ../b put -q "{\"_id\":\"$id\",\"_type\":\"u\",\"n\":2}"; done
sea -C ../b sync -q
sea sync -q
sea -C ../b sync -q
sea conflicts --format='%(id) %(type) %(kind) %(leaves) %(paths)|%(clashes)' >out
sea -C ../b conflicts --format='%(id) %(type) %(kind) %(leaves) %(paths)|%(clashes)' | same out
grep '^[gx]' out >some
same some <<'EOX'
gone t delete/edit 2 /n|/n
x t edit/edit 2 /mine /clash /theirs|/clash
EOX
[ "$(sea conflicts --count)" = 4 ]
status $CONFLICT sea conflicts --exit-code
status $CONFLICT sea conflicts --exit-code -q
[ ! -s out ]
EOT

t 'the frozen lines' <<'EOT'
sea conflicts --porcelain >out
awk -F'\t' '{ print NF }' out | sort -u >fields
same fields <<'EOX'
7
EOX
grep '^x' out >line
want=$(printf 'x\tt\tedit/edit\t2\t%s\t%s\t%s' "$(sea rev-parse x@winner)" \
  "$(sea conflicts --format='%(others)' x)" /mine,/clash,/theirs)
[ "$(cat line)" = "$want" ]
sea conflicts --porcelain=v1 -z | tr '\0' '\n' | same out
status $USAGE sea conflicts --porcelain=v2
EOT

t 'only some of them' <<'EOT'
[ "$(sea conflicts -t t --format='%(id)' | tr '\n' ' ')" = 'gone x ' ]
[ "$(sea conflicts --kind=delete/edit --format='%(id)')" = gone ]
[ "$(sea conflicts --kind=edit/edit --count)" = 1 ]
[ "$(sea conflicts --since=1h --count)" = 4 ]
status 0 sea conflicts --since=2100-01-01 --exit-code
status $USAGE sea conflicts --kind=other
status $NOT_FOUND sea conflicts nothing
EOT

t 'one record property by property' <<'EOT'
sea conflicts --date=format:%Y x >out
year=$(date +%Y)
same out <<EOX
t x: 2 conflicting revisions since 1-c63c055e
            base 1-c63c055e  * 2-f593cbd6 b  2-29fe9d4c a
            $year             $year            $year
=  /mine    1                1               2             → 2
!  /clash   old              one child       two adults
=  /theirs  1                2               1             → 2
! needs a choice   = merges automatically   * current winner
e.g. sea resolve x --merge --pick=/clash=2-f593
EOX
EOT

t 'one record as JSON' <<'EOT'
sea conflicts x --json >out
winner=$(sea rev-parse x@winner) base=$(sea rev-parse x@base)
python3 - "$winner" "$base" <<'EOP'
import json, sys
one = json.loads(open("out").read())
assert one["event"] == "conflict" and one["id"] == "x" and one["kind"] == "edit/edit", one
assert one["winner"] == sys.argv[1] == one["leaves"][0] and len(one["leaves"]) == 2, one
assert one["base"] == sys.argv[2], one
assert [side["rev"] for side in one["sides"]] == one["leaves"], one
assert {(side["name"], side["label"]) for side in one["sides"]} == {("a", "put"), ("b", "put")}, one
assert all(side["time"].endswith("Z") and side["instance"] for side in one["sides"]), one
assert list(one["paths"]) == ["/mine", "/clash", "/theirs"], one
clash = one["paths"]["/clash"]
assert clash["base"] == "old" and clash["state"] == "clash" and set(clash["values"]) == set(one["leaves"]), clash
assert sorted(clash["values"].values()) == ["one child", "two adults"], clash
assert one["paths"]["/mine"]["state"] == "merges" and one["paths"]["/mine"]["merged"] == 2, one
EOP
EOT

t 'a deletion that lost' <<'EOT'
sea conflicts gone >out
says out '1 conflicting and 1 deleted'
says out '(deleted)'
says out '!  /n'
# Everything that tells of conflicts tells of it.
lost=$(sea conflicts --format='%(others)' gone)
sea get --json gone >out
says out "\"_conflicts\":[\"$lost\"]"
sea query --json -t t >out
says out "\"_conflicts\":[\"$lost\"]"
[ "$(sea query -t t --format='%(id) %(conflicts)' | tr '\n' ' ')" = 'gone 1 x 1 ' ]
sea get --json --at=0s gone >out
says out "\"_conflicts\":[\"$lost\"]"
status $CONFLICT sea get --strict gone
EOT

t 'fields for a shell' <<'EOT'
eval "$(sea conflicts x --shell --format='id=%(id) paths=%(paths)')"
[ "$id" = x ]
[ "$paths" = '/mine /clash /theirs' ]
status $USAGE sea conflicts --shell
EOT

t 'a long value is complete in a pipe, and at a terminal with --full or -v' <<'EOT'
ours=$(printf 'ours %0100d end' 0) theirs=$(printf 'theirs %0100d end' 0)
sea init -q --name=c ../long && cd ../long
sea add-container -q l ../l.sea --create
sea put -q '{"_id":"n","text":"old","sum":{"$decimal":"1.50"}}'
sea sync -q
sea clone -q --name=d ../l.sea ../d
sea put -q "{\"_id\":\"n\",\"text\":\"$ours\",\"sum\":2}"
sea -C ../d put -q "{\"_id\":\"n\",\"text\":\"$theirs\",\"sum\":{\"\$decimal\":\"1.50\"}}"
sea -C ../d sync -q
sea sync -q
sea conflicts --date=format:%Y n | sed 's/[0-9]-[0-9a-f]\{8\}/REV/; s/ [0-9]\{4\}$//' >out
says out '! /text'
says out "\"$ours\""
says out "\"$theirs\""
says out '  base REV  "old"'
says out '= /sum'
says out '  → 2'
lacks out 'truncated'
terminal="$SEA_TEST_ROOT/Tests/faults/terminal.py"
"$terminal" -- env NO_COLOR=1 COLUMNS=80 sea conflicts n >shown
says shown 'Some values are truncated; to print them, use --full.'
lacks shown "$ours"
for option in --full -v; do
  "$terminal" -- env NO_COLOR=1 COLUMNS=80 sea conflicts $option n >shown
  says shown "\"$ours\""
  lacks shown 'truncated'
done
status $USAGE sea conflicts --full
EOT
