# limit: 240
# Containers in object stores: two servers, one of which knows If-None-Match and one that checks signatures.
. "$SEA_TEST_ROOT/Tests/s3/servers.sh"
start_moto
start_rclone
cat >both <<'EOX'
each() { for server in moto rclone; do (. "./env-$server" && "$@" "$server") || return 1; done; }
EOX

t 'the helper keeps to the protocol, with both servers' <<'EOT'
. ./both
trial() {
  status 0 sea test-helper s3://bucket/trial
  [ "$(grep -c '^ok ' out)" = 16 ]
}
each trial
EOT

t 'a database over a store: sync both ways, conflicts, large files' <<'EOT'
. ./both
head -c 20000000 /dev/urandom >large
story() {
  hub=s3://bucket/team/birds.sea
  sea init -q --name=one $1-one
  sea -C $1-one set -q --create a n:=1
  sea -C $1-one set -q --create pic photo:asset@"$PWD/large"
  status 0 sea -C $1-one add-container --create hub $hub
  status 0 sea -C $1-one sync
  says out 'hub: pulled 0, pushed 3'
  status 0 sea clone --name=two $hub $1-two
  sea -C $1-two set -q a n:=2
  sea -C $1-one set -q a n:=3
  sea -C $1-two sync -q
  sea -C $1-one sync -q >out 2>err || true
  sea -C $1-two sync -q >out 2>err || true
  sea -C $1-one conflicts a | grep -q 'n'
  sea -C $1-one resolve -q --winner a
  sea -C $1-one sync -q
  sea -C $1-two sync -q
  [ "$(sea -C $1-one get a)" = "$(sea -C $1-two get a)" ]
  status 0 sea -C $1-two fetch-assets
  sea -C $1-two get --raw pic photo | cmp - large
  status 0 sea -C $1-one containers --probe
  says out ok
  status 0 sea verify $hub
  status 0 sea mirror $hub $1.sea
  sea heads --container=$1.sea >want
  status 0 sea heads --container=$hub
  same out <want
  status 0 sea mirror $1.sea s3://bucket/other.sea
  status 0 sea verify s3://bucket/other.sea
  status $UNREACHABLE sea clone s3://bucket/nothing $1-three
  [ ! -e $1-three ]
}
each story
EOT

t 'a large file goes on where an earlier upload was stopped' <<'EOT'
. ./both
head -c 20000000 /dev/urandom >large
goes_on() {
  { printf 'sea-helper 1\nput big 20000000\n'; head -c 17000000 large; } | sea-remote-s3 s3://bucket/resume >answers || true
  fails grep -q ok answers
  { printf 'sea-helper 1\nput big 20000000\n'; cat large; printf 'get big 0 20000000\nbye\n'; } \
    | sea-remote-s3 s3://bucket/resume >answers
  # Behind it is the answer to `bye`.
  tail -c 20000003 answers | head -c 20000000 | cmp - large
}
each goes_on
[ "$(grep -c 'PUT /bucket/resume/big.*partNumber=1&' moto.log)" = 1 ]
[ "$(grep -c 'PUT /bucket/resume/big.*partNumber=2&' moto.log)" = 1 ]
[ "$(grep -c 'PUT /bucket/resume/big.*partNumber=3&' moto.log)" = 1 ]
. ./env-moto
/usr/bin/python3 -c "import urllib.request as u; print(u.urlopen('$AWS_ENDPOINT_URL/bucket?uploads').read())" >out
fails grep -q '<Upload>' out
EOT

t 'purged records and dropped assets are gone from a store' <<'EOT'
. ./both
head -c 20000000 /dev/urandom >large
away() {
  hub=s3://bucket/away.sea
  sea init -q --name=one $1-p
  sea -C $1-p set -q --create pic photo:asset@"$PWD/large"
  sea -C $1-p set -q --create secret word=hush-hush-hush
  status 0 sea -C $1-p add-container --create hub $hub
  status 0 sea -C $1-p sync
  status 0 sea clone --name=two $hub $1-q
  status 0 sea -C $1-q fetch-assets
  status 0 sea -C $1-q drop-assets
  status 0 sea -C $1-q fetch-assets
  sea -C $1-q get --raw pic photo | cmp - large
  status 0 sea mirror $hub $1.before
  grep -rqF hush-hush-hush $1.before
  sea -C $1-p purge -q --confirm=one secret || [ $? = 8 ]
  for who in p q p; do sea -C $1-$who sync -q; done
  status $NOT_FOUND sea -C $1-q get secret
  status 0 sea mirror $hub $1.after
  fails grep -rqF hush-hush-hush $1.after
  status 0 sea verify $hub
}
each away
EOT

t 'names with every kind of character are signed and listed as they are' <<'EOT'
. ./both
cat >want <<'EOX'
file 5 d/%C3%BC
file 5 d/a%20b
file 5 d/a%2Bb
file 5 d/c~d
file 5 d/h%23%27%22
file 5 d/q%3Fz%26%3D
file 5 d/x%281%29
file 5 e/%2541
EOX
names() {
  { printf 'sea-helper 1\n'
    for path in a%20b a%2Bb %C3%BC 'a~b' x%281%29 q%3Fz%26%3D h%23%27%22 %2541; do
      printf 'put d/%s 5\nhelloget d/%s 1 9\n' $path $path
    done
    printf 'move d/a~b d/c~d\nmove d/%%2541 e/%%2541\nlist .\nbye\n'; } >said
  sea-remote-s3 "s3://bucket/Odd +ü~(1)/%41 'x'&=?#" <said >answers
  [ "$(grep -c '^ok 4$' answers)" = 8 ]
  fails grep error answers
  sed -n 's/^\(ello\)*file \([0-9]*\) [0-9]* /file \2 /p' answers | LC_ALL=C sort | same want
}
each names
EOT

t 'keys that are wrong, and places that are not there: one line, and no secret' <<'EOT'
. ./both
. ./env-rclone
AWS_SECRET_ACCESS_KEY=hunter2 status $DENIED sea clone s3://bucket/team/birds.sea x
[ "$(wc -l <err)" -le 2 ]
says err 'SignatureDoesNotMatch'
fails grep -q -e hunter2 -e KEYID err
AWS_SECRET_ACCESS_KEY= AWS_ACCESS_KEY_ID= status $DENIED sea clone s3://bucket/team/birds.sea x
says err 'no credentials found'
AWS_PROFILE=birds AWS_ACCESS_KEY_ID= status $DENIED sea clone s3://bucket/team/birds.sea x
says err "profile 'birds' does not exist"
status $UNREACHABLE sea clone s3://no-such-bucket/x x
says err 'the bucket does not exist'
AWS_ENDPOINT_URL=http://127.0.0.1:1 status $UNREACHABLE sea clone s3://bucket/x x
says err 'unavailable'
AWS_ENDPOINT_URL=http://ada:hunter2@127.0.0.1:1 status $REFUSED sea clone s3://bucket/x x
fails grep -q hunter2 err
status $REFUSED sea clone s3://Bucket//x x
status $USAGE sea-remote-s3
[ ! -e x ]
# A server that has no certificate for this is not talked to.
AWS_ENDPOINT_URL=https://127.0.0.1:${AWS_ENDPOINT_URL##*:} status $UNREACHABLE sea clone s3://bucket/team/birds.sea x
EOT

t 'files, profiles, tokens, and a program that brings credentials' <<'EOT'
. ./env-rclone
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
url=$AWS_ENDPOINT_URL
unset AWS_ENDPOINT_URL
printf '[birds]\naws_access_key_id = KEYID\naws_secret_access_key = secret+/key\naws_session_token = a+b/c=\n' >keys
printf '[profile birds]\nendpoint_url = %s\n[profile made]\nendpoint_url = %s\ncredential_process = "%s/make keys" one\n' \
  "$url" "$url" "$PWD" >config
printf '#!/bin/sh\n[ $1 = one ] || exit 1\necho $1 >>made\ncat <<E\n{\n "Version": 1, "AccessKeyId": "KEYID",\n "SecretAccessKey": "secret+/key", "SessionToken": "x"\n}\nE\n' >'make keys'
chmod +x 'make keys'
export AWS_SHARED_CREDENTIALS_FILE=$PWD/keys AWS_CONFIG_FILE=$PWD/config
AWS_PROFILE=birds status 0 sea heads --container=s3://bucket/team/birds.sea
AWS_PROFILE=made status 0 sea heads --container=s3://bucket/team/birds.sea
[ "$(wc -l <made)" = 1 ]
printf '#!/bin/sh\necho secret-word >&2; echo nonsense secret-word\n' >'make keys'
AWS_PROFILE=made status $DENIED sea heads --container=s3://bucket/team/birds.sea
says err 'printed no credentials'
grep 'sea: error' err | fails grep -q secret-word
status $DENIED sea heads --container=s3://bucket/team/birds.sea
EOT

t 'secrets are in no list of processes, setting or trace' <<'EOT'
. ./env-moto
strace -f -qq -s 4096 -e trace=execve,write -o traced sea -C moto-one sync -q
grep execve traced | fails grep -q 'secret+'
fails grep -q 'secret+/key' traced
fails grep -rqF 'secret+/key' moto-one/.sea
# What is told on purpose: each request of HTTP, and no signature.
AWS_SESSION_TOKEN=planted-token SEA_TRACE=$PWD/told SEA_TRACE_JSON=$PWD/told.json sea -C moto-one sync -q
grep -qE ' sea-remote\[[0-9]+\] http [0-9.]+ method=GET host=127\.0\.0\.1:[0-9]+ target=/bucket/team/birds\.sea/info\.json answer=20[06] ' told
grep -q '"event":"http"' told.json
if grep -nE 'secret|KEYID|planted|Signature|Authorization' told told.json; then false; fi
# Standard error is that of a helper, too.
SEA_TRACE=1 status 0 sea -C moto-one sync -q
grep -q ' http ' err
grep -q ' request ' err
EOT

t 'an exchange directory in a store' <<'EOT'
. ./both
kit() {
  kit=s3://bucket/kit
  head -c 1000000 large >less
  sea init -q --name=a $1-a
  sea -C $1-a set -q --create pic photo:asset@"$PWD/less"
  status 0 sea -C $1-a export --to=$kit --verify
  says out 'read back from the medium: ok'
  sea -C $1-a export -q -o "$PWD/$1.sea.tar.zst"
  sea clone -q --name=b "$1.sea.tar.zst" $1-b
  sea -C $1-b put -q '{"_id":"y"}'
  status 0 sea -C $1-b export --to=$kit
  says out 'increment for a'
  status 0 sea -C $1-a import $kit
  [ "$(sea -C $1-a get y)" = "$(sea -C $1-b get y)" ]
  status $NO sea -C $1-a export --exit-code --to=$kit
  status $SYSTEM sea -C $1-a export --to=s3://bucket/team/birds.sea
  says err 'is a container'
}
each kit
EOT
