# Strings are planted: a passphrase, and all that a record is made of. Then everything is done with them, and every place
# is searched where they must not be: containers, temporary files, what is printed, argument lists, environments.
umask 077
unset SEA_PASSWORD_FILE
echo planted-passphrase-Zc7 >phrase
echo 'planted-second-phrase-Qm2' >second
echo 'mistaken-passphrase' >wrong
mkdir tmp bin seen
export TMPDIR=$PWD/tmp p=$PWD

# Programs that are asked for the passphrase; they tell how they were called.
cat >bin/tell <<'EOX'
#!/bin/sh
{ echo "$0 $*"; env; } >>"$p/seen/children"
tr '\0' '\n' </proc/$PPID/cmdline >>"$p/seen/parents"
tr '\0' '\n' </proc/$PPID/environ >>"$p/seen/environments"
cat "$p/phrase"
EOX
chmod +x bin/tell

cat >search <<'EOX'
# absent NEEDLE WHERE...: fails and names the files if it is in one, as it is, in hexadecimal, base64 or UTF-16.
absent() {
  python3 - "$@" <<'EOP'
import base64, os, sys
text = sys.argv[1].encode()
forms = {text, text.hex().encode(), base64.b64encode(text)[:-4], text.decode().encode("utf-16-le")}
bad = 0
for where in sys.argv[2:]:
    names = [os.path.join(f, n) for f, _, ns in os.walk(where) for n in ns] if os.path.isdir(where) else [where]
    for name in names:
        with open(name, "rb") as file:
            data = file.read()
        if any(form in data or form in name.encode() for form in forms):
            bad = 1
            print(f"{sys.argv[1]} is in {name}")
sys.exit(bad)
EOP
}
# nothing WHERE...: nor any of what was planted.
nothing() {
  for planted in planted-passphrase planted-second planted-id planted-type planted-property planted-value planted-name; do
    absent "$planted" "$@"
  done
}
EOX

# run STATUS COMMAND...: with what it prints kept for the search.
cat >run <<'EOX'
run() {
  status "$@"
  cat out >>seen/out
  cat err >>seen/err
}
EOX

t 'a life with planted strings' <<'EOT'
. ./run
run 0 sea --password-file=phrase init --encrypt --name=planted-name --content-type=org.example.birds db
run 0 sea -C db put '{"_id":"planted-id","_type":"planted-type","planted-property":"planted-value"}'
run 0 sea -C db set planted-id planted-property-2=planted-value-2
run 0 sea -C db query --json -t planted-type
run 0 sea -C db add-container --create team "$p/team"
run 0 sea -C db sync
run 0 sea --password-file=phrase clone --name=planted-name-2 team two
run 0 sea -C two set planted-id planted-property=planted-value-3
run 0 sea -C db delete planted-id
run 0 sea -C two sync
run 0 sea -C db sync
[ "$(sea -C two get planted-id planted-property)" = planted-value-3 ]
run 0 sea -C db verify
run 0 sea --password-file=phrase verify --keys team
run 0 sea verify team
run 0 sea mirror team other
printf '#!/bin/sh\n{ echo "$0 $*"; env; } >>"$p/seen/programs"\ncat >/dev/null\n' >bin/quiet
chmod +x bin/quiet
mkdir db/.sea/hooks
ln -s "$p/bin/quiet" db/.sea/hooks/post-conflict
ln -s "$p/bin/quiet" db/.sea/hooks/pre-resolve
for n in 3 4; do
  run 0 sea -C db set --create planted-id-$n planted-property=planted-value-5
  run 0 sea -C two set --create planted-id-$n planted-property=planted-value-6
done
run 0 sea -C two sync
run 0 sea -C db sync
SEA_PASSWORD_FILE=$p/phrase run 0 sea -C db -c driver.x.command="$p/bin/quiet %O %A %B" resolve --driver=x planted-id-3
EDITOR=$p/bin/quiet run 3 sea -C db resolve --edit planted-id-4
run 0 sea -C db resolve --winner planted-id-4
run 0 sea -C db --password-file=$p/phrase passwd --new-password-file=$p/second
run 0 sea -C db --password-file=$p/second passwd --rotate
run 0 sea -C db set -q --create planted-id-2 planted-property=planted-value-4
run 0 sea -C db sync
EOT

t 'containers have none of it, in no form' <<'EOT'
. ./search
nothing team other
EOT

t 'the instance stores no passphrase and only its own keys' <<'EOT'
. ./search
for phrase in planted-passphrase planted-second; do absent $phrase db two; done
for file in db/.sea/keys/* two/.sea/keys/*; do [ "$(stat -c %a "$file")" = 600 ] || { ls -l "$file"; exit 1; }; done
[ "$(stat -c %a db/.sea/keys)" = 700 ]
sea init -q --encrypt --password-file=phrase --no-store-key keyless
[ ! -e keyless/.sea/keys/epochs ]
EOT

t 'nothing in temporary files, in the lock, or beside the databases' <<'EOT'
. ./search
[ -z "$(ls -A tmp)" ]
[ -z "$(ls -A db/.sea/tmp)" ]
nothing db/.sea/lock two/.sea/lock
[ "$(grep -c '^SEA_EVENT=' seen/programs)" = 3 ]
[ "$(grep -c "^$p/bin/quiet" seen/programs)" = 2 ]
for planted in planted-passphrase planted-property planted-value =phrase /phrase SEA_PASSWORD; do absent $planted seen/programs; done
[ -z "$(find . -name '.sea-tmp*' -o -name 'core*')" ]
absent planted-passphrase "$HOME"
absent planted-value "$HOME"
EOT

t 'errors and reports name no passphrase, and other people no record' <<'EOT'
. ./run
. ./search
run 7 sea --password-file=wrong clone team three
run 7 sea --password-file=phrase clone team three
run 7 sea -C db --password-file=$p/wrong passwd --new-password-file=$p/second
run 7 sea -C keyless --password-file=$p/wrong put '{"_id":"a"}'
run 7 sea -C keyless --no-input put '{"_id":"a"}'
SEA_PASSWORD=planted-passphrase-Zc7 run 2 sea -C keyless put '{"_id":"a"}'
cp -r team damaged
block=$(find damaged/transactions -type f -size +300c | head -1)
chmod u+w "$block"
printf xxxx | dd of="$block" bs=1 seek=200 conv=notrunc status=none
run 5 sea verify damaged
run 5 sea --password-file=second verify --keys damaged
run 5 sea --json verify damaged
for phrase in planted-passphrase planted-second mistaken; do absent $phrase seen; done
for file in out err; do nothing $file; done
EOT

t 'argument lists and environments of all programs that are started' <<'EOT'
. ./run
. ./search
rm -rf four five
strace -f -qq -v -s 4096 -e trace=execve -o seen/trace \
  sea --password-command="$p/bin/tell one" clone -q --name=four team four || [ $? -eq 7 ]
# The passphrase was changed above; the one that is told here opens the database that is made now.
strace -f -qq -v -s 4096 -e trace=execve -o seen/trace2 sea --password-command="$p/bin/tell two" init -q --encrypt five
SEA_PASSWORD_COMMAND="$p/bin/tell three" strace -f -qq -v -s 4096 -e trace=execve -o seen/trace3 sea -C five passwd -q --new-password-file=$p/second
SEA_ASKPASS=$p/bin/tell strace -f -qq -v -s 4096 -e trace=execve -o seen/trace4 \
  sea -C five passwd -q --add </dev/null 2>>seen/err || true
SEA_ASKPASS=$p/bin/tell sea --no-input -C five set -q --create planted-id planted-property=planted-value
PAGER=$p/bin/tell sea -C five query >/dev/null
[ "$(grep -c '/bin/tell' seen/children)" -ge 3 ]
for phrase in planted-passphrase planted-second; do
  absent $phrase seen/children seen/parents seen/environments seen/trace seen/trace2 seen/trace3 seen/trace4 seen/err
done
# Nor do they learn where a passphrase comes from.
fails grep -E '^(SEA_[A-Z_]*PASSWORD[A-Z_]*|SEA_ASKPASS|SSH_ASKPASS)=' seen/children
EOT

t 'no core file is left by a process that has keys' <<'EOT'
mkfifo pipe
ulimit -S -c unlimited 2>/dev/null || true
sea -C db put -q --chunk=1 - <pipe &
exec 3>pipe
echo '{"_id":"now-it-has-keys"}' >&3
for n in $(seq 1000); do
  grep -q '^Max core file size *0 *0 ' /proc/$!/limits && break
  sleep 0.1
done
grep '^Max core file size *0 *0 ' /proc/$!/limits
exec 3>&-
wait $!
EOT

t 'the folder of a sealed database that others may look into is closed when it is next written to' <<'EOT'
echo 'correct horse' >word
chmod 600 word
sea init -q --encrypt --password-file="$PWD/word" closed
sea init -q open
chmod 755 closed/.sea open/.sea
status 0 sea -C closed query
[ "$(stat -c %a closed/.sea)" = 755 ]
status 0 sea -C closed put -q '{"_id":"x"}'
[ "$(stat -c %a closed/.sea)" = 700 ]
status 0 sea -C open put -q '{"_id":"x"}'
[ "$(stat -c %a open/.sea)" = 755 ]
EOT
