# limit: 300
# Containers in whatever rclone reaches: its local backend, WebDAV and SFTP, with servers that it brings itself.
. "$SEA_TEST_ROOT/Tests/s3/servers.sh"
servers=$S3_SERVERS/bin
unset RCLONE_CONFIG SEA_RCLONE
mkdir -p disk dav sftp bin
ln -s "$servers/rclone" bin/rclone
cat >world.sh <<EOX2
. "\$SEA_TEST_LIB"
p=$PWD
PATH=\$p/bin:\$PATH
RCLONE_CONFIG=\$p/rclone.conf
export PATH RCLONE_CONFIG
EOX2

# NAME ARGUMENTS...: a server that rclone brings, and its port.
serve() {
  name=$1
  shift
  "$servers/rclone" serve "$name" --config /dev/null --addr 127.0.0.1:0 "$@" "$name" >"$name.log" 2>&1 &
  echo $! >"$name.pid"
  for n in $(seq 1000); do grep -q '127.0.0.1:[0-9]' "$name.log" && break || sleep 0.1; done
  port=$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$name.log" | head -1)
}
mv dav webdav
serve webdav --user ann --pass 'the web'
printf '[web]\ntype = webdav\nurl = http://127.0.0.1:%s\nvendor = other\nuser = ann\npass = %s\n' \
  "$port" "$("$servers/rclone" obscure 'the web')" >rclone.conf
serve sftp --user ann --pass 'the shell'
printf '[shell]\ntype = sftp\nhost = 127.0.0.1\nport = %s\nuser = ann\npass = %s\nshell_type = none\n' \
  "$port" "$("$servers/rclone" obscure 'the shell')" >>rclone.conf
printf '[disk]\ntype = alias\nremote = %s/disk\n' "$PWD" >>rclone.conf

for remote in disk web shell; do
  export remote
  t "$remote: the helper keeps to the protocol" <<'EOT'
. ./world.sh
status 0 sea test-helper "rclone:$remote:trials of mine/trial"
[ "$(grep -c '^ok ' out)" = 16 ]
EOT

  t "$remote: sync both ways, a large file, verify, mirror" <<'EOT'
. ./world.sh
hub="rclone:$remote:the team's/birds \"x\" ä.sea"
head -c 9000000 /dev/urandom >large
sea init -q --name=one $remote-one
sea -C $remote-one set -q --create a n:=1
sea -C $remote-one set -q --create pic photo:asset@"$p/large"
status $UNREACHABLE sea -C $remote-one add-container hub "$hub"
status 0 sea -C $remote-one add-container --create hub "$hub"
status 0 sea -C $remote-one sync
says out 'hub: pulled 0, pushed 3'
status 0 sea -C $remote-one sync
says out 'hub: pulled 0, pushed 0'
status 0 sea clone --assets=all --name=two "$hub" $remote-two
sea -C $remote-two get --raw pic photo | cmp - large
sea -C $remote-two set -q a n:=2
status 0 sea -C $remote-two sync
status 0 sea -C $remote-one sync
[ "$(sea -C $remote-one get a n)" = 2 ]
status 0 sea verify --assets "$hub"
status 0 sea mirror "$hub" "$p/$remote-copy.sea"
status 0 sea verify "$p/$remote-copy.sea"
EOT
done

t 'nothing of it runs on, and no key is in a list of processes' <<'EOT'
. ./world.sh
cat >bin/rclone.sh <<EOX3
#!/bin/sh
echo "\$*" >>"$p/words"
exec "$SEA_TEST_ROOT/.build/s3-servers/bin/rclone" "\$@"
EOX3
chmod +x bin/rclone.sh
export SEA_RCLONE="$p/bin/rclone.sh"
status 0 sea heads --container="rclone:disk:the team's/birds \"x\" ä.sea"
[ -s words ]
fails grep -q 'birds\|,' words
for n in $(seq 300); do printf '{"_id":"late/%s"}\n' "$n"; done | sea -C disk-one put -q --chunk=1 -
sea -C disk-one sync -q & first=$!
sleep 0.4
kill -9 $first 2>/dev/null || true
wait $first || true
sleep 1
ps ax -o args | fails grep "[S]EAHUB:"
unset SEA_RCLONE
status 0 sea -C disk-one sync
EOT

t 'errors are reported' <<'EOT'
. ./world.sh
status $UNREACHABLE sea clone rclone:nowhere:birds x
says err 'nowhere'
for place in rclone: rclone:disk rclone:disk: rclone:disk:/ 'rclone::sftp,pass=x:y' 'rclone:-x:y' "rclone:disk:a
b"; do
  status $REFUSED sea clone "$place" x || status $USAGE sea clone "$place" x
  [ ! -e x ]
done
status $UNREACHABLE sea clone rclone:disk:missing x
export SEA_RCLONE="$p/bin/none"
status $REFUSED sea clone rclone:disk:missing x
says err 'not found'
EOT
