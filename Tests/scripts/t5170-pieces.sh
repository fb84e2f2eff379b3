# limit: 120
# sealed: yes
# An asset of more than 16 MiB is verified in pieces: damage has a name, and only what is damaged is fetched again.
# damage FOLDER PIECE: changes a byte in the middle of this piece, from 0.
cat >damage <<'EOR'
#!/bin/sh
file=$1/assets/$(sea -C one get --json film a | jq -r '.["$asset"]' | sed -E 's,/([0-9]+-)?,/1/,')
chmod u+w "$file"
printf X | dd of="$file" bs=1 seek=$(($2 * 16800000 + 500000)) conv=notrunc status=none
EOR
chmod +x damage

t 'the record of a large asset has the digest of its pieces' <<'EOT'
sea init -q --name=one one
head -c 16777216 /dev/urandom >still
head -c 18000000 /dev/urandom >film
for f in still film; do status 0 sea -C one set -q --create $f a:asset@../$f; done
[ "$(sea -C one get --json still a | jq -r .sha256)" = "$(sha256sum <still | cut -c1-64)" ]
sea -C one get --json still a | jq -e '.pieces == null' >/dev/null
python3 - >expected <<'EOP'
import hashlib
film = open("film", "rb").read()
sha = lambda b: hashlib.sha256(b).digest()
pieces = b"".join(sha(film[at:at + 2**24]) for at in range(0, len(film), 2**24))
print(sha(b"sea pieces v1" + len(film).to_bytes(8, "big") + pieces).hex())
EOP
sea -C one get --json film a | jq -r .pieces | same expected
sea -C one get --json film a | jq -e '.sha256 == null' >/dev/null
sea -C one assets --json film | jq -e '.pieces and (.sha256 == null)' >/dev/null
sea -C one get --raw film a | cmp - film
[ "$(sea -C one get --path film a | wc -l)" -eq 1 ]
EOT

t 'what a record says against its size is refused' <<'EOT'
sea -C one get --json film >whole
for change in '.a.sha256 = .a.pieces | del(.a.pieces)' '.a.size = 16777216' '.a["$asset"] |= sub("-.*"; "")'; do
  jq -c "$change | ._id = \"other\" | del(._rev)" whole >wrong
  status $BAD_DATA sea -C one put "$PWD/wrong"
done
EOT

t 'the damaged bytes are named' <<'EOT'
sea -C one add-container -q --create c "$PWD/c"
sea -C one add-container -q --create d "$PWD/d"
sea -C one sync -q
./damage c 1
status $CORRUPT sea -C one verify --assets c
says out 'does not match the record in bytes 16777216-17999999; good copy: .sea'
status $CORRUPT sea -C one --json verify --assets c
says out '"actual":"bytes 16777216-17999999"'
EOT

t 'two damaged copies give one good one' <<'EOT'
./damage d 0
sea clone -q --assets=none --name=two c two
sea -C two add-container -q d "$PWD/d"
# Each damaged copy is told, so the status is that of damage.
status $CORRUPT sea -C two fetch-assets film
says err 'bytes 16777216-17999999'
sea -C two get --raw film a | cmp - film
status 0 sea -C two verify
sea -C two fetch-assets -q
EOT

t 'a damaged piece on this device is fetched again' <<'EOT'
cp -r two/.sea/assets good
./damage two/.sea 1
status $CORRUPT sea -C two verify
says out 'bytes 16777216-17999999'
# Without the name of a record, the content is not read.
status 0 sea -C two fetch-assets
says out 'fetched nothing'
# The last piece is right in d only.
status $CORRUPT sea -C two fetch-assets film
says out 'fetched 1 asset, 17.1 MiB, from d'
diff -r good two/.sea/assets
EOT

t 'the next sync restores the file with the damage' <<'EOT'
status 0 sea -C one sync --full
status 0 sea -C one verify --assets c
status 0 sea -C one verify --assets d
EOT

t 'a lost list of pieces is written again' <<'EOT'
list=$(sea -C two get --json film a | jq -r '.["$asset"]' | sed -E 's,/([0-9]+)-.*,/1/\1,')
cp "two/.sea/assets/$list" kept
rm "two/.sea/assets/$list"
sea -C two get --raw film a | cmp - film
status $CORRUPT sea -C two verify
says out 'missing-asset'
status 0 sea -C two fetch-assets
[ "$SEA_TEST_SEALED" ] || cmp kept "two/.sea/assets/$list"
status 0 sea -C two verify
EOT

t 'a bundle and a backup carry the list and the content' <<'EOT'
status 0 sea -C one export -q --to="$PWD/stick"
sea clone -q --name=three stick three
sea -C three get --raw film a | cmp - film
status 0 sea -C three verify
status 0 sea -C three verify --assets "$PWD"/stick/*.sea.tar*
EOT
