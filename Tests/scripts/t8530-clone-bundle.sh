# sealed: yes
# What is cloned from a bundle is what would be from a container.

t 'from a file, from a folder, from a stream' <<'EOT'
sea init -q --name=a --content-type=org.example.x a
head -c 40000 /dev/urandom >p
(cd a && sea set -q --create -t t r1 n:=1 photo:asset@../p)
mkdir KIT
sea -C a export -q --to=../KIT/x
sea -C a set -q r1 n:=2
sea -C a export -q --to=../KIT/x
sea -C a export -q -o ../whole.tar.xz --compress=xz
sea clone --name=b whole.tar.xz b >out
grep -q '^  instance .*  b$' out
says out '3 blocks, 1 record, no conflicts, 1 asset'
sea clone -q --name=c KIT/x c
sea clone -q --name=d - d <whole.tar.xz
for one in b c d; do
  [ "$(sea -C $one get r1 n)" = 2 ]
  sea -C $one get r1 photo --raw | cmp - p
  sea -C $one verify -q
  [ "$(sea -C $one containers --porcelain | wc -l)" = 0 ]
done
status $USAGE sea clone - <whole.tar.xz
says err 'missing DIR'
EOT

t 'the folder is named after the bundle' <<'EOT'
cp KIT/x/x-a-0001-full.sea.tar.zst .
sea clone -q x-a-0001-full.sea.tar.zst
[ -d x-a-0001-full/.sea ]
status 0 sea clone -n KIT/x
says out 'would clone database '
says out 'from 2 bundles'
[ ! -e x ]
status 0 sea --json clone --name=j KIT/x
jq -e -s '.[0].event == "cloned" and .[1].blocks == 3 and .[1].assets == 1' out >/dev/null
[ -e KIT/x/heads/"$(sea -C x rev-parse --instance-id)".json ]
EOT

t 'a clone of a damaged or unsuitable bundle leaves nothing' <<'EOT'
head -c 500 whole.tar.xz >cut.tar.xz
status $CORRUPT sea clone cut.tar.xz y
[ ! -e y ]
status $PARTIAL sea clone KIT/x/x-a-0002-incr.sea.tar.zst y
says err 'error[base-missing]'
[ ! -e y ]
mkdir y
echo mine >y/file
status $PARTIAL sea clone KIT/x/x-a-0002-incr.sea.tar.zst y
[ "$(ls -A y)" = file ]
status $UNREACHABLE sea clone nothing y
status $SYSTEM sea clone whole.tar.xz a
mkdir several
cp KIT/x/*.zst several
sea init -q --name=o other
sea -C other export -q --to=../several
status $NOT_FOUND sea clone several z
says err 'several databases'
sea clone -q several/data-o-0001-full.sea.tar.zst z
EOT

t 'clone uses the good bundles of a folder' <<'EOT'
cp -r KIT/x part
head -c 300 KIT/x/x-a-0002-incr.sea.tar.zst >part/x-a-0002-incr.sea.tar.zst
status $CORRUPT sea clone part part.db
says err 'error[truncated]: x-a-0002-incr.sea.tar.zst'
[ "$(sea -C part.db get r1 n)" = 1 ]
sea -C part.db import -q ../KIT/x
[ "$(sea -C part.db get r1 n)" = 2 ]
EOT

t 'assets are taken as is wanted' <<'EOT'
sea clone -q --assets=none whole.tar.xz n
status $UNREACHABLE sea -C n get r1 photo --raw
sea clone -q --assets=max-size=1K whole.tar.xz m
status $UNREACHABLE sea -C m get r1 photo --raw
sea clone -q --assets=max-size=1M whole.tar.xz l
sea -C l get r1 photo --raw | cmp - p
EOT

t 'a sealed one opens under its passphrase' <<'EOT'
umask 077
echo 'a passphrase that is long enough' >pass
echo 'another passphrase of some length' >wrong
unset SEA_PASSWORD_FILE
sea init -q --encrypt --name=s --password-file=pass s
sea -C s set -q --create r n:=1
sea -C s export -q -o ../s.tar.zst
sea -C s set -q r n:=2
mkdir KIT/s
sea -C s export -q --to=../KIT/s
sea clone -q --name=s2 --password-file=pass s.tar.zst s2
[ "$(sea -C s2 get r n)" = 1 ]
(cat pass; cat s.tar.zst) | sea clone -q --name=s3 --password-fd=0 - s3
[ "$(sea -C s3 get r n)" = 1 ]
(cat pass; cat KIT/s/*.zst) | sea -C s2 --password-fd=0 import -q -
[ "$(sea -C s2 get r n)" = 2 ]
status $DENIED sea clone --password-file=wrong s.tar.zst s4
[ ! -e s4 ]
[ -n "$SEA_TEST_SEALED" ] || status $INCOMPATIBLE sea clone --password-file=pass whole.tar.xz s4
[ ! -e s4 ]
if zstd -qdc s.tar.zst | grep -a 'name'; then exit 1; fi
EOT

t 'a folder without its full bundle says where one comes from' <<'EOT'
sea init -q --name=lone lone
sea -C lone export -q --to="$PWD/KIT/lone"
sea clone -q --name=other KIT/lone lone2
sea -C lone2 set -q --create r n:=1
sea -C lone2 export -q --to="$PWD/KIT/lone"
rm KIT/lone/*-full.sea.tar.zst
heads=$(ls KIT/lone/heads)
status $CORRUPT sea clone KIT/lone unproven
says err 'to write one, run on a device that has the database: sea export --full --to=DIR'
[ ! -e unproven ]
[ "$(ls KIT/lone/heads)" = "$heads" ]
EOT

t 'access is requested and granted over a USB drive' <<'EOT'
unset SEA_PASSWORD_FILE
sea clone --no-input --name=guest KIT/s guest >out 2>err
says out 'Access requested for '
says err 'afterwards, run: sea import'
[ -e KIT/s/data-guest-0001-incr.sea.tar.zst ]
words=$(sed -n 's/^  fingerprint: //p' out)
cd guest
sea export --to=../KIT/s >out
says out 'nothing new'
cd ../s
sea import -q ../KIT/s
sea authorize -q --fingerprint="$words" "$(sea -C ../guest rev-parse --instance-id)"
sea export -q --to=../KIT/s
cd ../guest
status 0 sea import ../KIT/s
[ "$(sea get r n)" = 2 ]
sea set -q r n:=3
sea export -q --to=../KIT/s
cd ../s
sea import -q ../KIT/s
[ "$(sea get r n)" = 3 ]
EOT
