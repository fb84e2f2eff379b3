# limit: 120
# sealed: yes
# Assets go along with blocks: lazily, resumed, checked, from whoever has a good copy.
# asset RECORD PROPERTY: the path of its last file below assets/
cat >asset <<'EOR'
#!/bin/sh
sea -C one get --json "$1" "$2" | jq -r '.["$asset"]' | sed -E 's,/([0-9]+-)?,/1/,'
EOR
# draft FOLDER RECORD PROPERTY: the file in which it is made there
cat >draft <<'EOR'
#!/bin/sh
echo "$PWD/$1/assets/.sea-tmp-$(printf 'assetassets/%s' "$(./asset "$2" "$3")" | sha256sum | cut -c1-32)"
EOR
chmod +x asset draft

t 'assets are pushed, and pulled only on request' <<'EOT'
sea init -q --name=one one
sea -C one add-container -q --create c "$PWD/c"
head -c 3000000 /dev/urandom >large
echo small >small
sea -C one set -q --create -t t r large:asset@../large
sea -C one set -q --create -t u s small:asset@../small
sea -C one sync --porcelain | cut -f1-5 >out
printf 'c\tok\t0\t3\t2\n' | same out
sea -C one sync --json | jq -c 'select(.event=="container") | [.pulled,.pushed,.assets]' >out
printf '[0,0,0]\n' | same out
diff -r one/.sea/assets c/assets
sea clone -q --name=two c two
[ ! -e two/.sea/assets ]
status $UNREACHABLE sea -C two get --raw r large
says err 'error[asset-missing]'
sea -C two get --raw --fetch s small | cmp - small
status $UNREACHABLE sea -C two get --raw r large
EOT

t 'a filter limits both ways, once or for good' <<'EOT'
sea -C two sync --assets=none --porcelain | cut -f5 >out
echo 0 | same out
sea -C two sync --assets=type=u --porcelain | cut -f5 >out
echo 0 | same out
sea -C two pull --assets=min-size=1M,type=t --porcelain | cut -f5 >out
echo 1 | same out
sea -C two get --raw r large | cmp - large
sea -C one add-container -q --create --assets=max-size=1k tiny "$PWD/tiny"
sea -C one sync tiny >out
says out '1 asset'
[ -e "tiny/assets/$(./asset s small)" ]
[ ! -e "tiny/assets/$(./asset r large)" ]
sea -C one config get container.tiny.assets | grep -qx 'max-size=1024'
sea -C one push --assets=all tiny >out
says out '1 asset'
status $USAGE sea -C one sync --assets=large
says err max-size
status $BAD_DATA sea -C one config set container.tiny.assets everything
sed -i 's/max-size=1024/everything/' one/.sea/config
status $BAD_DATA sea -C one sync tiny
says err container.tiny.assets
sea -C one config set container.tiny.assets all
sea clone -q --name=three --assets=all c three
sea -C three get --raw r large | cmp - large
sea -C three config get container.origin.assets | grep -qx all
EOT

t 'a mirror has the files' <<'EOT'
sea mirror c copy >out
says out '2 asset files'
diff -r c/assets copy/assets
sea mirror --json c copy | jq -se 'map(select(.event=="mirrored"))[0].assets == 0' >/dev/null
EOT

t 'a bad copy is reported, and the next container is tried' <<'EOT'
rm -rf two
sea clone -q --name=two c two
sea -C two add-container -q copy "$PWD/copy"
chmod u+w "c/assets/$(./asset r large)"
spoil "c/assets/$(./asset r large)" 2000000
sea -C two get --raw --fetch r large >back 2>err
cmp back large
says err 'warning[bad-asset]'
says err origin
rm -rf two/.sea/assets
status $CORRUPT sea -C two pull --assets=all origin
says err bad-asset
[ -z "$(find two/.sea/assets -name '.sea-tmp-*')" ]
sea -C two pull -q --assets=all copy
sea -C two get --raw r large | cmp - large
# An instance that has the good file replaces the bad one in the container, or a missing one.
status 0 sea -C one push --assets=all c
cmp "c/assets/$(./asset r large)" "one/.sea/assets/$(./asset r large)"
rm -f "c/assets/$(./asset r large)"
sea -C one push -q --assets=all c
cmp "c/assets/$(./asset r large)" "one/.sea/assets/$(./asset r large)"
EOT

t 'assets that are damaged on this disk are not pushed' <<'EOT'
echo good >good
sea -C one set -q --create w a:asset@../good
cp "one/.sea/assets/$(./asset w a)" kept
spoil "one/.sea/assets/$(./asset w a)" 1
status $CORRUPT sea -C one push c
says err bad-asset
[ ! -e "c/assets/$(./asset w a)" ]
[ -z "$(find c -name '.sea-tmp-*')" ]
cp kept "one/.sea/assets/$(./asset w a)"
status 0 sea -C one push --assets=all c
EOT

t 'kill -9 while a file is handed over: it is not there, and the next sync goes on' <<'EOT'
head -c 20000000 /dev/urandom >huge
sea -C one set -q --create h huge:asset@../huge
draft=$(./draft c h huge)
for when in 1 9 7; do
  strace -f -o trace -P "$draft" -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=$when \
    sea -C one sync -q c >log 2>&1 && exit 1
  grep -q 'killed by SIGKILL' trace
  [ ! -e "c/assets/$(./asset h huge)" ]
done
[ "$(stat -c %s "$draft")" -ge 14000000 ]
strace -f -o trace -P "$draft" -e trace=pwrite64 sea -C one sync -q c
[ "$(grep -c pwrite64 trace)" -le 6 ]
cmp "c/assets/$(./asset h huge)" "one/.sea/assets/$(./asset h huge)"
[ -z "$(find c -name '.sea-tmp-*')" ]
EOT

t 'kill -9 while a file is fetched: it is not here, and the next run goes on' <<'EOT'
sea -C two pull -q origin
draft=$(./draft two/.sea h huge)
for when in 3 9; do
  strace -f -o trace -P "$draft" -e trace=pwrite64 -e inject=pwrite64:signal=KILL:when=$when \
    sea -C two get --raw --fetch h huge >log 2>&1 && exit 1
  grep -q 'killed by SIGKILL' trace
  status $UNREACHABLE sea -C two get --raw h huge
done
[ "$(stat -c %s "$draft")" -ge 10000000 ]
# What is left is not believed either.
spoil "$draft" 100
sea -C two get --raw --fetch h huge >back 2>err
cmp back huge
[ ! -s err ]
[ -z "$(find two/.sea -name '.sea-tmp-*')" ]
sea -C two verify -q
EOT

t 'a full disk is told; what fills it is gone' <<'EOT'
head -c 5000000 /dev/urandom >next
sea -C one set -q --create n a:asset@../next
draft=$(./draft c n a)
strace -f -o trace -P "$draft" -e trace=pwrite64 -e inject=pwrite64:error=ENOSPC:when=3 sea -C one sync c >out 2>err && exit 1
says err 'No space left'
[ ! -e "$draft" ]
status 0 sea -C one sync c
says out '1 asset'
cmp "c/assets/$(./asset n a)" "one/.sea/assets/$(./asset n a)"
sea -C two pull -q origin
draft=$(./draft two/.sea n a)
strace -f -o trace -P "$draft" -e trace=pwrite64 -e inject=pwrite64:error=ENOSPC:when=3 \
  sea -C two pull --assets=all origin >out 2>err && exit 1
says err 'No space left'
[ ! -e "$draft" ]
status 0 sea -C two pull --assets=all origin
sea -C two get --raw n a | cmp - next
EOT

t 'a file of more than 1 GiB goes along in little memory' <<'EOT'
cat >peak <<'EOR'
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if peak > int(sys.argv[1]): sys.exit("%d KiB of memory" % peak)
sys.exit(status)
EOR
truncate -s 1073741829 sparse
sea -C one set -q --create big a:asset@../sparse
/usr/bin/python3 peak 100000 sea -C one sync -q c
rm -rf one/.sea/assets
/usr/bin/python3 peak 100000 sea -C one get --raw --fetch big a >back
cmp back sparse
rm -f back sparse
EOT

t 'an asset that is damaged in a container is found, set aside and written again' <<'EOT'
mkdir damaged
cd damaged
sea init -q d
head -c 200000 /dev/urandom >file
sea -C d set -q --create r scan:asset@../file
sea -C d add-container -q --create c "$PWD/c"
sea -C d sync -q
victim=$(find c/assets -type f | head -1)
cp "$victim" good
printf 'X' | dd of="$victim" bs=1 seek=1000 conv=notrunc 2>/dev/null
cmp -s "$victim" good && exit 1
status 0 sea -C d sync
says out '1 lost asset restored'
cmp "$victim" good
ls "$(dirname "$victim")" | grep -q damaged
status 0 sea -C d sync --full
fails grep -q 'restored' out
sea clone -q --assets=all c e
sea -C e verify -q
EOT
