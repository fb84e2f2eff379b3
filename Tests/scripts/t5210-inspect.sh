# sealed: yes
t 'a container, with its database and without' <<'EOT'
sea init -q --name=one one
sea -C one put -q '{"_id":"site/a","_type":"site","n":1}'
sea -C one set -q site/a n:=2
sea -C one add-container -q --create team "$PWD/team"
sea -C one sync -q
sea clone -q --name=two team two
sea -C two set -q site/a n:=3 m=two
sea -C one set -q site/a n:=4 m=one
sea -C two sync -q
sea -C one sync -q
sea -C two sync -q
status 0 sea -C one inspect team
says out 'container team'
says out "database $(sea -C one rev-parse --database-id | cut -c1-8)"
[ "$(grep -c ' 6 .* blocks$\|^ *6  .*  blocks$' out)" = 1 ]
[ "$(grep -c 'description of the container' out)" = 1 ]
status 0 sea -C one --json inspect team
[ "$(jq -s -c '[.[] | select(.event == "chain") | [.name, .blocks]] | sort' out)" = '[["one",4],["two",2]]' ]
# Of a sealed one the rest can be seen.
status 0 env -u SEA_PASSWORD_FILE sea inspect team
if [ "$SEA_TEST_SEALED" ]; then says out 'no key available'; else says out 'one'; fi
EOT

t 'files as they lie, and what is none of sea' <<'EOT'
echo mine >team/notes.txt
head -c 5 /dev/zero >team/.sea-tmp-00112233445566778899aabbccddeeff
status 0 sea inspect --tree team
says out 'info.json  '
says out 'transactions/'
says out 'block 0'
says out 'notes.txt  5 B  other files'
says out '.sea-tmp-00112233445566778899aabbccddeeff  5 B  temporary files'
rm team/notes.txt team/.sea-tmp-*
status 0 sea -C one inspect --tree
says out 'db  '
says out '  instance  '
says out '  private keys'
EOT

t 'the blocks of a chain: what each says, and what its author had seen' <<'EOT'
status 0 sea -C one inspect --blocks team
says out "'set n'"
says out 'has seen '
says out '6 blocks, '
status 0 sea -C one inspect two
says out "chain $(sea -C two rev-parse --instance-id)"
status $USAGE sea -C one inspect --tree two
status 0 sea -C one inspect
says out 'database '
EOT

t 'a block: fields beside their bytes, and the payload' <<'EOT'
status 0 sea -C one inspect two/1
says out "block $(sea -C two rev-parse --instance-id)/1"
says out '   0  magic         534541            SEA'
says out '   8  index         00000001          1'
says out 'put site/a  site  '
says out 'has seen '
says out '"m":"two"'
sea -C one cat-block two/1 >raw
[ "$(sea -C one --json inspect two/1 | jq -r 'select(.event == "field") | .hex' | tr -d '\n')" = "$(head -c 84 raw | od -An -v -tx1 | tr -d ' \n')" ]
sea -C one --json inspect --hex two/1 | jq -r 'select(.event == "bytes") | .hex' >hex
[ "$(cat hex)" = "$(od -An -v -tx1 raw | tr -d ' \n')" ]
status 0 sea -C one inspect --hex two/1
says out '       0  53 45 41 '
status $NOT_FOUND sea -C one inspect two/99
status $NOT_FOUND sea -C one inspect nobody
says err 'nobody'
EOT

t 'a block in a file, and one without its key' <<'EOT'
file=$(ls team/transactions/*/1/1 | head -1)
if [ "$SEA_TEST_SEALED" ]; then
  status $DENIED sea inspect "$file"
  says err 'no-key'
else
  status 0 sea inspect "$file"
  says out 'put site/a'
fi
says out '   0  magic         534541            SEA'
EOT

t 'damage is reported, not hidden' <<'EOT'
cp -r team bad
file=$(ls bad/transactions/*/1/1 | head -1)
chmod u+w "$file"
printf XX | dd of="$file" bs=1 seek=0 conv=notrunc status=none
status $CORRUPT sea inspect --blocks bad
says out 'bad-magic'
status 0 sea inspect bad
rm -r bad
mkdir empty
status $INCOMPATIBLE sea inspect empty
status $UNREACHABLE sea inspect /nowhere/at/all
EOT

t 'blocks behind a gap are shown, and are not reached' <<'EOT'
cp -r team gap
chain=gap/transactions/$(sea -C one rev-parse --instance-id)
chmod -R u+w gap && rm "$chain/1/1"
status 0 sea -C one inspect ../gap
says out ': 1 block before block 3 is missing, so later blocks are not reached'
status $CORRUPT sea -C one inspect --blocks ../gap
[ "$(grep -c '  not reached$' out)" = 2 ]
says out 'is missing, but blocks up to 3 are there'
says out '5 blocks, '
printf XX | dd of="$chain/1/2" bs=1 seek=0 conv=notrunc status=none
status $CORRUPT sea -C one inspect --json --blocks ../gap
[ "$(jq -c 'select(.event == "block" and .reached == false) | .index' out)" = 3 ]
[ "$(jq -r 'select(.event == "problem") | .code' out | tr '\n' ' ')" = 'gap bad-magic ' ]
status 0 sea -C one inspect --json ../gap
[ "$(jq -s -c '[.[] | select(.event == "chain" and .missing == 1) | .blocks]' out)" = '[3]' ]
rm -r gap
EOT

t 'the tree of a record' <<'EOT'
status 0 sea -C one inspect site/a
says out 'record site/a  site  in conflict: sea conflicts'
says out 'winner  '
says out 'loser  '
says out 'two/1  '
status 0 sea -C one --json inspect site/a
[ "$(jq -s -c '[.[] | select(.event == "revision") | .state] | sort' out)" = '["inner","inner","loser","winner"]' ]
EOT

t 'a bundle' <<'EOT'
sea -C one export -q -o "$PWD/all.bundle" --full
status 0 sea inspect all.bundle
says out 'bundle all.bundle'
status 0 sea inspect --tree all.bundle
says out 'info.json'
status 0 sea -C one inspect --blocks ../all.bundle
says out "'set n'"
# Without a key, if it is sealed, names and times cannot be seen, and how many blocks there are can.
status 0 env -u SEA_PASSWORD_FILE sea inspect --json all.bundle
[ "$(jq -s -c '[.[] | select(.event == "chain") | .blocks] | sort' out)" = '[2,4]' ]
head -c $(($(stat -c %s all.bundle) / 2)) all.bundle >cut.bundle
status $CORRUPT sea inspect --blocks cut.bundle
EOT

t 'an empty file is no bundle' <<'EOT'
: >nothing
status $INCOMPATIBLE sea inspect nothing
lacks err 'MANIFEST'
EOT
