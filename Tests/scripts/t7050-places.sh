t 'a .sea of another user is status 7, unless it is declared safe' <<'EOT'
sea init -q theirs
chown -R 12345 theirs/.sea
status $DENIED sea -C theirs query
says err 'belongs to another user'
sea config set --global --add safe.directory "$PWD/theirs"
status 0 sea -C theirs query
SEA_DIR=$PWD/theirs/.sea status 0 sea query
sea config unset --global --all safe.directory
SEA_DIR=$PWD/theirs/.sea status $DENIED sea query
chown -R "$(id -u)" theirs/.sea
EOT

t 'so are settings and hooks of another user' <<'EOT'
sea init -q mixed
sea -C mixed config set --force --local x.y z
mkdir mixed/.sea/hooks
printf '#!/bin/sh\necho ran\n' >mixed/.sea/hooks/post-sync
chmod +x mixed/.sea/hooks/post-sync
sea -C mixed add-container -q --create box "$PWD/mixed-box"
status 0 sea -C mixed sync
says err ran
for file in config hooks; do
  chown 12345 mixed/.sea/$file
  status $DENIED sea -C mixed sync
  says err "mixed/.sea/$file' belongs to another user (12345)"
  chown "$(id -u)" mixed/.sea/$file
done
chown 12345 mixed/.sea/hooks/post-sync
status 0 sea -C mixed sync
says err "hook 'post-sync' was not run: it belongs to another user (12345)"
fails grep -q '^ran' err
mv mixed/.sea/hooks/post-sync mixed/.sea/hooks/pre-sync
sea -C mixed sync 2>err && exit 1
says err "hook 'pre-sync' was not run: it belongs to another user (12345)"
EOT

t 'an encrypted database is in a private folder' <<'EOT'
umask 022
echo 'a passphrase of the test' >pw
chmod 600 pw
sea init -q --encrypt --password-file="$PWD/pw" --name=one shut
[ "$(stat -c %a shut/.sea)" = 700 ]
sea -C shut add-container -q --create box "$PWD/shut-box"
sea -C shut sync -q
sea clone -q --password-file="$PWD/pw" shut-box shut-two
[ "$(stat -c %a shut-two/.sea)" = 700 ]
sea -c init.encrypt=false init -q open
[ "$(stat -c %a open/.sea)" = 755 ]
EOT

t 'a container lies in no database' <<'EOT'
sea init -q --name=one lying
cd lying
mkdir shelf
ln -s .sea link
ln -s .sea/keys keys
for place in .sea .sea/new .sea/keys link link/new keys . "$PWD"; do
  status $SYSTEM sea add-container --create wrong "$place"
  [ ! -e "$place/info.json" ]
done
sea add-container -q --create box shelf/box
cp -r shelf/box .sea/copy
status $SYSTEM sea add-container wrong .sea/copy
says err 'which is used for other files'
rm -r .sea/copy
sea init -q other
status $SYSTEM sea add-container --create wrong other/.sea/assets
EOT

t 'nor in another container' <<'EOT'
cd lying
ln -s shelf/box/transactions within
for place in shelf/box/sub shelf/box/transactions/sub within/sub; do
  status $SYSTEM sea add-container --create wrong "$place"
  says err 'which is used for other files'
  status $SYSTEM sea mirror shelf/box "$place"
  [ ! -e "$place/info.json" ]
done
# Nor one that somebody has put there.
mkdir -p shelf/box/transactions
cp -r shelf/box between
mv between shelf/box/sub
sed -i 's/"containerID":"......../"containerID":"12345678/' shelf/box/sub/info.json
status $SYSTEM sea add-container wrong shelf/box/sub
rm -r shelf/box/sub
EOT

t 'nor is one mirrored or served there' <<'EOT'
cd lying
sea set -q --create n x=1
sea sync -q
cp -r shelf/box .sea/copy
for place in .sea .sea/new .sea/assets link/new other/.sea/new . .sea/copy; do
  rm -rf "$PWD/.sea/copy/transactions"
  status $SYSTEM sea mirror shelf/box "$place"
  status $SYSTEM sea mirror -n shelf/box "$place"
  [ ! -e .sea/info.json ]
  [ ! -e .sea/copy/transactions ]
  [ ! -e "$place/transactions" ]
done
cp -r shelf/box shelf/less
rm -r shelf/less/transactions/*
cp -r shelf/box/transactions .sea/copy/
status $SYSTEM sea mirror --both .sea/copy shelf/less
[ -z "$(ls shelf/less/transactions)" ]
rm -r shelf/less .sea/copy/transactions
status $SYSTEM sea verify --repair=shelf/box .sea/copy
[ ! -e .sea/copy/transactions ]
for place in .sea .sea/keys . shelf/box/sub; do
  status $SYSTEM sea serve --stdio "$place" </dev/null
done
rm -r .sea/copy
sea verify
EOT

t 'a .sea that is mounted elsewhere is one' <<'EOT'
cd lying
mkdir seen part
cat >elsewhere <<'EOX'
set -e
mount --bind .sea seen
mount --bind .sea/keys part
for place in seen seen/new seen/assets/new part part/new; do
  code=0
  sea add-container --create wrong "$place" 2>err || code=$?
  [ $code -eq 12 ]
  grep -q 'which is used for other files' err
  code=0
  sea mirror shelf/box "$place" 2>err || code=$?
  [ $code -eq 12 ]
  grep -q 'which is used for other files' err
done
# A container that is mounted elsewhere is no other one.
mkdir again
mount --bind shelf/box again
sea verify again >out
EOX
unshare -m sh elsewhere || { cat err; exit 1; }
[ -z "$(find .sea -name info.json)" ]
[ -z "$(find .sea -name transactions)" ]
EOT

t 'one file is one copy, whatever leads to it' <<'EOT'
sea init -q --name=one copies
cd copies
head -c 100000 /dev/urandom >photo
sea set -q --create -t note n photo:asset@photo
sea add-container -q --create box "$PWD/box"
sea sync -q
cp -al box hard
rm hard/info.json
sed 's/"containerID":"......../"containerID":"12345678/' box/info.json >hard/info.json
sea add-container -q hard "$PWD/hard"
sea sync -q
status $PARTIAL sea drop-assets --min-copies=2
says out '1 of 2 copies elsewhere'
cmp photo "$(find .sea/assets -type f)"
# A copy of its own is one.
cp --remove-destination "$(find box/assets -type f)" "$(find hard/assets -type f)"
status 0 sea drop-assets --min-copies=2
[ -z "$(find .sea/assets -type f)" ]
EOT

t 'a pipe is called a pipe' <<'EOT'
sea init -q piped
mkfifo fifo
status $SYSTEM sea -C piped import "$PWD/fifo"
says err 'is a named pipe (FIFO), not a file'
status $SYSTEM sea -C piped export -o "$PWD/fifo"
says err 'is a named pipe (FIFO), not a file'
# Nobody waits for somebody to write settings or keys into one.
mkfifo piped/.sea/config
status $SYSTEM timeout 300 sea -C piped config list
says err 'is a named pipe (FIFO), not a file'
rm piped/.sea/config
mv piped/.sea/keys/instance instance
mkfifo piped/.sea/keys/instance
status $SYSTEM timeout 300 sea -C piped put '{}'
says err 'is a named pipe (FIFO), not a file'
EOT

t 'a .sea may be a link, and SEA_DIR and --sea-dir name one' <<'EOT'
sea init -q real
sea -C real put -q '{"_id":"a"}'
mkdir linked
ln -s ../real/.sea linked/.sea
[ "$(sea -C linked query --ids)" = a ]
sea -C linked put -q '{"_id":"b"}'
[ "$(SEA_DIR=real/.sea sea query --ids | wc -l)" -eq 2 ]
[ "$(SEA_DIR=/nowhere sea --sea-dir=real/.sea query --ids | wc -l)" -eq 2 ]
SEA_DIR=$PWD/nowhere status $NO_DATABASE sea query
SEA_DIR=$PWD/real status $CORRUPT sea query || SEA_DIR=$PWD/real status $NO_DATABASE sea query || SEA_DIR=$PWD/real status $SYSTEM sea query
EOT

t 'a .sea that is renamed while it is written goes on whole' <<'EOT'
sea init -q moving
seq 100000 | sed 's/.*/{"_id":"big-&"}/' >big
sea -C moving put -q --chunk=2000 - <big &
while flock -n moving/.sea/lock true; do sleep 0.005; done
mv moving moved
code=0
wait $! || code=$?
[ $code -eq 0 ] || [ $code -eq 12 ]
status 0 sea -C moved verify
status 0 sea -C moved put '{"_id":"next"}'
[ $code -ne 0 ] || [ "$(sea -C moved query --ids | wc -l)" -eq 100001 ]
EOT

t 'the next init removes what a killed init left' <<'EOT'
mkdir half
strace -f -o trace -e trace=renameat2 -e inject=renameat2:signal=KILL:when=2 sea init half || true
[ "$(ls -A half | grep -c '^.sea-tmp-')" -eq 1 ]
status $NO_DATABASE sea -C half query
status 0 sea init half
[ "$(ls -A half)" = .sea ]
EOT

t 'an init beside another one waits for it' <<'EOT'
for n in 1 2 3 4 5 6; do sea init beside >out$n 2>&1 & done
wait
[ "$(cat out? | grep -c Initialized)" -eq 1 ]
[ "$(cat out? | grep -c 'Database already exists')" -eq 5 ]
[ "$(ls -A beside)" = .sea ]
EOT

t 'settings that are written at once are all kept' <<'EOT'
sea init -q settings
for n in $(seq 20); do sea -C settings config set --force "a.k$n" $n & done
wait
[ "$(sea -C settings config list | grep -c '^a.k')" -eq 20 ]
EOT

t 'a clone that was killed goes on with sync' <<'EOT'
sea init -q source
seq 50 | sed 's/.*/{"_id":"r&"}/' | sea -C source put -q -
sea -C source add-container -q --create c "$PWD/c"
sea -C source sync -q
strace -f -o trace -y -e trace=fdatasync -e inject=fdatasync:signal=KILL:when=17 sea clone c copy || true
status 0 sea -C copy sync
[ "$(sea -C copy query --ids | wc -l)" -eq 50 ]
EOT
