# limit: 120
# sealed: yes
mkdir -p tools
ln -s "$SEA_TEST_ROOT/Tests/faults/terminal.py" tools/terminal
PATH=$PWD/tools:$PATH
export PATH

# damage FILE: changes some bytes of it in the middle; its size stays.
cat >tools/damage <<'EOT'
#!/bin/sh
chmod u+w "$1"
printf XXXX | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") / 2)) conv=notrunc status=none
EOT
chmod +x tools/damage

t 'two containers with the same assets, and an instance that has none' <<'EOT'
mkdir files
for k in 1 2 3; do head -c ${k}00000 /dev/urandom >files/$k; done
sea init -q --name=field birds
for k in 1 2 3; do sea -C birds set -q --create -t bird bird/$k photo:asset@"$PWD/files/$k"; done
sea -C birds add-container -q --create stick "$PWD/stick.sea"
sea -C birds add-container -q --create hub "$PWD/hub.sea"
sea -C birds sync -q
sea clone -q --name=lab stick.sea lab
sea -C lab add-container -q hub "$PWD/hub.sea"
EOT

t 'a dry run fetches nothing' <<'EOT'
sea -C lab fetch-assets -n >out
echo 'would fetch 3 assets, 585.9 KiB, from origin' | same out
sea -C lab assets --present >out
[ ! -s out ]
EOT

t 'one record, a filter, a limit, a container' <<'EOT'
sea -C lab fetch-assets bird/1 >out
echo 'fetched 1 asset, 97.6 KiB, from origin' | same out
sea -C lab get bird/1 photo --raw | cmp - files/1
sea -C lab fetch-assets --max-size=200000 --from=hub >out
echo 'fetched 1 asset, 195.3 KiB, from hub' | same out
sea -C lab fetch-assets --max-size=200000 --from=hub >out
echo 'fetched nothing' | same out
status $PARTIAL sea -C lab fetch-assets --size-limit=1K
same out <<'EOX'
fetched nothing
left 1 asset (--size-limit)
EOX
sea -C lab fetch-assets --size-limit=300000 -q
sea -C lab assets --missing >out
[ ! -s out ]
for k in 1 2 3; do sea -C lab get bird/$k photo --raw | cmp - files/$k; done
EOT

t 'unavailable assets do not count toward the limit' <<'EOT'
sea -C lab drop-assets -q
mv $(find stick.sea/assets -type f -size +190k -size -200k) away
status $PARTIAL sea -C lab fetch-assets --from=origin --size-limit=450000
says out 'fetched 2 assets, 390.6 KiB, from origin'
mv away "$(find hub.sea/assets -type f -size +190k -size -200k | sed 's/^hub/stick/')"
sea -C lab fetch-assets -q
EOT

t 'named assets that are missing' <<'EOT'
status $NOT_FOUND sea -C lab fetch-assets bird/9
status $NOT_FOUND sea -C lab fetch-assets --from=nowhere
EOT

t 'a damaged copy is reported, and the next container is tried' <<'EOT'
sea -C lab drop-assets -q
damage "$(echo stick.sea/assets/*/1/0)"
status $CORRUPT sea -C lab fetch-assets bird/1
says err 'warning[bad-asset]: origin: asset'
says out 'fetched 1 asset, 97.6 KiB, from hub'
sea -C lab get bird/1 photo --raw | cmp - files/1
EOT

t 'damaged everywhere: nothing is taken, and the rest is fetched' <<'EOT'
status $CORRUPT sea -C lab drop-assets -q bird/1
damage "$(echo hub.sea/assets/*/1/0)"
status $CORRUPT sea -C lab fetch-assets
says out 'bad bird/1 photo: no good copy was found'
says out 'fetched 2 assets'
sea -C lab assets --missing --format='%(id)' >out
echo bird/1 | same out
[ -z "$(find lab/.sea/assets -name '.sea-tmp-*')" ]
EOT

t 'JSON: an event for each, and a summary' <<'EOT'
sea -C lab drop-assets -q
code=0; sea -C lab fetch-assets --json >events || code=$?
[ $code -eq 5 ]
jq -c '[.event, .id // .code // .fetched, (.from // [] | join(","))]' events | sort >out
same out <<'EOX'
["bad","bird/1",""]
["fetched","bird/2","origin"]
["fetched","bird/3","origin"]
["problem","bad-asset",""]
["problem","bad-asset",""]
["summary",2,""]
EOX
tail -1 events | jq -c '[.ok, .fetched, .bytes, .bad, .missing, .exit]' >out
echo '[false,2,500000,1,0,5]' | same out
EOT

t 'cut short, and missing in a container' <<'EOT'
sea -C lab drop-assets -q
chmod u+w stick.sea/assets/*/1/1
truncate -s 1000 stick.sea/assets/*/1/1
rm -f hub.sea/assets/*/1/2
sea -C lab fetch-assets --json bird/2 bird/3 | jq -c 'select(.event == "fetched") | [.id, .from[0]]' >out
same out <<'EOX'
["bird/2","hub"]
["bird/3","origin"]
EOX
EOT

t 'an asset that no container has is status 8; without a reachable container it is 9' <<'EOT'
sea -C lab drop-assets -q bird/3
rm -f stick.sea/assets/*/1/2
status $PARTIAL sea -C lab fetch-assets bird/3
says out 'missing bird/3 photo: not in any available container'
mv stick.sea stick.away
mv hub.sea hub.away
status $UNREACHABLE sea -C lab fetch-assets bird/3
says err 'warning[unreachable]'
says out 'fetched nothing'
# What is here needs nobody.
status 0 sea -C lab fetch-assets bird/2
[ ! -s err ]
mv stick.away stick.sea
mv hub.away hub.sea
EOT

t 'the same content in several records is fetched once' <<'EOT'
rm -rf one two two.sea
sea init -q one
sea -C one set -q --create a photo:asset@"$PWD/files/1"
sea -C one set -q --create b photo:asset@"$PWD/files/1"
sea -C one add-container -q --create two "$PWD/two.sea"
sea -C one sync -q
sea clone -q two.sea two
sea -C two fetch-assets >out
echo 'fetched 1 asset, 97.6 KiB, from origin' | same out
EOT

t 'assets that only earlier revisions name are skipped by default' <<'EOT'
sea -C one set -q a photo:asset@"$PWD/files/2"
sea -C one set -q b photo:asset@"$PWD/files/2"
sea -C one sync -q
sea clone -q --name=three two.sea three
sea -C three fetch-assets >out
echo 'fetched 1 asset, 195.3 KiB, from origin' | same out
sea -C three fetch-assets --history >out
echo 'fetched 1 asset, 97.6 KiB, from origin' | same out
EOT

t 'interrupted: what arrived stays, and the next run goes on with it' <<'EOT'
head -c 40000000 /dev/urandom >files/big
sea init -q big
sea -C big set -q --create film file:asset@"$PWD/files/big"
sea -C big add-container -q --create disk "$PWD/disk.sea"
sea -C big sync -q
sea clone -q --name=late disk.sea late
cat >stop.py <<'EOP'
import glob, os, signal, subprocess, sys, time
fetch = subprocess.Popen(["sea", "-C", "late", "fetch-assets", "--limit-rate=20M"], stdout=subprocess.DEVNULL)
limit = time.monotonic() + 300
# As soon as some of it is there.
while time.monotonic() < limit and fetch.poll() is None:
    if any(os.path.getsize(f) > 2_000_000 for f in glob.glob("late/.sea/assets/.sea-tmp-*")):
        break
fetch.send_signal(signal.SIGINT)
sys.exit(0 if fetch.wait() == -signal.SIGINT else 1)
EOP
python3 stop.py
part=$(stat -c %s late/.sea/assets/.sea-tmp-*)
[ "$part" -gt 1000000 ]
[ "$part" -lt 40000000 ]
sea -C late assets --present >out
[ ! -s out ]
# The beginning is read here and not from the container: a part that is wrong is found out, one that is right is used.
SEA_PROGRESS_DELAY=0 sea -C late fetch-assets --progress >out 2>err
says out 'fetched 1 asset, 38.1 MiB, from origin'
sea -C late get film file --raw | cmp - files/big
[ -z "$(find late/.sea/assets -name '.sea-tmp-*')" ]
EOT

t 'a part that is wrong does not spoil the rest' <<'EOT'
sea -C late drop-assets -q
python3 stop.py
damage "$(echo late/.sea/assets/.sea-tmp-*)"
sea -C late fetch-assets >out 2>err
says out 'fetched 1 asset, 38.1 MiB, from origin'
[ ! -s err ]
sea -C late get film file --raw | cmp - files/big
EOT

t 'it is shown how far it has come' <<'EOT'
sea -C late drop-assets -q
SEA_PROGRESS_DELAY=0 terminal -- sea -C late fetch-assets >shown
says shown 'fetching from origin: '
says shown 'of 38.1 MiB'
says shown 'fetched 1 asset, 38.1 MiB, from origin'
EOT

t 'a thousand assets' <<'EOT'
sea init -q many
python3 - <<'EOP'
import os, subprocess
os.makedirs("small", exist_ok=True)
for k in range(1000):
    with open(f"small/{k}", "w") as f: f.write(f"content {k}\n")
subprocess.run(["sea", "-C", "many", "set", "-q", "--create", "-t", "album", "all",
  *[f"p{k}:asset@{os.getcwd()}/small/{k}" for k in range(1000)]], check=True)
EOP
sea -C many add-container -q --create box "$PWD/box.sea"
sea -C many sync -q
sea clone -q --name=copy box.sea copy
sea -C copy fetch-assets >out
says out 'fetched 1000 assets'
sea -C copy get all p999 --raw >out
echo 'content 999' | same out
sea -C copy verify >out
says out '1000 assets ok'
EOT

t 'from a bundle, and from a folder of bundles' <<'EOT'
rm -rf origin far stick
sea init -q --name=origin origin
head -c 90000 /dev/urandom >first
head -c 50000 /dev/urandom >second
sea -C origin set -q --create r one:asset@"$PWD/first"
sea -C origin export -q --to="$PWD/stick"
sea -C origin set -q r two:asset@"$PWD/second"
sea -C origin export -q --to="$PWD/stick"
sea clone -q --assets=none stick far
status 0 sea -C far fetch-assets -n --from="$PWD/stick"
says out 'would fetch 2 assets'
full=$(ls stick/*full*)
status $PARTIAL sea -C far fetch-assets --from="$PWD/$full"
says out 'fetched 1 asset'
sea -C far get --raw r one | cmp - first
status 0 sea -C far fetch-assets --from="$PWD/stick"
sea -C far get --raw r two | cmp - second
[ -z "$(ls -A far/.sea/tmp)" ]
# A damaged bundle gives nothing.
rm -rf far2
sea clone -q --assets=none stick far2
head -c 40000 "$full" >cut
mv cut "$full"
status $CORRUPT sea -C far2 fetch-assets --from="$PWD/$full"
[ "$(sea -C far2 assets --present --json | wc -l)" -eq 0 ]
status $NOT_FOUND sea -C far2 fetch-assets --from="$PWD/nothing"
EOT

t 'a container that alone has assets is not forgotten' <<'EOT'
sea -C copy drop-assets -q
status $PARTIAL sea -C copy remove-container origin
says err 'container origin has the only known copy of 1000 assets'
sea -C copy add-container -q other "$PWD/box2.sea" --create
status $PARTIAL sea -C copy remove-container -n origin
sea mirror -q box.sea box2.sea
sea -C copy remove-container -q origin
sea -C copy remove-container -q --only-copy-is-fine other
EOT
