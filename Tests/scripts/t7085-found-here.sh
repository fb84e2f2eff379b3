# What lies in the current directory may have come with the data: it runs nothing. And what a user names to be written is no
# file of a database or of a container.
echo 'correct horse' >pw
chmod 600 pw
cat >trap.sh <<'EOX'
trap_in() { printf '[password]\n command = touch %s/PWNED\n' "$SEA_HERE" >>"$1/config"; }
quiet() { "$@" >out 2>err </dev/null || :; [ ! -e "$SEA_HERE/PWNED" ] || { echo "a program was run: $*"; exit 1; }; }
EOX
SEA_HERE=$(pwd -P)
export SEA_HERE
given="--password-file=$SEA_HERE/pw"
sea init -q --name=alice --encrypt $given a
sea -C a add-container -q --create c "$SEA_HERE/stick"
sea -C a sync -q
mkdir bundles
sea -C a export -q -o "$SEA_HERE/bundles/b.sea.tar"
sea init -q --name=evil evil

t 'a .sea in a container is not used unless it is named or trusted' <<'EOT'
. ./trap.sh
cp -r evil/.sea stick/.sea
trap_in stick/.sea
cd stick
quiet sea clone . ../x1
quiet sea verify --keys .
quiet sea verify --keys c
quiet sea init --encrypt ../x2
quiet sea status
status $DENIED sea status
says err 'error[unsafe-directory]'
says err "inside container '$SEA_HERE/stick'"
status 0 sea --sea-dir=.sea status
status 0 sea verify .
sea config set --global --add safe.directory "$PWD"
status 0 sea status
sea config unset --global --all safe.directory
rm -r .sea
EOT

t 'a .sea anywhere below the top of a container is not used, from below it, by -C or by a link' <<'EOT'
. ./trap.sh
instance=$(ls stick/transactions)
mkdir -p stick/assets/x/y
ln -s stick/transactions way
for place in transactions "transactions/$instance" "transactions/$instance/1" assets assets/x/y keys; do
  mkdir -p "stick/$place/.sea"
  cp -r evil/.sea "stick/$place/"
  trap_in "stick/$place/.sea"
  printf '[core]\n pager = touch %s/PWNED\n' "$SEA_HERE" >>"stick/$place/.sea/config"
  mkdir "stick/$place/.sea/hooks"
  printf '#!/bin/sh\ntouch %s/PWNED\n' "$SEA_HERE" >"stick/$place/.sea/hooks/pre-put"
  chmod +x "stick/$place/.sea/hooks/pre-put"
  mkdir -p "stick/$place/deep/er"
  for way in "-C stick/$place" "-C stick/$place/deep/er"; do
    quiet sea $way put -t t a=1
    status $DENIED sea $way put -t t a=1
    says err 'error[unsafe-directory]'
    says err "inside container '$SEA_HERE/stick'"
    quiet sea $way --paginate log
    quiet sea $way config list
  done
  [ "$place" != transactions ] || status $DENIED sea -C way put -t t a=1
  rm -r "stick/$place/.sea" "stick/$place/deep"
done
rm -r way stick/assets
status 0 sea verify stick
EOT

t 'a container inside the folder of a database leaves that database usable, also from within the container' <<'EOT'
sea init -q --name=outer outer
sea -C outer add-container -q --create here "$SEA_HERE/outer/box"
sea -C outer sync -q
status 0 sea -C outer/box/transactions status
mkdir outer/transactions
status 0 sea -C outer status
rmdir outer/transactions
echo '{}' >outer/info.json
status 0 sea -C outer status
EOT

t 'settings without a database are nobody'\''s' <<'EOT'
. ./trap.sh
mkdir stick/.sea bundles/.sea
trap_in stick/.sea
trap_in bundles/.sea
cd stick
quiet sea clone . ../x3
quiet sea init --encrypt ../x4
cd ../bundles
quiet sea clone b.sea.tar ../x5
quiet sea verify --keys b.sea.tar
rm -r .sea ../stick/.sea
EOT

t 'clone, init, mirror and verify need no database and read nothing of the one around' <<'EOT'
. ./trap.sh
cp -r evil/.sea bundles/.sea
trap_in bundles/.sea
cd bundles
quiet sea clone b.sea.tar ../x6
quiet sea init --encrypt ../x7
quiet sea verify --keys b.sea.tar
quiet sea verify --keys ../stick
quiet sea mirror ../stick ../copy
rm -r .sea
EOT

t 'the own database says where its password comes from' <<'EOT'
sea -C a config set password.command "cat $SEA_HERE/pw"
sea -C a verify --keys c >/dev/null
EOT
