# sealed: yes
mkdir -p tools
cat >tools/damage <<'EOT'
#!/bin/sh
chmod u+w "$1"
printf XXXX | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") / 2)) conv=notrunc status=none
EOT
chmod +x tools/damage
PATH=$PWD/tools:$PATH
export PATH

t 'a database with assets, and two containers that have them' <<'EOT'
mkdir files
for k in 1 2 3; do head -c ${k}00000 /dev/urandom >files/$k; done
sea init -q --name=field birds
for k in 1 2 3; do sea -C birds set -q --create -t bird bird/$k photo:asset@"$PWD/files/$k"; done
sea -C birds add-container -q --create stick "$PWD/stick.sea"
sea -C birds add-container -q --create hub "$PWD/hub.sea"
EOT

t 'assets that no container has are kept and listed, with status 8' <<'EOT'
status $PARTIAL sea -C birds drop-assets
same out <<'EOX'
kept bird/1 photo: no good copy elsewhere
kept bird/2 photo: no good copy elsewhere
kept bird/3 photo: no good copy elsewhere
dropped nothing
EOX
for k in 1 2 3; do sea -C birds get bird/$k photo --raw | cmp - files/$k; done
sea -C birds sync -q
EOT

t 'a dry run drops nothing' <<'EOT'
sea -C birds drop-assets -n >out
says out 'would drop 3 assets'
sea -C birds assets --missing >out
[ ! -s out ]
sea -C birds verify >out
says out '3 assets ok'
EOT

t 'a dropped asset is removed here and can be fetched again' <<'EOT'
sea -C birds drop-assets bird/1 >out
says out 'dropped 1 asset'
sea -C birds assets --missing --format='%(id)' >out
echo bird/1 | same out
[ -z "$(find birds/.sea/assets -path '*/1/0')" ]
status $UNREACHABLE sea -C birds get bird/1 photo --raw
sea -C birds fetch-assets -q bird/1
sea -C birds get bird/1 photo --raw | cmp - files/1
EOT

t 'by size, kind and type' <<'EOT'
sea -C birds drop-assets -n -t site >out
echo 'would drop nothing' | same out
sea -C birds drop-assets -q --min-size=250000
sea -C birds assets --missing --format='%(id)' >out
echo bird/3 | same out
sea -C birds fetch-assets -q
EOT

t 'more copies than there are' <<'EOT'
sea -C birds drop-assets -n --min-copies=2 >out
says out 'would drop 3 assets'
status $PARTIAL sea -C birds drop-assets --min-copies=3
says out 'kept bird/2 photo: 2 of 3 copies elsewhere'
sea -C birds config set assets.minCopies 3
status $PARTIAL sea -C birds drop-assets
says out 'dropped nothing'
sea -C birds config set assets.minCopies 1
status $USAGE sea -C birds drop-assets --min-copies=0
status $BAD_DATA sea -C birds -c assets.minCopies=0 drop-assets
status $NOT_FOUND sea -C birds drop-assets bird/9
sea -C birds assets --missing >out
[ ! -s out ]
EOT

t 'a container under two names is one copy' <<'EOT'
cp -r stick.sea link.sea
sea -C birds add-container -q --no-auto again "$PWD/link.sea"
# It was a place of its own when it got its name.
rm -rf link.sea
ln -s stick.sea link.sea
status $SYSTEM sea -C birds add-container other "$PWD/link.sea"
status $PARTIAL sea -C birds drop-assets bird/1 --min-copies=3
says out 'kept bird/1 photo: 2 of 3 copies elsewhere'
sea -C birds remove-container -q again
EOT

t 'a damaged copy does not count: the last good one here stays' <<'EOT'
damage "$(echo stick.sea/assets/*/1/0)"
damage "$(echo hub.sea/assets/*/1/0)"
status $CORRUPT sea -C birds drop-assets bird/1
says out 'kept bird/1 photo: no good copy elsewhere'
says err 'warning[bad-asset]: stick: asset'
says err 'warning[bad-asset]: hub: asset'
sea -C birds get bird/1 photo --raw | cmp - files/1
EOT

t 'one of two is damaged: the good one is enough for one, and not for two' <<'EOT'
damage "$(echo stick.sea/assets/*/1/1)"
status $CORRUPT sea -C birds drop-assets bird/2 --min-copies=2
says out 'kept bird/2 photo: 1 of 2 copies elsewhere'
sea -C birds get bird/2 photo --raw | cmp - files/2
status $CORRUPT sea -C birds drop-assets bird/2 --json
jq -c 'select(.event == "dropped") | [.id, .copies]' out >dropped
echo '["bird/2",["hub"]]' | same dropped
status $CORRUPT sea -C birds fetch-assets -q bird/2
sea -C birds get bird/2 photo --raw | cmp - files/2
EOT

t 'a copy that vanished, and one that is cut short' <<'EOT'
rm -f stick.sea/assets/*/1/2
chmod u+w hub.sea/assets/*/1/2
truncate -s 100 hub.sea/assets/*/1/2
status $PARTIAL sea -C birds drop-assets bird/3
says out 'kept bird/3 photo: no good copy elsewhere'
sea -C birds get bird/3 photo --raw | cmp - files/3
EOT

t 'a copy in a container that cannot be reached does not count' <<'EOT'
sea init -q alone
sea -C alone set -q --create x photo:asset@"$PWD/files/1"
sea -C alone add-container -q --create far "$PWD/far.sea"
sea -C alone sync -q
mv far.sea far.away
status $PARTIAL sea -C alone drop-assets
says err 'warning[unreachable]'
says out 'kept x photo: no good copy elsewhere'
sea -C alone get x photo --raw | cmp - files/1
mv far.away far.sea
# Another container in its place is not the one.
sea init -q other
sea -C other add-container -q --create there "$PWD/there.sea"
mv far.sea far.away
cp -r there.sea far.sea
code=0; sea -C alone drop-assets >out 2>err || code=$?
[ $code -ne 0 ]
sea -C alone get x photo --raw | cmp - files/1
rm -r far.sea
mv far.away far.sea
sea -C alone drop-assets >out
says out 'dropped 1 asset'
EOT

t 'assets that only earlier revisions name are dropped too' <<'EOT'
sea -C alone fetch-assets -q
sea -C alone set -q x photo:asset@"$PWD/files/2"
sea -C alone sync -q
sea -C alone drop-assets >out
says out 'dropped 2 assets'
[ -z "$(find alone/.sea/assets -type f)" ]
EOT

t 'JSON' <<'EOT'
sea -C alone fetch-assets -q
sea -C alone drop-assets -n --json | jq -c '[.event, .id // .dropped, .path // .kept, .copies // .ok]' >out
same out <<'EOX'
["would-drop","x","/photo",["far"]]
["summary",1,0,true]
EOX
sea -C alone assets --present --format='%(id)' >out
echo x | same out
EOT

t 'a record that claims the file of another does not get it dropped' <<'EOT'
sea init -q claims
sea -C claims set -q --create real photo:asset@"$PWD/files/1"
place=$(sea -C claims get --json real | jq -r '.photo."$asset"')
sea -C claims add-container -q --create box "$PWD/box.sea"
# A record of somebody else says that the same file is other content, of the same size.
sea -C claims put -q '{"_id":"fake","photo":{"$asset":"'$place'","sha256":"'$(printf %064d 7)'","size":100000,"mime":"x/y"}}'
status $PARTIAL sea -C claims drop-assets
says out 'kept real photo: no good copy elsewhere'
fails grep -q 'kept fake' out
sea -C claims sync -q
code=0; sea -C claims drop-assets fake >out 2>err || code=$?
sea -C claims get real photo --raw | cmp - files/1
code=0; sea -C claims drop-assets real >out 2>err || code=$?
says out 'dropped 1 asset'
sea -C claims fetch-assets -q real
sea -C claims get real photo --raw | cmp - files/1
EOT

t 'sealed, and no key is kept: copies are held against what was noted when they came' <<'EOT'
echo 'a good password' >pw
chmod 600 pw
sea init -q --encrypt --password-file=pw --name=deep deep
sea -C deep set -q --create x photo:asset@"$PWD/files/1"
sea -C deep add-container -q --create box "$PWD/deep.sea"
sea -C deep sync -q
sea clone -q --no-store-key --password-file=pw --name=lent deep.sea lent
status $DENIED sea -C lent fetch-assets --no-input
sea -C lent fetch-assets -q --password-file="$PWD/pw"
sea -C lent verify --no-input >out
says out '1 asset ok'
damage "$(find deep.sea/assets -type f)"
status $CORRUPT sea -C lent drop-assets --no-input
says out 'kept x photo: no good copy elsewhere'
status $CORRUPT sea -C lent verify --no-input --assets origin
sea -C lent get x photo --raw --password-file="$PWD/pw" | cmp - files/1
rm -f "$(find deep.sea/assets -type f)"
cp -r deep/.sea/assets deep.sea/
sea -C lent drop-assets -q --no-input
# Nobody who has no key can say what it is now.
status $PARTIAL sea -C lent verify --no-input --assets origin
says out 'origin: 1 asset not checked: no key'
EOT
