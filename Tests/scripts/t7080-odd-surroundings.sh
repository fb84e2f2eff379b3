# limit: 200
# What a program may find around it: paths that are not UTF-8 or very long, no /proc, a disk that fails, a limit for files,
# and an earlier self that was killed.
XDG_STATE_HOME=/dev/null
export XDG_STATE_HOME

t 'a working directory that is not UTF-8 is refused, and nothing is made elsewhere' <<'EOT'
bad=$(printf 'x\377')
mkdir "$bad"
cd "$bad"
for words in 'init d' 'init' 'put {"_id":"a"}' 'status' 'clone ../c d' 'add-container --create c c'; do
  have=0
  sea $words >../out 2>../err || have=$?
  [ $have = 12 ] || { echo "status $have: $words"; exit 1; }
  says ../err 'UTF-8'
done
cd ..
[ -z "$(ls -A "$bad")" ]
[ "$(ls -d x* | wc -l)" = 1 ]
EOT

t 'a folder that is too long for SQLite is refused by name; the longest works' <<'EOT'
here=$(pwd -P)
deep() {
  path=$here
  while [ $((${#path} + 60)) -lt "$1" ]; do path=$path/$(printf '%050d' 0); done
  rest=$(($1 - ${#path} - 1))
  path=$path/$(printf "%0${rest}d" 0)
  mkdir -p "$path"
}
for length in 459 450 400; do
  deep $length
  [ ${#path} = $length ]
  sea init -q "$path"
  sea -C "$path" put -q '{"_id":"a","n":1}'
  sea -C "$path" add-container -q --create c "$path/c"
  sea -C "$path" sync -q
  sea -C "$path" gc -q
  sea -C "$path" verify -q
done
for length in 460 512 900 3000; do
  deep $length
  status $SYSTEM sea init "$path/"
  says err 'the path of the database is too long'
  [ ! -e "$path/.sea" ]
done
status $SYSTEM sea clone "$here/$(printf '%050d' 0)" "$path/new" || status $UNREACHABLE sea clone "$here/none" "$path/new"
EOT

t 'without /proc' <<'EOT'
sea init -q p
unshare -m true 2>/dev/null || { echo "SKIPPED: no mount namespaces here" >&2; exit 0; }
cat >bare <<'EOS'
#!/bin/sh
program=$(command -v sea)
export program
unshare -m sh -c 'mount -t tmpfs none /proc && exec "$program" "$@"' sh "$@"
EOS
chmod +x bare
./bare -C p put '{"_id":"a","n":1}' >out
says out created
[ "$(./bare -C p get a n)" = 1 ]
./bare -C p add-container -q --create c "$PWD/pc"
./bare -C p sync -q
./bare clone -q pc p2
./bare -C p export -q -o b.tar
./bare -C p verify -q
./bare --version >/dev/null
EOT

t 'a disk that fails is 12, with the file' <<'EOT'
sea init -q e
sea -C e put -q '{"_id":"a","n":1}'
sea -C e add-container -q --create c "$PWD/ec"
sea -C e push -q
# fail CALL FILE COMMAND: each CALL on FILE fails in turn.
fail() {
  call=$1
  file=$PWD/e/$2
  shift 2
  n=1
  while [ $n -lt 80 ]; do
    have=0
    strace -f -y -o trace -P "$file" -e trace=$call -e inject=$call:error=EIO:when=$n "$@" >out 2>err || have=$?
    grep INJECTED trace >hit || break
    if [ $have != 0 ]; then
      [ $have = 12 ] || { echo "$call $n: status $have"; cat hit err; exit 1; }
      grep -q 'Input/output error' err || { echo "$call $n:"; cat hit err; exit 1; }
      grep -q -F -e "$PWD" err || { echo "$call $n: no file"; cat hit err; exit 1; }
    fi
    n=$((n + 1))
  done
  [ $n -gt 1 ] || { echo "no $call of $file"; exit 1; }
  # And all of them.
  have=0
  strace -f -y -o trace -P "$file" -e trace=$call -e inject=$call:error=EIO:when=1+ "$@" >out 2>err || have=$?
  [ $have = 0 ] || { [ $have = 12 ] && grep -q 'Input/output error' err; } || { echo "$call+: status $have"; cat err; exit 1; }
}
for words in 'get a' 'status' 'set a n:=2' 'verify'; do
  for call in pread64 openat newfstatat; do fail $call .sea/db sea -C e $words; done
  fail newfstatat .sea sea -C e $words
  fail openat .sea/db-wal sea -C e $words
done
have=0
strace -f -o trace -P "$PWD/e/.sea" -e trace=newfstatat -e inject=newfstatat:error=EIO:when=1+ sea -C e get a >out 2>err || have=$?
[ $have = 12 ]
says err "$PWD/e/.sea"
EOT

t 'a new block that cannot be read keeps back what is behind it, and nothing else' <<'EOT'
sea init -q --name=one f1
sea -C f1 add-container -q --create c "$PWD/fc"
sea -C f1 put -q '{"_id":"a","n":1}'
sea -C f1 sync -q
for name in two three; do
  sea clone -q --name=$name fc f$name
  sea -C f$name put -q "{\"_id\":\"$name\",\"n\":1}"
  sea -C f$name sync -q
done
sea -C f1 sync -q
for n in 2 3 4; do sea -C ftwo put -q "{\"_id\":\"two-$n\",\"n\":$n}"; done
sea -C ftwo sync -q
sea -C fthree put -q '{"_id":"three-2","n":2}'
sea -C fthree push -q
sea -C f1 put -q '{"_id":"mine","n":1}'
who=$(sea -C ftwo rev-parse --instance-id)
last=$(ls fc/transactions/$who/1 | sort -n | tail -2 | head -1)
file=$PWD/fc/transactions/$who/1/$last
for run in first second; do
  have=0
  strace -f -y -o trace -P "$file" -e trace=pread64 -e inject=pread64:error=EIO:when=1+ sea -C f1 sync >out 2>err || have=$?
  grep -q INJECTED trace
  [ $have = 12 ] || { echo "$run: $have"; cat out err; exit 1; }
  [ $run = second ] || says out 'c: pulled 2, pushed 1'
  says err "$who/1/$last"
  says err 'Input/output error'
  [ "$(sea -C f1 get three-2 n)" = 2 ]
  [ "$(sea -C f1 get two-2 n)" = 2 ]
  status $NOT_FOUND sea -C f1 get two-4
  sea -C f1 containers --json >states
  jq -e 'select(.name == "c") | .state == "failed"' states >/dev/null
done
sea -C fthree sync -q
[ "$(sea -C fthree get mine n)" = 1 ]
status 0 sea -C f1 sync
[ "$(sea -C f1 get two-4 n)" = 4 ]
status 0 sea -C f1 sync
EOT

t 'a limit for files is an error and no signal' <<'EOT'
sea init -q u
head -c 3000000 /dev/urandom | base64 -w 100 | awk '{print "{\"_id\":\"" NR "\",\"t\":\"" $0 "\"}"}' >many
(ulimit -f 200; status $SYSTEM sea -C u put -q "$PWD/many")
says err 'File too large'
sea -C u verify -q
sea -C u put -q '{"_id":"after"}'
sea -C u put -q "$PWD/many"
(ulimit -f 200; status $SYSTEM sea -C u export -q -o b.tar)
[ ! -e b.tar ]
sea -C u add-container -q --create c "$PWD/uc"
(ulimit -f 200; status $SYSTEM sea -C u push -q)
sea -C u push -q
sea -C u verify -q
# A program that sea starts has the signal as it was.
mkdir -p u/.sea/hooks
printf '#!/bin/sh\ncat /proc/self/status | grep SigIgn >%s/ignored\n' "$PWD" >u/.sea/hooks/pre-commit
chmod +x u/.sea/hooks/pre-commit
sea -C u put -q '{"_id":"hooked"}'
[ ! -e ignored ] || [ $((0x$(awk '{print $2}' ignored) >> 24 & 1)) = 0 ]
EOT

t 'temporary files stay inside .sea' <<'EOT'
printf 'a passphrase of words' >pass
chmod 600 pass
SEA_PASSWORD_FILE=$PWD/pass
TMPDIR=$PWD/elsewhere
export SEA_PASSWORD_FILE TMPDIR
mkdir elsewhere
sea init -q --encrypt z
head -c 23000000 /dev/urandom | base64 -w 2000 | awk 'NR <= 15000 {print "{\"_id\":\"" NR "\",\"t\":\"" $0 "\"}"}' >large
sea -C z put -q "$PWD/large"
for words in 'reindex --projection' 'verify' 'gc' 'query' 'status'; do
  strace -f -o trace -e trace=openat,unlink sea -C z $words >/dev/null 2>err
  ! grep -E 'etilqs|O_TMPFILE|O_EXCL' trace | grep -v '/\.sea' || exit 1
  [ "$words" != 'reindex --projection' ] || grep -q '/\.sea/etilqs_' trace
done
[ -z "$(ls -A elsewhere)" ]
ls -A z/.sea | fails grep etilqs
EOT

t 'a clone that was killed goes on when it is repeated' <<'EOT'
sea init -q k
for n in 1 2 3; do sea -C k put -q "{\"_id\":\"$n\",\"n\":$n}"; done
sea -C k add-container -q --create c "$PWD/kc"
sea -C k push -q
killed=0
for n in $(seq 1 60); do
  rm -rf new
  have=0
  strace -f -o trace -e trace=fdatasync,fsync,renameat2 -e inject=fdatasync,fsync,renameat2:signal=KILL:when=$n sea clone -q kc new >out 2>err || have=$?
  grep -q 'killed by SIGKILL' trace || break
  [ ! -e new/.sea ] || killed=$((killed + 1))
  # What was killed when all was done is a database.
  sea clone -q kc new 2>err || says err 'already contains a database'
  [ "$(sea -C new query --json | wc -l)" = 3 ]
  sea -C new verify -q
  sea -C new status >/dev/null
  status $SYSTEM sea clone -q kc new
done
[ $killed -gt 2 ]
EOT
