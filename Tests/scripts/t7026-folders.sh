# limit: 300
# The name of a file is on the disk when its folder is synced: what a failed or killed sync of a folder leaves open, the next
# run makes good before it says that there is nothing to do.

# Copies of a database are one here.
XDG_STATE_HOME=/dev/null
export XDG_STATE_HOME

# `dirty TRACE...` prints the folders in which something was made or renamed and which were not synced after it, over several
# runs. Temporary folders, and what of .sea is no asset, are not looked at.
cat >dirty <<'EOS'
#!/bin/sh
cat "$@" | awk '
  function folder(n,   parts) { split($0, parts, "<"); sub(/>.*/, "", parts[n + 1]); return parts[n + 1] }
  !/\) += 0$/ { next }
  /^[0-9]+ +renameat2?\(/ { dirty[folder(2)] = 1 }
  /^[0-9]+ +mkdirat\(/ { dirty[folder(1)] = 1 }
  /^[0-9]+ +fsync\(/ { delete dirty[folder(1)] }
  END { for (f in dirty) if (f !~ /\.sea-tmp-/ && (f !~ /\/\.sea(\/|$)/ || f ~ /\/\.sea\/assets/)) print f }'
EOS
# `each COMMAND`, which ./fresh makes ready for: fails, and kills, at each sync in turn; then the same command says 0, and
# nothing may be open.
cat >each <<'EOS'
#!/bin/sh
for how in error=EIO signal=KILL; do
  n=1
  while :; do
    ./fresh >/dev/null 2>&1
    have=0
    strace -f -y -o one -e trace=fsync,renameat2,renameat,mkdirat -e inject=fsync:$how:when=$n "$@" >out1 2>&1 || have=$?
    case $how in
      error*) grep -q INJECTED one || break ;;
      *) grep -q 'killed by SIGKILL' one || break ;;
    esac
    if [ $have = 0 ]; then
      [ -z "$(./dirty one)" ] || { echo "$how at sync $n: status 0, and open is"; ./dirty one; cat out1; exit 1; }
    fi
    have=0
    strace -f -y -o two -e trace=fsync,renameat2,renameat,mkdirat "$@" >out2 2>&1 || have=$?
    [ $have = 0 ] || { echo "$how at sync $n: the second run says $have"; cat out1 out2; exit 1; }
    [ -z "$(./dirty one two)" ] || { echo "$how at sync $n: open is"; ./dirty one two; cat out1 out2; exit 1; }
    n=$((n + 1))
  done
  [ $n -gt 1 ] || { echo "no sync at all"; exit 1; }
done
EOS
chmod +x dirty each

t 'a database with an asset, and a container of it' <<'EOT'
sea init -q d
sea -C d put -q '{"_id":"a","n":1}'
head -c 3000 /dev/zero >file
sea -C d set -q a scan:asset@../file
mkdir places
sea -C d add-container -q --create c "$PWD/places/c"
sea -C d push -q
sea -C d put -q '{"_id":"b","n":1}'
head -c 4000 /dev/zero >file
sea -C d set -q b scan:asset@../file
cp -a d d0
cp -a places places0
EOT

t 'push' <<'EOT'
cat >fresh <<'EOS'
rm -rf d places; cp -a d0 d; cp -a places0 places
EOS
chmod +x fresh
./each sea -C d push
EOT

t 'push of everything anew' <<'EOT'
cat >fresh <<'EOS'
rm -rf d places; cp -a d0 d; cp -a places0 places; rm -rf places/c/transactions/* places/c/assets places/c/keys
EOS
./each sea -C d sync
EOT

t 'mirror' <<'EOT'
cat >fresh <<'EOS'
rm -rf d places n; cp -a d0 d; cp -a places0 places; sea -C d push; mkdir n
EOS
./each sea mirror places/c n/x
EOT

t 'an exchange directory' <<'EOT'
cat >fresh <<'EOS'
rm -rf d places n; cp -a d0 d; mkdir n
EOS
./each sea -C d export --to="$PWD/n/x"
EOT

t 'assets of the database' <<'EOT'
cat >fresh <<'EOS'
rm -rf d places; cp -a d0 d; cp -a places0 places
EOS
head -c 5000 /dev/zero >file
./each sea -C d set a scan:asset@../file
EOT

t 'a container that is made' <<'EOT'
cat >fresh <<'EOS'
rm -rf d n; cp -a d0 d; mkdir n
EOS
./fresh
chmod +x fresh
for n in 1 2 3 4; do
  ./fresh
  strace -f -y -o one -e trace=fsync,renameat2,mkdirat -e inject=fsync:error=EIO:when=$n sea -C d add-container --create e "$PWD/n/e" >out1 2>&1 || :
  sea -C d containers --porcelain >list || :
  grep -q '^e' list || strace -f -y -o two -e trace=fsync,renameat2,mkdirat sea -C d add-container --create e "$PWD/n/e" >out2 2>&1
  [ -z "$(./dirty one two)" ] || { ./dirty one two; cat out1 out2; exit 1; }
done
EOT

t 'assets that are fetched' <<'EOT'
sea -C d push -q
cat >fresh <<'EOS'
rm -rf e; sea clone -q places/c e
EOS
chmod +x fresh
./each sea -C e fetch-assets
./each sea -C e sync --assets=all
EOT
