# limit: 240
# sealed: yes
# What was purged is gone from the store and from its places in containers: neither as text nor as the bytes that were encrypted. Nothing
# else is touched.
cat >world.sh <<'EOX'
. "$SEA_TEST_LIB"
# What is to be found nowhere: the text, and of the files that are named what stands before the signature of a block, which no other file has.
notes() {
  for file; do tail -c 104 "$file" | head -c 40 | od -An -v -tx1 | tr -d ' \n'; echo; done
}
# clean DIR...: none of it is there.
clean() {
  if grep -rla SECRET "$@"; then echo "there is plain text"; exit 1; fi
  python3 - "$PWD/gone" "$@" <<'EOP'
import os, sys
gone = [bytes.fromhex(line) for line in open(sys.argv[1]) if line.strip()]
for top in sys.argv[2:]:
    for folder, _, names in os.walk(top):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file: data = file.read()
            for one in gone:
                if one in data: sys.exit("%s has what was purged" % os.path.join(folder, name))
EOP
}
block() { echo "$1/transactions/$2/1/$3"; }
EOX

t 'a record is gone from the store and from its places in the containers' <<'EOT'
. ./world.sh
sea init -q --name=desk desk
head -c 5000 /dev/urandom | od -An -tx1 >photo
(cat photo; echo SECRET photo) >secret.txt
sea -C desk put -q '{"_id":"c/1","mail":"SECRET-one","n":1}' '{"_id":"c/2","mail":"stays"}'
sea -C desk set -q c/1 mail=SECRET-two scan:asset@"$PWD/secret.txt"
sea -C desk set -q c/2 n:=5
sea -C desk add-container -q --create team "$PWD/team"
sea -C desk sync -q
sea clone -q --name=lap team lap
sea -C lap sync -q
sea -C desk sync -q
me=$(sea -C desk rev-parse --instance-id)
cp -r team old
sea -C desk export -q --full -o "$PWD/old.bundle"
notes $(block team $me 1) $(block team $me 2) team/assets/$me/1/0 >gone
rev=$(sea -C desk rev-parse c/2@winner)

status $CONFLICT sea -C desk purge c/1
says out 'would purge 2 revisions of c/1, 2 blocks; 1 other revision in them kept; the record is deleted'
says err 'not-confirmed'
status 0 sea -C desk purge -n c/1
status $CONFLICT sea -C desk purge --confirm=lap c/1
says err "'lap' is neither the name of this instance"
status $NOT_FOUND sea -C desk purge --confirm=desk c/9
status $USAGE sea -C desk purge --confirm=desk
status $USAGE sea -C desk purge --status c/1
status 0 sea -C desk get c/1

status $PARTIAL sea -C desk purge --confirm=desk c/1
says out '2 blocks and 1 asset in this store'
says out 'not yet: container team, 3 places; run: sea sync team'
says out 'not known: instance lap'
says err 'copies under other names, backups and devices that never sync again still have the content'
clean desk/.sea
status $NOT_FOUND sea -C desk get c/1
[ "$(sea -C desk rev-parse c/2@winner)" = "$rev" ]
[ "$(sea -C desk get c/2 mail)" = stays ]
status 0 sea -C desk verify
status $PARTIAL sea -C desk purge --status
status 0 sea -C desk sync
says out 'purged there'
clean desk/.sea team
status 0 sea -C desk verify --keys team
status $PARTIAL sea -C desk purge --status
says out 'done: container team'
says out 'not known: instance lap'
EOT

t 'every instance that receives the order purges and confirms' <<'EOT'
. ./world.sh
status 0 sea -C lap sync
clean lap/.sea team
status $NOT_FOUND sea -C lap get c/1
status 0 sea -C lap verify
sea -C desk sync -q
status 0 sea -C desk purge --status
says out 'done: instance lap'
EOT

t 'an old stick and an old bundle bring nothing back' <<'EOT'
. ./world.sh
sea -C desk add-container -q old "$PWD/old"
status 0 sea -C desk sync
says out 'old: pulled 0, '
says out ' purged there'
sea -C lap import -q "$PWD/old.bundle"
clean desk/.sea lap/.sea old team
# Nor by a newcomer who begins with the bundle.
sea clone -q --name=late old.bundle late
sea -C late add-container -q team "$PWD/team"
status 0 sea -C late sync
clean late/.sea team
status $NOT_FOUND sea -C late get c/1
sea -C desk sync -q
sea -C desk export -q --full -o "$PWD/new.bundle"
mkdir new
tar -C new --zstd -xf new.bundle || (zstd -dc new.bundle | tar -C new -xf -)
clean new
status 0 sea -C desk verify "$PWD/new.bundle"
EOT

t 'a property and its history go, the record stays' <<'EOT'
. ./world.sh
sea -C desk put -q '{"_id":"c/3","mail":"SECRET-three","n":1}'
sea -C desk set -q c/3 n:=2
sea -C desk set -q c/3 n:=3 mail=
sea -C desk set -q c/3 mail=SECRET-four
sea -C desk purge --confirm=desk c/3 mail || [ $? = 8 ]
[ "$(sea -C desk get c/3 n)" = 3 ]
status $NOT_FOUND sea -C desk get c/3 mail
clean desk/.sea
status 0 sea -C desk log c/3
status 0 sea -C desk verify
status 0 sea -C desk purge -n c/3 mail
says out 'would purge nothing'
EOT

t 'killed anywhere and repeated it ends the same' <<'EOT'
. ./world.sh
sea -C desk sync -q
for n in 1 2 3 4 5 6 7 8; do
  cp -r desk d$n
  cp -r team t$n
  sea -C d$n config set container.team.location "$PWD/t$n"
  sea -C d$n config set container.old.location "$PWD/nowhere"
  sea -C d$n put -q '{"_id":"k/1","v":"SECRET-five"}' '{"_id":"k/2","v":"stays"}'
  sea -C d$n sync -q || :
  pause=0.0$((n * 2 - 1))
  timeout -s KILL $pause sea -C d$n purge --confirm=desk k/1 >/dev/null 2>&1 || :
  timeout -s KILL $pause sea -C d$n sync >/dev/null 2>&1 || :
  sea -C d$n purge --confirm="$(sea -C d$n status --json | sed -n 's/.*"name":"\([^"]*\)".*/\1/p' | head -1)" k/1 || [ $? = 8 ]
  sea -C d$n sync || [ $? = 8 ]
  sea -C d$n gc
  clean d$n/.sea t$n
  status 0 sea -C d$n verify
  status 0 sea -C d$n verify --keys team
  [ "$(sea -C d$n get k/2 v)" = stays ]
  status $NOT_FOUND sea -C d$n get k/1
  rm -rf d$n t$n
done
EOT

t 'neither an index of values nor one of words keeps it' <<'EOT'
. ./world.sh
sea -C desk reindex -q --add=by-mail=note:mail
sea -C desk reindex -q --add-text=words=note:mail,/scan
sea -C desk set -q --create -t note i/1 mail=SECRET-six
sea -C desk set -q i/1 mail='SECRET-seven words'
sea -C desk set -q --create -t note i/2 mail='words that stay'
[ "$(sea -C desk query -q -t note --count "_words MATCH 'words'")" = 2 ]
sea -C desk sync -q
me=$(sea -C desk rev-parse --instance-id)
folder=team/transactions/$me/1
for n in $(ls $folder | grep -x '[0-9]*' | sort -n | tail -3); do notes $folder/$n; done >gone
sed -i 1,2!d gone
sea -C desk purge --confirm=desk i/1 || [ $? = 8 ]
clean desk/.sea
[ "$(sea -C desk query -q -t note --count "_words MATCH 'words'")" = 1 ]
status 0 sea -C desk sql --csv "SELECT _id FROM note WHERE mail LIKE 'SECRET%'"
[ "$(wc -l <out)" = 1 ]
status 0 sea -C desk verify
sea -C desk reindex -q
clean desk/.sea
EOT

t 'files under other names stay, whatever they hold' <<'EOT'
. ./world.sh
sea -C desk put -q '{"_id":"k/3","v":"SECRET-eight"}'
sea -C desk sync -q
me=$(sea -C desk rev-parse --instance-id)
D=team/transactions/$me/1
N=$(ls $D | grep -x '[0-9]*' | sort -n | tail -1)
mkdir -p team/1/2/3
for to in "$D/$N (conflicted copy)" $D/$N.damaged-0123abcd $D/.$N.nextcloud team/1/2/3/x team/note; do cp $D/$N "$to"; done
cp $D/$N copy
sea -C desk purge --confirm=desk k/3 || [ $? = 8 ]
status 0 sea -C desk sync
says out ', 1 purged there'
fails grep -q -a SECRET $D/$N
for to in "$D/$N (conflicted copy)" $D/$N.damaged-0123abcd $D/.$N.nextcloud team/1/2/3/x team/note; do cmp copy "$to"; done
sea -C desk purge --status >out || [ $? = 8 ]
says out 'done: container team'
sea -C lap sync -q
for to in "$D/$N (conflicted copy)" $D/$N.damaged-0123abcd team/1/2/3/x team/note; do cmp copy "$to"; rm "$to"; done
rm $D/.$N.nextcloud
clean team
status 0 sea -C desk verify --keys team
EOT

t 'a purge of what only claims to be the file of somebody else deletes nothing' <<'EOT'
sea init -q --name=v v
sea -C v set -q --create r1 title=one
for folder in shared private; do sea -C v add-container -q --create $folder "$PWD/$folder"; done
sea -C v sync -q
echo 'my thesis' | tee shared/thesis.txt private/thesis.txt >photo
sea -C v set -q r1 photo:asset@"$PWD/photo"
sea -C v sync -q
sea clone -q --name=evil shared e
him=$(sea -C v rev-parse --instance-id)
me=$(sea -C e rev-parse --instance-id)
sum=$(sha256sum <photo | cut -d' ' -f1)
for place in $him/0 $me/0 $me/7; do
  printf '{"_id":"mine-%s","p":{"$asset":"%s","mime":"text/plain","size":10,"sha256":"%s"}}' "${place##*/}" $place $sum |
    sea -C e put -q -
done
sea -C e sync -q
sea -C v sync -q
for id in mine-0 mine-7; do sea -C e purge -q --confirm=evil $id || [ $? = 8 ]; done
sea -C e sync -q
status 0 sea -C v sync
for folder in shared private; do
  cmp photo $folder/thesis.txt
  [ -e $folder/assets/$him/1/0 ]
done
status 0 sea -C v verify --keys shared
EOT

t 'an append-only place keeps what it has, and the status says so' <<'EOT'
sea init -q --name=keep keep
sea -C keep put -q '{"_id":"a","v":"SECRET-12"}'
mkdir -p bin
printf '#!/bin/sh\nexec sea serve --stdio --append-only "%s/vault"\n' "$PWD" >bin/sea-remote-vault
chmod +x bin/sea-remote-vault
export PATH="$PWD/bin:$PATH"
sea -C keep add-container -q --create vault vault:x
sea -C keep sync -q
status $PARTIAL sea -C keep purge --confirm=keep a
says out 'not yet: container vault, 1 place: it is append-only'
find vault/transactions -type f -exec sha256sum {} + | sort >before
status 0 sea -C keep sync
sha256sum -c --quiet before
status $PARTIAL sea -C keep purge --status
says out 'not yet: container vault, 1 place: it is append-only'
EOT

t 'one place after the other: pages, log, containers, and what is written from then on' <<'EOT'
. ./world.sh
sea init -q --name=solo solo
head -c 3000 /dev/urandom >bytes
(echo SECRET-scan; cat bytes) >scan
for n in 1 2 3 4 5; do sea -C solo put -q "{\"_id\":\"p/$n\",\"v\":\"SECRET-$n\"}"; done
sea -C solo set -q p/1 scan:asset@"$PWD/scan"
sea -C solo put -q '{"_id":"q","v":"stays"}'
sea -C solo add-container -q --create box "$PWD/box"
sea -C solo sync -q
me=$(sea -C solo rev-parse --instance-id)
notes $(block box $me 1) $(block box $me 6) box/assets/$me/1/0 >gone
cat solo/.sea/db* | grep -q -a SECRET
for n in 1 2 3 4 5; do sea -C solo purge --confirm=solo p/$n >/dev/null || [ $? = 8 ]; done
clean solo/.sea
cp -r box was
status 0 sea -C solo sync
clean box
# What comes back to its place goes again, one after the other.
for from in transactions/$me/1/1 transactions/$me/1/6 assets/$me/1/0; do
  mkdir -p "box/${from%/*}" && cp was/$from box/$from
  status $PARTIAL sea -C solo purge --status
  says out 'not yet: container box, 1 place; run: sea sync box'
  sea -C solo sync -q
  clean box solo/.sea
  status 0 sea -C solo purge --status
done
# Bundles and copies that are written from now on.
sea -C solo export -q --full -o "$PWD/new.bundle.tar"
mkdir unpacked
tar xf new.bundle.tar -C unpacked
clean unpacked
fails grep -q -a SECRET new.bundle.tar
# Without keys it cannot tell whether that was ordered.
sea mirror -q box mirrored || [ $? = 8 ]
clean mirrored
sea clone -q box fresh
clean fresh
EOT

t 'after a restored backup, and what nobody has ordered' <<'EOT'
export XDG_STATE_HOME="$PWD/state"
sea init -q --name=past past
sea -C past put -q '{"_id":"s","v":"SECRET-nine"}'
sea -C past add-container -q --create shelf "$PWD/shelf"
sea -C past sync -q
sea clone -q --name=other shelf other
sea -C past put -q '{"_id":"t","v":"SECRET-ten"}'
cp -a past/.sea backup
sea -C past set -q --create u n:=1
rm -r past/.sea
mv backup past/.sea
was=$(sea -C past rev-parse --instance-id)
status 0 sea -C past set --create w n:=1
says err 'warning[renewed]'
[ "$(sea -C past rev-parse --instance-id)" != "$was" ]
# Nobody but who wrote it, and whoever goes on in its place.
status 0 sea -C other purge --status
says out 'nothing to purge'
status $PARTIAL sea -C other purge --confirm=other s
says out 'to purge it, run the same command on past, its successor'
status $PARTIAL sea -C other purge --status
says out 'not yet: this store, 1 block that could not be purged'
status $PARTIAL sea -C other --json purge --status
says out '"stays":1'
for id in s t; do sea -C past purge --confirm=past $id || [ $? = 8 ]; done
sea -C past sync -q
fails grep -rla SECRET past/.sea shelf
status $PARTIAL sea -C past purge --status
says out 'done: this store, 2 blocks'
says out 'done: container shelf'
says out 'has not confirmed; its successor has'
sea -C other sync -q
fails grep -rla SECRET other/.sea shelf
sea -C other purge --status >out || [ $? = 8 ]
says out 'done: this store, 2 blocks'
status 0 sea -C other verify --keys "$PWD/shelf"
EOT

t 'get of a purged record does not promise its return' <<'EOT'
sea init -q --name=vanished vanished && cd vanished
sea set -q --create r a=1
sea purge -q r --confirm=vanished
status $NOT_FOUND sea get r
says err 'hint: the record was purged and cannot be recovered; for its history, run: sea log r'
sea set -q --create s a=1
sea delete -q s
status $NOT_FOUND sea get s
says err 'to restore it, run: sea revert s'
EOT
