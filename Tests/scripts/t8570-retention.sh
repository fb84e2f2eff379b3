# sealed: yes
# What an export throws away from an exchange directory, what it never does, and what status knows of such directories.

cat >world.sh <<'EOX'
. "$SEA_TEST_LIB"
p=$PWD
kit=$p/KIT/birds
# aged DAYS OPTIONS...: changes something, exports it, and makes the bundle that old.
aged() {
  days=$1
  shift
  sea -C field set -q --create site/s n:="$days"
  ls KIT/birds >before
  sea -C field export -q --to="$kit" "$@"
  for name in $(ls KIT/birds | comm -13 before - | grep -v heads); do touch -d "$days days ago" "KIT/birds/$name"; done
}
# names: the numbers of the bundles of field.
names() { ls KIT/birds | sed -n 's/^birds-field-0*\([0-9]*\)-.*/\1/p' | sort -nu | tr '\n' ' '; }
EOX

t 'full bundles that a rule keeps stay' <<'EOT'
. ./world.sh
mkdir -p KIT/birds
sea init -q --name=field --content-type=org.example.birds field
for days in 400 40 33 10 3 2 1; do aged $days --full; done
[ "$(names)" = '1 2 3 4 5 6 7 ' ]
sea -C field set -q site/s n:=0
ls -l KIT/birds >before
status 0 sea -C field export -n --full --to="$kit" --keep-daily=3
says out 'would write birds-field-0008-full.sea.tar.zst'
for n in 1 2 3 4 5; do says out "would remove birds-field-000$n-full.sea.tar.zst   "; done
[ "$(wc -l <out)" -eq 6 ]
ls -l KIT/birds | cmp - before
status 0 sea -C field export --full --to="$kit" --keep-daily=3
for n in 1 2 3 4 5; do says out "removed birds-field-000$n-full.sea.tar.zst   "; done
[ "$(names)" = '6 7 8 ' ]
# Nothing new is no reason to keep more; the newest stays whatever is said.
status 0 sea -C field export --to="$kit" --keep-last=0
says out 'nothing new for birds'
[ "$(names)" = '8 ' ]
sea clone -q --name=all "$kit" all
[ "$(sea -C all get site/s n)" = 0 ]
sea -C all verify -q
rm -r all
EOT

t 'never what others build on' <<'EOT'
. ./world.sh
touch -d '10 days ago' KIT/birds/birds-field-0008*
aged 9; aged 8; aged 7
[ "$(names)" = '8 9 10 11 ' ]
status 0 sea -C field export --to="$kit" --keep-last=1 --json
[ "$(grep -c '"event":"kept"' out)" -eq 3 ]
says out '"removed":0'
[ "$(names)" = '8 9 10 11 ' ]
status 0 sea -C field export --to="$kit" --keep-last=1 -n
says out 'kept (no other bundle has all of its blocks): birds-field-0008-full.sea.tar.zst   '
# One that holds everything makes them superfluous.
aged 0 --full
status 0 sea -C field export --to="$kit" --keep-last=1
[ "$(names)" = '12 ' ]
EOT

t 'never what a damaged one was to hold' <<'EOT'
. ./world.sh
aged 1 --full
aged 0 --full
[ "$(names)" = '12 13 14 ' ]
size=$(stat -c %s KIT/birds/birds-field-0014-full.sea.tar.zst)
printf XXXX | dd of=KIT/birds/birds-field-0014-full.sea.tar.zst bs=1 seek=$((size / 2)) conv=notrunc status=none
status 0 sea -C field export --to="$kit" --keep-last=1
says out 'removed birds-field-0012-full'
says out 'kept (no other bundle has all of its blocks): birds-field-0013-full'
[ "$(names)" = '13 14 15 ' ]
rm KIT/birds/birds-field-0014-full.sea.tar.zst
EOT

t 'never the last one with an asset, or with settings' <<'EOT'
. ./world.sh
head -c 300000 /dev/urandom >IMG.jpg
sea -C field config set core.abbrev 9
sea -C field set -q site/s photo:asset@"$p/IMG.jpg"
aged 2 --full --backup --split=100K
[ "$(ls KIT/birds | grep -c 'field-0016-full.sea.tar.zst.00')" -gt 1 ]
aged 1 --full --no-assets
aged 0 --full --no-assets
status 0 sea -C field export --to="$kit" --keep-last=1
[ "$(names)" = '16 18 ' ]
aged 0 --full
status 0 sea -C field export --to="$kit" --keep-last=1
says out 'kept (no other bundle has all of its blocks): birds-field-0016-full'
[ "$(names)" = '16 19 ' ]
aged 0 --full --backup
status 0 sea -C field export --to="$kit" --keep-last=1
[ "$(names)" = '20 ' ]
[ "$(ls KIT/birds | grep -c field)" -eq 1 ]
EOT

t 'never those of others, and nothing is relied upon that they may throw away' <<'EOT'
. ./world.sh
sea clone -q --name=lab "$kit" lab
sea -C lab set -q site/s n:=77
sea -C lab export -q --full --to="$kit"
sea -C field import -q "$kit"
aged 1; aged 0
[ "$(names)" = '20 21 22 ' ]
status 0 sea -C field export --to="$kit" --keep-last=1
[ "$(names)" = '20 21 22 ' ]
sea -C field export -q --full --backup --to="$kit" --keep-last=1
[ "$(names)" = '23 ' ]
ls KIT/birds | grep -q 'birds-lab-0001-full'
sea clone -q --name=third "$kit" third
[ "$(sea -C third query --json | sort)" = "$(sea -C field query --json | sort)" ]
EOT

t 'a rule needs a folder' <<'EOT'
. ./world.sh
status $USAGE sea -C field export -o "$p/one.sea.tar.zst" --keep-daily=7
says err '--keep-daily'
[ ! -e one.sea.tar.zst ]
EOT

t 'status knows such folders' <<'EOT'
. ./world.sh
status 0 sea -C field status
says out "exchange $kit  nothing to export, last used "
sea -C field set -q site/s n:=5
status 0 sea -C field status
says out "exchange $kit  1 block to export, last used "
status 0 sea -C field status --porcelain
says out "# exchange	$kit	known	1	-"
status $NO sea -C field status --probe --exit-code
says out "exchange $kit  1 block to export, nothing to import, last used "
sea -C lab import -q "$kit"
sea -C lab set -q --create site/t n:=1
sea -C lab export -q --to="$kit"
status $NO sea -C field status --probe --exit-code
says out "exchange $kit  1 block to export, 1 bundle to import, last used "
status 0 sea -C field status --probe --json
says out "\"event\":\"exchange\",\"path\":\"$kit\",\"state\":\"ok\",\"to_export\":1,\"assets_to_export\":0,\"to_import\":1"
sea -C field import -q "$kit"
sea -C field export -q --to="$kit"
status 0 sea -C field status --probe --exit-code
says out "exchange $kit  nothing to export, nothing to import, last used "
mv KIT away
status 0 sea -C field status --probe
says out "exchange $kit  nothing to export, unavailable, last used "
mv away KIT
# One that was not used for 60 days is not shown, and still has to be there.
cp field/.sea/exchanges kept
now=$(date +%s)
for days in 59 61; do
  sed "s/\"time\":[0-9]*/\"time\":$((now - days * 86400))000/" kept >field/.sea/exchanges
  status 0 sea -C field status
  grep -c "^exchange $kit " out >count || true
  [ "$(cat count)" = $((days < 60)) ]
done
mv KIT away
status $UNREACHABLE sea -C field export --to="$kit"
mv away KIT
mv kept field/.sea/exchanges
# Who has begun with one knows it, too; what cannot be read is forgotten.
status 0 sea -C third status
says out "exchange $kit  "
printf 'x\n{"path":7}\n\377\n' >third/.sea/exchanges
status 0 sea -C third status
fails grep -q exchange out
EOT
