# The recipe for cron of sea-workflows(7), as it is written there: silent when all is well, and it mails what is new.

cat >world.sh <<'EOX'
. "$SEA_TEST_LIB"
p=$PWD
PATH=$p/bin:$PATH
SEA_DIR=$p/web1/.sea
BUNDLES=$p/KIT/inventory
export PATH SEA_DIR BUNDLES
# run: one run, as cron does it; whatever it says would be mailed to root.
run() { status 0 sh -c "$p/inventory </dev/null"; }
silent() { run; [ ! -s out ] && [ ! -s err ]; }
EOX

t 'it is taken from the page' <<'EOT'
. ./world.sh
mkdir bin KIT
sed -n '/^\.Ss The nightly cron job/,/^\.Ed/p' "$SEA_TEST_ROOT/man/sea-workflows.7" | sed '1,/^\.Bd/d;/^\.Ed/d;s/\\e/\\/g' >inventory
chmod +x inventory
head -1 inventory | grep -q '^#!/bin/sh'
printf '#!/bin/sh\n{ echo "$@"; cat; } >>"%s/mailed"\n' "$p" >bin/mail
printf '#!/bin/sh\necho "$@" >>"%s/logged"\n' "$p" >bin/logger
chmod +x bin/*
sea init -q --name=web1 --content-type=org.example.inventory web1
sea -C web1 add-container -q --create hub "$p/hub"
EOT

t 'it says nothing, and records, syncs and exports' <<'EOT'
. ./world.sh
silent
[ "$(sea query --count)" -eq 1 ]
[ "$(ls KIT/inventory | grep -c '^inventory-web1-')" -eq 1 ]
silent
[ ! -e mailed ]
[ ! -e logged ]
unset SEA_DIR
sea clone -q --name=ops hub ops
[ "$(sea -C ops query --count)" -eq 1 ]
EOT

t 'bundles of the last days and months are kept' <<'EOT'
. ./world.sh
for n in 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1; do
  sea export -q --full --to="$BUNDLES"
  for name in KIT/inventory/inventory-web1-*; do
    [ "$name" -nt mark ] 2>/dev/null && touch -d "$n days ago" "$name"
  done
  :
done
ls KIT/inventory/inventory-web1-* | grep -v heads >all
n=40
for name in $(cat all); do touch -d "$n days ago" "$name"; n=$((n - 1)); done
silent
count=$(ls KIT/inventory | grep -c '^inventory-web1-')
[ "$count" -ge 7 ]
[ "$count" -le 10 ]
EOT

t 'a conflict is mailed once' <<'EOT'
. ./world.sh
host=$(sea query --ids)
(unset SEA_DIR; sea -C ops set -q "$host" note=ops; sea -C ops sync -q)
sea set -q "$host" note=mine
run
[ ! -s out ]
[ ! -s err ]
grep -q "$host" mailed
grep -q 'new conflicts' mailed
mv mailed first
# --since is told whole seconds: a day later is another one.
sleep 1
silent
[ ! -e mailed ]
EOT

t 'an unavailable container is silent, and problems are reported' <<'EOT'
. ./world.sh
mv hub gone
run
[ ! -s out ]
[ ! -e logged ]
sea init -q --name=other other
(unset SEA_DIR; sea -C other add-container -q --create hub "$p/hub")
status $INCOMPATIBLE sh -c "$p/inventory </dev/null"
says err 'error['
grep -q 'sync failed' logged
EOT
