# sealed: yes
t 'without a choice nothing is written' <<'EOT'
sea init -q --name=a
sea add-container -q c ../c.sea --create
for id in x y z gone; do printf '{"_id":"%s","_type":"t","a":0,"b":0}\n' $id; done >first
sea put -q - <first
sea sync -q
sea clone -q --name=b ../c.sea ../b
sed 's/"a":0/"a":1/' first | sea put -q -
sed 's/"a":0/"a":2/' first | grep -v gone | sea -C ../b put -q -
sea -C ../b delete -q gone
sea -C ../b sync -q
sea sync -q
sea rev-parse a/1 >/dev/null
before=$(sea log --format='%(block)' -1)
status $CONFLICT sea resolve x y
[ ! -s out ]
says err 'error[conflict]: x and 1 more records: unresolved conflicts in /a'
says err '  x /a  2-'
status $CONFLICT sea resolve x
says err 'x: unresolved conflicts in /a'
[ "$(sea log --format='%(block)' -1)" = "$before" ]
EOT

t 'a dry run writes nothing and says what would be' <<'EOT'
before=$(sea log --format='%(block)' -1)
sea resolve -n --winner x >out
sea resolve -n --winner --json x >json
says json '"dry_run":true'
[ "$(sea log --format='%(block)' -1)" = "$before" ]
says json '"event":"resolved","id":"x"'
[ "$(wc -l <out)" = 1 ]
planned=$(sed -n 's/^would write x \(3-[0-9a-f]*\): a 1$/\1/p' out)
[ -n "$planned" ] || planned=$(sed -n 's/^would write x \(3-[0-9a-f]*\): a 2$/\1/p' out)
sea resolve --winner x >out
[ "$(cut -f1,2 out)" = "$(printf 'resolved\tx')" ]
[ "$(cut -f3 out)" = "$(sea rev-parse x@winner)" ]
[ "$(sea rev-parse --short x@winner)" = "$planned" ]
EOT

t 'a record that is not in conflict' <<'EOT'
status 0 sea resolve x
[ ! -s out ]
says err 'notice: x is not in conflict'
status 0 sea resolve -q x
[ ! -s err ]
status $NOT_FOUND sea resolve --winner nothing
EOT

t 'a side' <<'EOT'
sea resolve -q --theirs y
[ "$(sea get y a)" = 2 ]
status $NOT_FOUND sea resolve --take=9-0000 z
status $USAGE sea resolve --take=1- z
sea resolve -q --take="$(sea rev-parse --short=4 z@theirs)" --set=b:=5 --set=c=new z
[ "$(sea get z a b c | tr '\n' ' ')" = '2 5 new ' ]
EOT

t 'a deletion can be what remains' <<'EOT'
sea resolve --json --theirs gone >out
says out '"deleted":true'
says out '{"event":"summary","ok":true,"resolved":1,"exit":0}'
status $NOT_FOUND sea get gone
sea sync -q
sea -C ../b sync -q
status 0 sea -C ../b conflicts --exit-code
status $NOT_FOUND sea -C ../b get gone
[ "$(sea -C ../b get z c)" = new ]
sea put -q '{"_id":"lost","n":1}'
sea sync -q
sea -C ../b sync -q
sea set -q lost n:=2
sea -C ../b delete -q lost
sea sync -q
sea -C ../b sync -q
sea sync -q
status 0 sea resolve --theirs lost
says err 'notice: lost is deleted'
EOT

t 'both resolve alike: no new conflict; differently: one' <<'EOT'
split() {
  sea put -q "{\"_id\":\"$1\",\"n\":1}"
  sea -C ../b put -q "{\"_id\":\"$1\",\"n\":2}"
}
meet() {
  sea sync -q
  sea -C ../b sync -q
  sea sync -q
}
split same
split other
meet
sea resolve -q --winner same
sea -C ../b resolve -q --winner same
sea resolve -q --ours other
sea -C ../b resolve -q --ours other
meet
[ "$(sea conflicts --format='%(id)')" = other ]
[ "$(sea conflicts --format='%(base)' other)" != '' ]
sea resolve -q --winner other
meet
[ "$(sea -C ../b conflicts --count)" = 0 ]
EOT

t 'a record that somebody put together' <<'EOT'
sea put -q '{"_id":"m","_type":"t","n":1}'
sea -C ../b put -q '{"_id":"m","_type":"t","n":2}'
sea -C ../b sync -q
sea sync -q
old=$(sea rev-parse x@winner)
printf '{"_id":"m","_rev":"%s","n":3}' "$old" >stale
status $CONFLICT sea resolve --with=stale m
says err 'error[stale]'
echo '{"_id":"other"}' >wrong
status $BAD_DATA sea resolve --with=wrong m
echo '{"n":' >broken
status $BAD_DATA sea resolve --with=broken m
: >empty
status $BAD_DATA sea resolve --with=empty m
status $USAGE sea resolve --with=wrong m x
sea get m@theirs | sed 's/"n": [0-9]*/"n": 3/' | sea resolve -q --with=- m
[ "$(sea get m n)" = 3 ]
[ "$(sea get m --json | grep -c '"_type":"t"')" = 1 ]
EOT

t 'many at once are one block' <<'EOT'
for k in 1 2 3; do
  sea put -q "{\"_id\":\"r$k\",\"_type\":\"many\",\"n\":1}"
  sea -C ../b put -q "{\"_id\":\"r$k\",\"_type\":\"many\",\"n\":2}"
done
sea put -q '{"_id":"s","n":1}'
sea -C ../b put -q '{"_id":"s","n":2}'
sea sync -q
sea -C ../b sync -q
sea sync -q
before=$(sea log --instance=a --format='%(index)' -1)
printf 'r1\nr1\n\n' | sea resolve --stdin --ours >out
[ "$(cut -f2 out)" = r1 ]
sea resolve -t many --winner >out
[ "$(cut -f2 out | tr '\n' ' ')" = 'r2 r3 ' ]
sea resolve --all --winner >out
[ "$(cut -f2 out)" = s ]
[ "$(sea log --instance=a --format='%(index)' -1)" -eq $((before + 3)) ]
status 0 sea resolve --all --winner
[ ! -s out ]
EOT

t 'property by property' <<'EOT'
sea put -q '{"_id":"p","_type":"t","a":1,"b":"old","c":[1],"d/e=f":1}'
sea sync -q
sea -C ../b sync -q
sea put -q '{"_id":"p","_type":"t","a":2,"b":"longer","c":[1,2],"d/e=f":2,"mine":1}'
sea -C ../b put -q '{"_id":"p","_type":"t","a":3,"b":"new","c":[1,3],"d/e=f":3,"yours":1}'
sea -C ../b sync -q
sea sync -q
mine=$(sea rev-parse p@ours)
status $CONFLICT sea resolve p
status $CONFLICT sea resolve --merge p
says err 'unresolved conflicts in /a, /b, /c, /d~1e=f'
says err 'hint: choose with --pick=/a=REV, --prefer=POLICY or --set=a=...; to show the conflict, run: sea conflicts p'
status $CONFLICT sea resolve --merge --prefer=max p
says err 'unresolved conflicts in /b, /c'
says err '--pick=/b=REV'
get() { sea resolve -n "$@" p >out && sed 's/[^:]*: //' out; }
[ "$(get --prefer=winner --pick=/a=max --pick=b=ours --pick=/c=theirs --pick=/d~1e=f="$mine")" \
  = 'a 3, b "longer", c [1,3], mine, d/e=f 2, yours' ]
[ "$(get --prefer=ours)" = 'a 2, b "longer", c [1,2], mine, d/e=f 2, yours' ]
[ "$(get --prefer=theirs)" = 'a 3, b "new", c [1,3], mine, d/e=f 3, yours' ]
[ "$(get --prefer=base)" = 'a 1, b "old", c [1], mine, d/e=f 1, yours' ]
[ "$(get --prefer=newest)" = "$(get --prefer=newest)" ]
[ "$(get --prefer=ours --pick=/mine=theirs --set=b=set)" = 'a 2, b "set", c [1,2], mine, d/e=f 2, yours' ]
[ "$(get --prefer=ours --pick=/a=base --pick=/a=theirs)" = 'a 3, b "longer", c [1,2], mine, d/e=f 2, yours' ]
status $NOT_FOUND sea resolve --prefer=ours --pick=/none=ours p
status $NOT_FOUND sea resolve --prefer=ours --pick=/a=9-0000 p
[ "$(get --prefer=ours --pick=/a=b)" = 'a 3, b "longer", c [1,2], mine, d/e=f 2, yours' ]
[ "$(get --take=b)" = "$(get --theirs)" ]
status $NOT_FOUND sea resolve --prefer=ours --pick=/a=nobody p
says err "error[not-found]: 'nobody' wrote no side of p"
says err 'hint: sides: '
sea resolve --merge --prefer=max --pick=/b=ours --pick=/c=theirs --json p >out
says out '"how":"manual"'
[ "$(sea get p a b c mine yours 'd/e=f' | tr -d ' \n')" = '3longer[1,3]113' ]
sea log p | grep -q 'resolve --merge --prefer=max --pick=/b=ours --pick=/c=theirs'
EOT

t 'the lines of both sides' <<'EOT'
sea put -q '{"_id":"l","text":"milk\nbread\neggs\ntea\n"}'
sea sync -q
sea -C ../b sync -q
sea put -q '{"_id":"l","text":"milk\nbread\neggs\nbutter\ntea\n"}'
sea -C ../b put -q '{"_id":"l","text":"milk\nrye bread\neggs\ntea\n"}'
sea -C ../b sync -q
sea sync -q
status $CONFLICT sea resolve --merge --prefer=max l
sea resolve --prefer=text --json l >out
says out '"how":"policy:text"'
[ "$(sea get l --json | jq -r .text)" = "$(printf 'milk\nrye bread\neggs\nbutter\ntea')" ]
EOT

t 'usage' <<'EOT'
status $USAGE sea resolve
status $USAGE sea resolve --winner --ours x
status $USAGE sea resolve --all x
status $USAGE sea resolve --all --take=2-0000
status $USAGE sea resolve --set=x x
for options in '--winner --merge' '--winner --pick=/a=ours' '--take=2-00 --prefer=max' '--with=- --pick=/a=ours' \
  '--driver=x --edit' '--tool --merge' '--pick=/a' '--pick==ours' '--pick=/a=' '--driver' '--prefer'; do
  status $USAGE sea resolve $options x
done
EOT

t 'more conflicting revisions than one merge can take are left over and reported' <<'EOT'
export reader="$SEA_TEST_ROOT/Tests/reader"
[ "$SEA_TEST_SEALED" ] && exit 0
sea init -q --name=a many
sea -C many add-container -q --create c "$PWD/c"
sea -C many sync -q
cat >many.py <<'EOP'
import json, os, sys, uuid
sys.path.insert(0, os.environ["reader"])
from chain_vectors import tree
from sea_writer import Instance, change, rev, state
with open("c/info.json") as file:
    database = uuid.UUID(json.load(file)["databaseID"])
one = Instance("one", database)
first = change("r/1", {"n": 0})
blocks = [one.genesis()]
blocks.append(one.block([first], state(blocks[-1])))
blocks.append(one.block([change("r/1", {"n": k}, parent=rev(first)) for k in range(1, 101)], state(blocks[-1])))
for path, data in tree(str(one.id), blocks, 0).items():
    os.makedirs(os.path.dirname(f"c/{path}"), exist_ok=True)
    with open(f"c/{path}", "wb") as file:
        file.write(data)
EOP
python3 many.py
sea -C many sync -q --no-merge
status $PARTIAL sea -C many resolve --winner r/1
says out 'resolved'
says err 'r/1 is still in conflict: 35 conflicting revisions left, too many for one merge; run sea resolve again'
status $CONFLICT sea -C many get --strict r/1
status 0 sea -C many resolve --json --winner r/1
fails grep '"left"' out
status 0 sea -C many get --strict r/1
EOT
