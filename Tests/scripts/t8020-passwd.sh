umask 077
unset SEA_PASSWORD_FILE
for word in old new other; do echo "the $word passphrase" >$word; done
p=$PWD

t 'a passphrase is changed, and no block is touched' <<'EOT'
p=$PWD
sea init -q --encrypt --password-file=$p/old --name=one one
sea -C one add-container -q --create team "$p/team"
sea -C one set -q --create -t note n/1 text=hello
sea -C one sync -q
(cd team && find transactions -type f -exec sha256sum {} +) >before
status 0 sea -C one passwd --password-file=$p/old --new-password-file=$p/new
says out 'Passphrase changed'
says out '0 of 3 blocks re-encoded'
says err 'instances that have keys can still read everything'
sea -C one sync -q
(cd team && sha256sum -c --quiet) <before
[ "$(ls team/keys | wc -l)" -eq 1 ]
EOT

t 'the old passphrase opens nothing any more' <<'EOT'
p=$PWD
status $DENIED sea clone --password-file=$p/old team two
says err 'error[bad-password]'
[ ! -e two ]
status 0 sea clone -q --password-file=$p/new --name=two team two
[ "$(sea -C two get n/1 text)" = hello ]
status $DENIED sea -C one passwd --password-file=$p/old --new-password-file=$p/other
status $DENIED sea -C one passwd --rotate --password-file=$p/old
EOT

t 'a slot that somebody brings back is ignored' <<'EOT'
p=$PWD
sea init -q --encrypt --password-file=$p/old --name=a a
sea -C a add-container -q --create box "$p/box"
sea -C a sync -q
cp -r box/keys kept
sea -C a passwd -q --password-file=$p/old --new-password-file=$p/new
sea -C a sync -q
cp -n kept/* box/keys/
status $DENIED sea clone --password-file=$p/old box b
says err 'bad-password'
[ ! -e b ]
sea clone -q --password-file=$p/new box b
EOT

t 'several passphrases open one database' <<'EOT'
p=$PWD
status 0 sea -C one passwd --add --new-password-file=$p/other
says out 'Passphrase added'
sea -C one sync -q
sea clone -q --password-file=$p/other --name=three team three
sea -C one passwd --list --json >list
[ "$(grep -c '"kind":"passphrase"' list)" -eq 2 ]
slot=$(sed -n 's/.*"slot":"\([0-9a-f]*\)".*/\1/p' list | head -1)
status 0 sea -C one passwd --remove=$slot
[ "$(sea -C one passwd --list --json | grep -c passphrase)" -eq 1 ]
status $NOT_FOUND sea -C one passwd --remove=$slot
status $NOT_FOUND sea -C one passwd --remove=zz
EOT

t 'a new epoch is read by all instances, and by the passphrase' <<'EOT'
p=$PWD
sea init -q --encrypt --password-file=$p/old --name=one r1
sea -C r1 add-container -q --create box "$p/rbox"
sea -C r1 sync -q
sea clone -q --password-file=$p/old --name=two rbox r2
sea -C r2 sync -q; sea -C r1 sync -q
status 0 sea -C r1 passwd --rotate --password-file=$p/old
says out 'Key epoch 2 started'
says err 'can be read by:'
sea -C r1 set -q --create -t note n/2 text=later
sea -C r1 sync -q
sea -C r2 sync -q
[ "$(sea -C r2 get n/2 text)" = later ]
sea clone -q --password-file=$p/old --name=three rbox r3
[ "$(sea -C r3 get n/2 text)" = later ]
sea -C r3 set -q n/2 text=third; sea -C r3 sync -q
sea -C r2 sync -q
[ "$(sea -C r2 get n/2 text)" = third ]
sea -C r2 verify -q
EOT

t 'rounds can be raised, within their bounds' <<'EOT'
p=$PWD
status 0 sea -C r1 passwd --kdf-iterations=700000 --password-file=$p/old
status 0 sea -C r1 passwd --list
says out '700000 rounds'
status $USAGE sea -C r1 passwd --kdf-iterations=599999 --password-file=$p/old
says err "'auto' or a number from 600000 to 10000000"
status $USAGE sea -C r1 passwd --kdf-iterations=10000001 --password-file=$p/old
status 0 sea -C r1 passwd -q --kdf-iterations=auto --password-file=$p/old
rounds=$(sea -C r1 passwd --list --json | sed -n 's/.*"rounds":\([0-9]*\).*/\1/p')
[ "$rounds" -ge 600000 ]
EOT

t 'the end of the line is no part of a password, and what nobody sees is refused' <<'EOT'
sea init -q --encrypt --password-file=old --name=lines lines
sea -C lines add-container -q --create line-st "$PWD/line-st"
sea -C lines push -q
printf 'the old passphrase\r\n' >crlf
printf 'the old passphrase' >endless
for file in crlf endless; do
  status 0 sea clone -q --password-file=$file line-st "by-$file"
  status 0 sea clone -q --password-fd=3 line-st "by-fd-$file" 3<$file
  status 0 sea clone -q --password-file=- line-st "by-input-$file" <$file
  status 0 sea clone -q --password-command="cat $file" line-st "by-command-$file"
done
printf '\357\273\277the old passphrase\n' >marked
printf 'the old passphrase \n' >behind
printf '\tthe old passphrase\n' >before
printf 'the old passphrase\r\r\n' >twice
for file in marked behind before twice; do
  words='begins or ends with a space'
  [ $file != marked ] || words='the passphrase begins with a byte order mark'
  status $DENIED sea clone --password-file=$file line-st none
  says err "error[bad-password]: --password-file: "
  says err "$words"
  status $DENIED sea clone --password-fd=3 line-st none 3<$file
  says err "$words"
  status $DENIED sea clone --password-command="cat $file" line-st none
  says err "$words"
  status $DENIED sea -C lines passwd --password-file="$PWD/old" --new-password-file="$PWD/$file"
  says err "error[bad-password]: --new-password-file: "
  says err "$words"
done
[ ! -e none ]
EOT

t 'nothing is done where nothing can be' <<'EOT'
p=$PWD
printf '[init]\n\tencrypt = false\n' >plainconfig
SEA_CONFIG_GLOBAL=$p/plainconfig SEA_CONFIG_COUNT=0 sea init -q plain
status $INCOMPATIBLE sea -C plain passwd --list
says err 'is not encrypted'
status $USAGE sea -C one passwd --add --rotate
status $USAGE sea -C one passwd --no-input --add
status 0 sea -C one passwd -n --rotate
says out 'would start key epoch 2'
EOT

t 'it names the recovery key and members that have written nothing as sea instances does' <<'EOT'
p=$PWD
sea init -q --name=al --encrypt --require-auth --recovery=$p/words --password-file=$p/old crm
sea -C crm add-container -q --create st "$p/st"
sea -C crm push -q
sea clone -q --name=eve "$p/st" eve
sea -C crm sync -q
eve=$(sea -C eve rev-parse --instance-id)
sea -C crm authorize -q $eve --fingerprint="$(sea -C crm instances --json | sed -n "s/.*$eve.*\"fingerprint\":\"\([^\"]*\)\".*/\1/p")"
sea -C crm instances >names
for name in al eve recovery; do grep -q "^$name " names; done
status 0 sea -C crm passwd --list
says out 'instance eve ('
says out 'instance recovery ('
lacks out '?'
status 0 sea -C crm passwd --list --json
says out '"name":"eve"'
says out '"name":"recovery"'
status 0 sea -C crm passwd --password-file=$p/old --new-password-file=$p/new
says err 'instances that have keys can still read everything: al, eve, recovery;'
status 0 sea -C crm passwd --rotate --password-file=$p/new
says err 'can be read by: al, eve, recovery'
EOT
