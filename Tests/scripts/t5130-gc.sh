# sealed: yes
t 'a database with an asset, and nothing to free' <<'EOT'
head -c 100000 /dev/urandom >a
head -c 200000 /dev/urandom >b
sea init -q --name=field birds
sea -C birds set -q --create owl photo:asset@"$PWD/a"
sea -C birds gc -q
sea -C birds gc --assets >out
echo 'nothing to free' | same out
sea -C birds get owl photo --raw | cmp - a
EOT

t 'files of a killed command: -n reports them, gc removes them' <<'EOT'
head -c 3000 /dev/zero >birds/.sea/assets/.sea-tmp-00112233445566778899aabbccddeeff
mkdir -p birds/.sea/tmp/0123456789abcdef/deep
head -c 2000 /dev/zero >birds/.sea/tmp/0123456789abcdef/deep/file
find birds | sort >before
sea -C birds gc -n >out
echo 'would free 2 temporary files 4.8 KiB' | same out
find birds | sort >after
cmp before after
sea -C birds gc --json | jq -c '[.event, .temporary_files, .temporary_bytes, .asset_files, .bytes]' >out
printf '%s\n' '["collected",2,5000,0,5000]' '["summary",null,null,null,5000]' | same out
[ -z "$(find birds -name '.sea-tmp-*' -o -name 0123456789abcdef)" ]
sea -C birds gc >out
echo 'nothing to free' | same out
EOT

t 'gc keeps files of a running command' <<'EOT'
draft=birds/.sea/assets/.sea-tmp-ffeeddccbbaa99887766554433221100
head -c 3000 /dev/zero >$draft
mkdir -p birds/.sea/tmp/fedcba9876543210
echo x >birds/.sea/tmp/fedcba9876543210/file
# The locks that their makers hold.
flock $draft -c 'flock birds/.sea/tmp/fedcba9876543210 -c "sea -C birds gc --assets"' >out
echo 'nothing to free' | same out
[ -f $draft ]
[ -f birds/.sea/tmp/fedcba9876543210/file ]
sea -C birds gc -q
[ ! -e $draft ]
EOT

t 'files with names of others are left alone' <<'EOT'
echo mine >birds/.sea/assets/notes.txt
echo mine >birds/.sea/assets/.sea-tmp-x
sea -C birds gc --assets -q
[ -f birds/.sea/assets/notes.txt ]
[ -f birds/.sea/assets/.sea-tmp-x ]
rm birds/.sea/assets/notes.txt birds/.sea/assets/.sea-tmp-x
EOT

t 'an asset of a record that is deleted is still named by a revision' <<'EOT'
own=$(sea -C birds rev-parse --instance-id)
sea -C birds set -q --create tmp photo:asset@"$PWD/b"
sea -C birds delete -q tmp
sea -C birds gc --assets -q
[ -f birds/.sea/assets/$own/1/1 ]
sea -C birds undo -q
sea -C birds get tmp photo --raw | cmp - b
EOT

t 'a file that was placed and never named' <<'EOT'
sea init -q --name=desk desk
own=$(sea -C desk rev-parse --instance-id)
sea -C desk set -q --create x photo:asset@"$PWD/a"
# Its number was given out, and its record never written.
code=0; sea -C desk set --if-rev=1-77b01c2e x photo:asset@"$PWD/b" >out 2>err || code=$?
[ $code -eq 3 ]
cp a desk/.sea/assets/$own/1/1
sea -C desk gc >out
[ -f desk/.sea/assets/$own/1/1 ]
sea -C desk assets --unreferenced --format='%(asset)' >out
echo "$own/1" | same out
sea -C desk gc -n --assets >out
says out 'would free 1 unreferenced asset 97.6 KiB'
[ -f desk/.sea/assets/$own/1/1 ]
sea -C desk gc --assets >out
says out 'freed 1 unreferenced asset 97.6 KiB'
[ ! -e desk/.sea/assets/$own/1/1 ]
sea -C desk get x photo --raw | cmp - a
EOT

t 'a number that was never given out: it may be named by a record that was lost here' <<'EOT'
own=$(sea -C desk rev-parse --instance-id)
cp a desk/.sea/assets/$own/1/500
sea -C desk gc --assets >out 2>err
says err '1 unreferenced asset file kept, 97.6 KiB: too few containers have a copy'
[ -f desk/.sea/assets/$own/1/500 ]
rm desk/.sea/assets/$own/1/500
EOT

t 'assets of other instances are removed only if a container has the same bytes' <<'EOT'
other=11111111-2222-8333-8444-555555555555
mkdir -p desk/.sea/assets/$other/1
cp a desk/.sea/assets/$other/1/0
sea -C desk add-container -q --create box "$PWD/box.sea"
sea -C desk gc --assets -q
[ -f desk/.sea/assets/$other/1/0 ]
mkdir -p box.sea/assets/$other/1
cp b box.sea/assets/$other/1/0
sea -C desk gc --assets -q
[ -f desk/.sea/assets/$other/1/0 ]
# The right size, and not the same bytes.
head -c 100000 /dev/zero >box.sea/assets/$other/1/0
sea -C desk gc --assets -q
[ -f desk/.sea/assets/$other/1/0 ]
cp a box.sea/assets/$other/1/0
sea -C desk -c assets.minCopies=2 gc --assets -q
[ -f desk/.sea/assets/$other/1/0 ]
sea -C desk gc --assets -n -q
[ -f desk/.sea/assets/$other/1/0 ]
sea -C desk gc --assets >out
says out '1 unreferenced asset 97.6 KiB'
[ ! -e desk/.sea/assets/$other/1/0 ]
[ -f box.sea/assets/$other/1/0 ]
EOT

t 'a writer that is at work is not disturbed' <<'EOT'
head -c 30000000 /dev/urandom >big
sea init -q busy
( for k in 1 2 3 4; do sea -C busy set -q --create film/$k file:asset@"$PWD/big" || echo failed; printf . >>big; done ) >writer 2>&1 &
writer=$!
while kill -0 $writer 2>/dev/null; do sea -C busy gc --assets -q || true; done
wait $writer
[ ! -s writer ] || { cat writer; exit 1; }
sea -C busy verify >out
says out '4 assets ok'
[ -z "$(find busy/.sea/assets -name '.sea-tmp-*')" ]
EOT

t 'a set that is killed leaves what gc takes' <<'EOT'
sea init -q killed
cat >kill.py <<'EOP'
import glob, os, signal, subprocess, sys, time
writer = subprocess.Popen(["sea", "-C", "killed", "set", "-q", "--create", "film", "file:asset@" + os.path.abspath("big")])
limit = time.monotonic() + 300
while time.monotonic() < limit and writer.poll() is None:
    if any(os.path.getsize(f) > 1_000_000 for f in glob.glob("killed/.sea/assets/.sea-tmp-*")):
        break
writer.kill()
sys.exit(0 if writer.wait() == -signal.SIGKILL else 1)
EOP
python3 kill.py
[ -n "$(find killed/.sea/assets -name '.sea-tmp-*')" ]
sea -C killed gc >out
says out '1 temporary file'
[ -z "$(find killed/.sea/assets -type f)" ]
EOT

t 'without a database: 10, and a writer that keeps the lock: 6' <<'EOT'
status $NO_DATABASE sea gc
flock birds/.sea/lock -c 'sea -C birds gc --lock-wait=0' >out 2>err && exit 1 || [ $? -eq 6 ]
sea -C birds gc -n >out
EOT
