# sealed: yes
t 'a block is its header and its payload' <<'EOT'
sea init -q --name=field
sea put -q '{"_id":"x","_type":"t","a":1,"to":{"$ref":"y"}}' '{"_id":"y"}'
sea delete -q y
sea cat-block field/1 >block
sea cat-block --header field/1 >header
[ "$(wc -c <header)" -eq 84 ]
[ "$(head -c 3 header)" = SEA ]
{ cat header; sea cat-block --payload field/1; } | cmp - block
sea cat-block field/0 field/1 field/2 >all
{ sea cat-block field/0; cat block; sea cat-block field/2; } | cmp - all
EOT

t 'the output of cat-block' <<'EOT'
sea cat-block --pretty field/0 field/1 field/2 >out
python3 - <<'EOP'
import json, os, sys
sys.path.insert(0, os.environ["SEA_TEST_ROOT"] + "/Tests/reader")
import sea_header
lines = [json.loads(line) for line in open("out")]
block = open("block", "rb").read()
assert [line["index"] for line in lines if "index" in line] == [0, 1, 2], lines
assert lines[1]["control"] == "instance" and lines[1]["name"] == "field", lines[1]
# The first block of a sealed chain begins an epoch.
if os.environ["SEA_TEST_SEALED"]:
    assert lines.pop(2)["control"] == "epoch", lines
one = lines[2]
assert one["hash"] == sea_header.hash_of(block).hex() and one["size"] == len(block), one
assert one["data"] == sea_header.data_of(*sea_header.parts(block)).hex() and one["previous"] == lines[0]["hash"], one
assert one["mode"] == (["sealed", "signed"] if os.environ["SEA_TEST_SEALED"] else ["signed"]), one
assert one["label"] == "put" and one["changes"] == 2, one
by_id = {line["id"]: line for line in lines[3:5]}
assert by_id["x"]["body"] == {"a": 1, "to": {"$ref": "y"}} and by_id["x"]["type"] == "t", by_id
assert by_id["y"]["kind"] == "put" and "parent" not in by_id["y"], by_id
assert lines[6]["kind"] == "delete" and lines[6]["parent"] == by_id["y"]["rev"] and "body" not in lines[6], lines[6]
EOP
tail -2 out >expected
sea cat-block --json field/2 | same expected
EOT

t 'names from standard input' <<'EOT'
printf 'field/1\nnobody/1\nfield/77\nnonsense\n' | sea cat-block --batch-check >out
id=$(sea rev-parse field) hash=$(head -c 84 block | sha256sum | cut -d' ' -f1)
same out <<EOX
$id/1 $hash $(wc -c <block)
nobody/1 missing
field/77 missing
nonsense missing
EOX
echo field/1 | sea cat-block --batch='%(index) %(size)' >out
{ echo "1 $(wc -c <block)"; cat block; echo; } | cmp - out
printf 'field/1\0field/9\0' | sea cat-block -z --batch-check='%(lamport)' | tr '\0' ' ' >out
printf '2 field/9 missing ' | cmp - out
status $USAGE sea cat-block --batch='%(nothing)'
EOT

t 'an answer comes before the next question' <<'EOT'
mkfifo ask answer
sea cat-block --batch-check='%(index)' <ask >answer &
exec 3>ask 4<answer
echo field/1 >&3
read -r one <&4
echo field/2 >&3
read -r two <&4
exec 3>&- 4<&-
wait
[ "$one $two" = '1 2' ]
EOT

t 'absent' <<'EOT'
status $NOT_FOUND sea cat-block field/77
status $NO sea cat-block -e field/1 field/77
[ ! -s out ]
[ ! -s err ]
status 0 sea cat-block -e field/1 field/2
status $USAGE sea cat-block
status $USAGE sea cat-block --file=all field/1
EOT

t 'a file of blocks needs no database' <<'EOT'
here=$(pwd)
cd /
sea cat-block --file="$here/all" | cmp - "$here/all"
sea cat-block "$here/all" | cmp - "$here/all"
sea cat-block --pretty --file=- <"$here/block" >"$here/out" 2>"$here/err" || echo $? >"$here/code"
cd "$here"
says out '"block":"standard input:1"'
if [ "$SEA_TEST_SEALED" ]; then
  # A file does not tell whose block it is, and has no key.
  [ "$(wc -l <out)" -eq 1 ]
  says err 'error[no-key]'
  [ "$(cat code)" -eq 7 ]
else
  [ "$(wc -l <out)" -eq 3 ]
fi
echo ./all | sea -C "$here" cat-block --batch-check='%(index)' >out
same out <<'EOX'
0
1
2
EOX
status $NO_DATABASE sea -C / cat-block field/1
EOT

t 'a block is the same in a container' <<'EOT'
sea add-container -q c ../c.sea --create
sea push -q
find ../c.sea/transactions -type f -name 1 | sed 's/$//' >names
sea cat-block "$(cat names)" | cmp - block
EOT

t '--pretty prints the header of a purged block and the entry of the purge' <<'EOT'
sea init -q --name=lab p
sea -C p put -q '{"_id":"x","v":1}'
sea -C p purge -q --confirm=lab x
status 0 sea -C p cat-block --pretty lab/1
says out '"removed"'
[ "$(wc -l <out)" -eq 1 ]
status 0 sea -C p cat-block --pretty lab/3
says out '{"control":"purge"'
EOT

t 'files that are damaged' <<'EOT'
head -c 300 all >cut
status $CORRUPT sea cat-block --file=cut
says err 'truncated'
cat block all >wrong
status $CORRUPT sea cat-block --file=wrong
says err "byte $(wc -c <block): bad-index"
printf 'XXX' | dd of=all bs=1 seek=200 conv=notrunc 2>dd.log
status $CORRUPT sea cat-block --file=all --header
says err 'bad-data'
echo 'no block at all' >text
status $CORRUPT sea cat-block ./text
: >empty
status $CORRUPT sea cat-block ./empty
status $SYSTEM sea cat-block --file=nothing
EOT
