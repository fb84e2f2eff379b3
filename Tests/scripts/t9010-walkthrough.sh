# sealed: yes
# Two stories from beginning to end, as people live them.

# --- A field researcher, one stick, two laptops, no network.

t 'field: a database, and what was seen' <<'EOT'
mkdir -p media/KIT
sea init --name=field --content-type=org.example.birds field >out
says out 'Initialized empty sea database in '
says out 'org.example.birds'
cd field
sea set --create -t site site/north name='North hide' lat:decimal=47.3769 lon:decimal=8.5417 >../out
says ../out 'created	site/north	1-'
sea set --new -t sighting species='Upupa epops' site:ref=site/north seen:date=2026-08-22T05:41:00+02:00 \
    count:counter=2 tags:set+=song >../out
cut -f2 ../out >../sighting
sea get "$(cut -c1-8 ../sighting)" seen | grep -x 2026-08-22T03:41:00Z
sea add-container -q --create stick ../media/KIT/birds.sea
sea sync >../out
same ../out <<'EOX'
stick: pulled 0, pushed 3
EOX
EOT

t 'lab: the stick is checked, then cloned; the sighting is edited' <<'EOT'
id=$(cat sighting)
sea verify media/KIT/birds.sea >out
[ "$SEA_TEST_SEALED" ] || same out <<'EOX'
media/KIT/birds.sea: chain field 3 blocks ok
EOX
says out ' 3 blocks ok'
sea clone --name=lab media/KIT/birds.sea lab >out
says out '3 blocks, 2 records, no conflicts'
cd lab
sea set $(echo "$id" | cut -c1-8) species='Upupa epops epops' notes='two adults' count+=1 >../out
says ../out "updated	$id	2-"
sea sync -q
EOT

t 'field: the same sighting is edited; a damaged copy of the stick is refused, the stick is not' <<'EOT'
id=$(cat sighting)
sea -C field set -q "$id" notes='adult feeding young' count+=2 tags+=nest
cp -r media/KIT media/COPY
lab=$(sea -C lab rev-parse --instance-id)
block=media/COPY/birds.sea/transactions/$lab/1/1
head -c 200 "$block" >cut
mv cut "$block"
status $CORRUPT sea verify media/COPY/birds.sea
says out truncated
# A block that has not arrived whole may still be on its way: it is waited for, and nothing is taken in.
sea -C field add-container -q copy ../media/COPY/birds.sea
sea -C field query --json >before
sea -C field pull copy >out 2>&1 || true
sea -C field query --json | cmp before -
sea -C field remove-container -q --only-copy-is-fine copy
sea -C field sync stick >out
says out 'stick: pulled 1, pushed 1'
says out "CONFLICT sighting $id edit/edit: /notes"
EOT

t 'field: the conflict is shown, property by property, and decided' <<'EOT'
id=$(cat sighting)
sea -C field conflicts "$id" >out
says out ': 2 conflicting revisions since 1-'
grep '^=  /species ' out | grep -q '→ Upupa epops epops$'
grep '^!  /notes ' out | grep -q 'adult feeding young'
grep '^=  /count ' out | grep -q '→ 5$'
grep '^=  /tags ' out | grep -q '→ nest song$'
status $CONFLICT sea -C field resolve "$id"
sea -C field resolve --winner --set=notes='two adults, one feeding young' --set=species='Upupa epops epops' "$id" >out
says out "resolved	$id	3-"
sea -C field log --graph "$id" >out
[ "$(wc -l <out)" -eq 6 ]
grep -q '^| x  3-.*resolved into 3-' out
sea -C field sync -q
sea -C field status --exit-code
EOT

t 'lab: hears of it' <<'EOT'
id=$(cat sighting)
sea -C lab sync -q
sea -C lab conflicts --exit-code
[ "$(sea -C lab get "$id" notes)" = 'two adults, one feeding young' ]
sea -C field query --json >field.records
sea -C lab query --json | cmp field.records -
EOT

# --- Hosts record themselves from cron; two administrators edit one of them offline.

cat >inventory <<'EOX'
#!/bin/sh
# Records this host, then syncs.
set -eu
sea set -q --no-input --create -t host host/web1 hostname=web1 kernel="$(uname -r)" \
    ram_mb:="${RAM:-32768}" disks:='[{"name":"sda","size":480103981056}]'
rc=0
sea sync -q --no-input --lock-wait=60 --fail-on-conflict || rc=$?
case $rc in
0|9) ;;                          # 9: the hub is not there; the next run catches up
3)   sea conflicts --format='%(id)  %(paths)' >>"$MAIL" ;;
*)   echo "sea sync failed: $rc" >&2; exit "$rc" ;;
esac
EOX
chmod +x inventory

t 'web1: the second run finds nothing changed and writes nothing; a hub that is away does no harm' <<'EOT'
sea init -q --name=web1 --content-type=org.example.inventory web1
sea -C web1 add-container -q --create hub ../hub
export SEA_DIR="$PWD/web1/.sea" MAIL="$PWD/mail"
./inventory
sea heads >heads
./inventory
sea heads | cmp heads -
mv hub away
RAM=16384 ./inventory
mv away hub
RAM=32768 ./inventory
sea set -q host/web1 reboots:counter+=1
status $BAD_DATA sea set host/web1 ram_mb=64G
says err 'error[bad-data]'
says err '--replace-type'
sea sync -q
EOT

t 'two administrators edit the host offline, and one hears of the conflict first' <<'EOT'
sea clone -q --name=ops1 hub ops1
sea clone -q --name=ops2 hub ops2
sea -C ops1 set -q host/web1 ram_mb:=65536 owner:ref=person/ada notes='moved to rack 4'
sea -C ops2 set -q host/web1 ram_mb:=131072 notes='new DIMMs' tags:set+=db
sea -C ops2 sync -q
sea -C ops1 sync >out
says out 'CONFLICT host host/web1 edit/edit: '
says out /ram_mb
says out /notes
status $CONFLICT sea -C ops1 sync --fail-on-conflict
sea -C ops1 get host/web1 --json | grep -q '"_conflicts":\["5-'
status $CONFLICT sea -C ops1 get --strict host/web1
EOT

t 'cron on the host goes on, and mails the conflict' <<'EOT'
export SEA_DIR="$PWD/web1/.sea" MAIL="$PWD/mail"
sea get host/web1 ram_mb >before
RAM=$(cat before) ./inventory
sea sync -q
RAM=$(sea get host/web1 ram_mb) ./inventory
grep -q '^host/web1  .*/ram_mb' mail
EOT

t 'one decides; every instance is clean and alike' <<'EOT'
sea -C ops1 sync -q
sea -C ops1 resolve --winner --set=ram_mb:=131072 --set=notes='moved to rack 4; new DIMMs' host/web1 -n >out
says out 'host/web1'
sea -C ops1 conflicts --count | grep -qx 1
sea -C ops1 resolve --winner --set=ram_mb:=131072 --set=notes='moved to rack 4; new DIMMs' host/web1
sea -C ops1 log host/web1 ram_mb >out
head -1 out | grep -q 131072
for instance in ops1 ops2 web1; do sea -C $instance sync -q; done
sea -C ops1 query --json >want
for instance in ops2 web1; do
  sea -C $instance conflicts --exit-code
  sea -C $instance query --json | cmp want -
  sea -C $instance verify -q
done
EOT
