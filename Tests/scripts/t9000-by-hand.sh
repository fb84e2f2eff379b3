# sealed: yes
# A whole sync by hand: what `sea sync` does, done with cp, sha256sum and three filters that know no database.
#
# Read it from top to bottom; it is a tutorial, and it is run. The filters are
#     sea cat-block --file=FILE   what a block says
#     sea hash-record             the name of a revision, from its content
#     sea pick-winner             which revision of a tree wins
# Pages for what is only touched here: sea-format(5), sea-record(5), sea-conflicts(7).

# Ada and Ben have an instance each, and each has a folder of her and his own: a container that the other one never sees.
t 'two people who cannot reach each other' <<'EOT'
sea init -q --name=ada --content-type=org.example.birds ada
sea -C ada add-container -q --create hers ../hers
sea -C ada put -q '{"_id":"bird/1","_type":"bird","species":"Upupa epops","count":2}'
sea -C ada put -q '{"_id":"bird/2","_type":"bird","species":"Jynx torquilla"}'
sea -C ada sync -q
sea clone -q --name=ben hers ben
sea -C ben remove-container -q origin
sea -C ben add-container -q --create his ../his

# They change the same record. Ben also deletes one that Ada goes on with, and Ada goes two steps.
sea -C ada set -q bird/1 notes='feeding young'
sea -C ben set -q bird/1 count:=3
sea -C ada set -q bird/2 count:=1
sea -C ada set -q bird/2 notes='calls all day'
sea -C ben delete -q bird/2
sea -C ben put -q '{"_id":"bird/3","_type":"bird","species":"Apus apus"}'
sea -C ada sync -q
sea -C ben sync -q
EOT

# 1. What is in a container. A chain for each instance, a file for each block: transactions/INSTANCE/1/INDEX.
#    (From block 1000 on the path has more digits, and a full folder becomes one file. See sea-format(5).)
#    A block never changes and has the same bytes wherever it lies, so what is to be copied is told by names alone.
cat >names <<'EOX'
# names CONTAINER: the blocks in it.
names() { (cd "$1/transactions" && find . -type f | sed 's|^\./||' | LC_ALL=C sort); }
EOX
t 'each container has what the other one lacks' <<'EOT'
. ./names
names hers >hers.names
names his >his.names
comm -23 hers.names his.names >only-hers
comm -13 hers.names his.names >only-his
[ $(wc -l <only-hers) -eq 3 ]
[ $(wc -l <only-his) -eq 4 ]
EOT

# 2. A head is the last block of a chain: instance, index, and the SHA-256 of its header, which has a digest of the payload. Whoever
#    knows a head can tell everything before it, because each header has the hash of the one before. `sea heads` is sha256sum.
t 'the heads of a container are the hashes of its last files' <<'EOT'
for chain in hers/transactions/*; do
  last=$(ls "$chain/1" | sort -n | tail -1)
  printf '%s\t%s\t%s\n' "$(basename "$chain")" "$last" "$(head -c 84 "$chain/1/$last" | sha256sum | cut -d' ' -f1)"
done >by-hand
sea heads --container=hers | diff by-hand -
EOT

# 3. Copying. A file appears under its own name when it is complete, and not before: another reader may be looking.
#    It takes a temporary name first (readers pass over .sea-tmp-…), and mv is one step. -n: never over another file.
cat >carry <<'EOX'
# carry LIST FROM TO: copies the blocks that are named in LIST.
carry() {
  while read -r block; do
    to=$3/transactions/$block
    mkdir -p "${to%/*}"
    temporary=${to%/*}/.sea-tmp-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    cp "$2/transactions/$block" "$temporary"
    mv -n "$temporary" "$to"
  done <"$1"
}
EOX
t 'cp carries the blocks over, in both directions' <<'EOT'
. ./names
. ./carry
carry only-hers hers his
carry only-his his hers
names hers >hers.names
names his | diff hers.names -
diff -r hers/transactions his/transactions
# `sea mirror` does the same, and checks what it carries; here it finds nothing to do.
sea mirror -n --both hers his >out
[ "$(grep -c 'would receive 0 blocks' out)" -eq 2 ]
EOT

# 4. Nobody has to be trusted who carried the files. A header says where its block belongs: its index, the hash of the
#    block before, the digest of the payload: that of the digests of heads and content, and of the signature.
#    (`sea verify` does this, and checks the signatures.)
cat >data <<'EOX'
# data BLOCK: the digest that the header of a block should have. The header has the number of heads, each of 52 bytes.
digest() { sha256sum | cut -d' ' -f1 | tr a-f A-F | basenc --base16 -d; }
data() {
  heads=$((52 * 0x$(od -An -v -tx1 -j16 -N4 "$1" | tr -d ' ')))
  {
    tail -c +85 "$1" | head -c $heads | digest
    tail -c +$((85 + heads)) "$1" | head -c -64 | digest
    tail -c 64 "$1"
  } | sha256sum | cut -d' ' -f1
}
EOX
t 'every chain holds together' <<'EOT'
. ./data
for chain in his/transactions/*; do
  before=
  for index in $(ls "$chain/1" | sort -n); do
    block=$chain/1/$index
    sea cat-block --pretty --file="$block" | head -1 >header
    grep -q "\"index\":$index," header
    grep -q "\"data\":\"$(data "$block")\"" header
    # The first block names the database and the key of its instance instead of a block before.
    [ -z "$before" ] || grep -q "\"previous\":\"$before\"" header
    before=$(head -c 84 "$block" | sha256sum | cut -d' ' -f1)
  done
done
sea verify his
EOT

# 5. What the blocks say. The first line of each is the header; then follow control entries, which speak of the chain,
#    and changes: one revision each, with its parent and the content that the record has since.
t 'the revisions of all chains' <<'EOT'
if [ -z "$SEA_TEST_SEALED" ]; then
  for block in his/transactions/*/1/*; do sea cat-block --pretty --file="$block"; done
else
  # Sealed blocks say nothing to who has no key; an instance has it.
  sea clone -q --name=reader his reader
  (cd his/transactions && ls -d */1/*) | sed 's|/1/|/|' | while read -r block; do sea -C reader cat-block --pretty $block; done
fi | grep '^{"id":' >changes
[ $(wc -l <changes) -eq 8 ]
grep '"id":"bird/1"' changes >bird-1
[ $(wc -l <bird-1) -eq 3 ]
EOT

# 6. A revision is named after what it says: its depth, and the SHA-256 of id, type, parent, kind and content.
#    So a name that is true cannot stand for two contents, and two people who write the same write one revision.
cat >fields <<'EOX'
# field NAME LINE: a text of a change, which stands before its body.
field() { printf '%s\n' "${2%%,\"body\":*}" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
# body LINE: the properties of a change; a deletion has none.
body() { case $1 in *,\"body\":*) b=${1#*,\"body\":}; printf '%s\n' "${b%\}}" ;; *) echo '{}' ;; esac; }
EOX
t 'every revision has the name that its content gives it' <<'EOT'
. ./fields
while read -r change; do
  set -- --id="$(field id "$change")" --kind="$(field kind "$change")"
  type=$(field type "$change") parent=$(field parent "$change")
  [ -z "$type" ] || set -- "$@" -t "$type"
  [ -z "$parent" ] || set -- "$@" --parent="$parent"
  [ "$(body "$change" | sea hash-record "$@")" = "$(field rev "$change")" ]
done <changes
EOT

# 7. The winner. A leaf is a revision that is no other's parent. Live leaves come before dead ones, then the greater
#    depth wins, then the greater digest. No clock and no order of arrival enters, so whoever has the same revisions
#    comes to the same result. pick-winner wants rev, parent and deleted, and passes over the rest.
cat >winners <<'EOX'
. ./fields
# winners CHANGES: for each record a line of its id and what pick-winner says.
winners() {
  sed 's/.*"id":"\([^"]*\)".*"rev".*/\1/' "$1" | LC_ALL=C sort -u | while read -r id; do
    grep "\"id\":\"$id\"" "$1" | sed 's/"kind":"put"/"deleted":false/; s/"kind":"[a-z]*"/"deleted":true/' |
      sea pick-winner | sed "s|^|$id |"
  done
}
EOX
t 'pick-winner decides, in whatever order it hears' <<'EOT'
. ./winners
winners changes >by-hand.winners
sort -r changes >turned
winners turned | diff by-hand.winners -
cat changes changes >twice
winners twice | diff by-hand.winners -
# Two edits of bird/1: a conflict. bird/2 was deleted by one and edited twice by the other: the edit wins, the deletion
# is kept. bird/3 is nobody's trouble.
grep '^bird/1 ' by-hand.winners | grep -q '"conflicts":\["2-[0-9a-f]*"\],"deleted_leaves":\[\]'
grep '^bird/2 {"winner":"3-' by-hand.winners | grep -q '"conflicts":\[\],"deleted_leaves":\["2-'
grep '^bird/3 ' by-hand.winners | grep -q '"conflicts":\[\],"deleted_leaves":\[\]'
EOT

# 8. The record is what its winner says. This is where `sea sync` must arrive, in both instances.
t 'sea sync reaches the same winners with the same content' <<'EOT'
. ./winners
while read -r id verdict; do
  winner=$(field winner "$verdict")
  properties=$(body "$(grep "\"rev\":\"$winner\"" changes)")
  # The live ones that did not win, and behind them the deletions.
  others=$(printf '%s\n' "$verdict" | jq -c '.conflicts + .deleted_leaves | select(length > 0)' | sed 's/^/,"_conflicts":/')
  printf '{"_id":"%s","_type":"bird","_rev":"%s",%s%s}\n' "$id" "$winner" "$(echo "$properties" | sed 's/^{//; s/}$//')" "$others"
done <by-hand.winners >by-hand.records
for instance in ada ben; do
  sea -C $instance sync -q --no-merge
  sea -C $instance query --json | diff by-hand.records -
done
sea -C ada verify -q
EOT

# 9. Merging is another change: a child of the winner with what the leaves come to against the revision that both come
#    from, and it names the leaf that it has taken in; and below that leaf a tombstone of kind `resolved`. Both names can
#    be told in advance: every instance writes the same.
t 'a merge has the name that was told' <<'EOT'
. ./winners
verdict=$(sed -n 's|^bird/1 ||p' by-hand.winners)
winner=$(field winner "$verdict")
other=$(printf '%s\n' "$verdict" | sed 's/.*"conflicts":\["\([^"]*\)".*/\1/')
base=$(field parent "$(grep "\"rev\":\"$winner\"" changes)")
for one in base winner other; do body "$(grep "\"rev\":\"$(eval "echo \$$one")\"" changes)" >$one.json; done
sea merge-record --base=base.json winner.json other.json >merged.json
grep -q '"count":3' merged.json
grep -q '"notes":"feeding young"' merged.json
# Properties are written in the order of their encoding, in which the order on the line does not matter.
<merged.json sea hash-record -t bird --id=bird/1 --parent="$winner" --merged="$other" >told
echo '{}' | sea hash-record -t bird --id=bird/1 --kind=resolved --parent="$other" >tombstone
sea -C ada sync -q
sea -C ada rev-parse bird/1@winner | diff told -
chain=$(sea -C ada rev-parse --instance-id)
last=$(ls hers/transactions/$chain/1 | sort -n | tail -1)
if [ "$SEA_TEST_SEALED" ]; then block=$chain/$last; else block=--file=hers/transactions/$chain/1/$last; fi
sea -C ada cat-block --pretty $(echo "$block" | sed 's|=hers|=../hers|') | grep '^{"id":' >resolution
grep -q "\"rev\":\"$(cat told)\"" resolution
grep -q "\"rev\":\"$(cat tombstone)\"" resolution
EOT

# 10. One more round by hand, and both are of one mind.
t 'the resolution is carried over' <<'EOT'
. ./names
. ./carry
names hers >hers.names
names his >his.names
comm -23 hers.names his.names >only-hers
carry only-hers hers his
sea -C ben sync -q
# Only bird/2 is left, the deletion that lost to an edit: it is kept until somebody has a word on it.
sea -C ben conflicts --porcelain | grep -v '^#' | cut -f1,3 >out
printf 'bird/2\tdelete/edit\n' | diff - out
sea -C ada query --json >ada.records
sea -C ben query --json | diff ada.records -
EOT
