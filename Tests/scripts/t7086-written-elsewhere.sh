# A file that a user names to be written is none of a database or of a container.
sea init -q --name=a a
sea -C a set -q --create r/1 x=1
sea -C a add-container -q --create c "$PWD/c"
sea -C a sync -q
t 'export -o refuses the files of a database and of a container' <<'EOT'
ln -s "$PWD/a/.sea/db" link
ln -s "$PWD/a/.sea" folder
for file in a/.sea/db a/.sea/keys/instance a/.sea/new link folder/db c/info.json c/transactions/x c/assets/y; do
  before=$(find a c | sort)
  status $SYSTEM sea -C a export -o "$PWD/$file"
  says err 'nothing was written'
  [ "$(find a c | sort)" = "$before" ]
done
(cd a/.sea/keys; status $SYSTEM sea export -o instance)
for folder in a/.sea a/.sea/keys a/.sea/new folder c/transactions; do
  before=$(find a c | sort)
  status $SYSTEM sea -C a export --to="$PWD/$folder"
  says err 'nothing was written'
  [ "$(find a c | sort)" = "$before" ]
done
sea -C a set -q r/1 x=2
sea -C a sync -q
sea -C a verify -q
status 0 sea -C a export -o "$PWD/c/b.sea.tar"
EOT

t 'merge-record -o too' <<'EOT'
echo '{"_id":"r","n":1}' >r
status $SYSTEM sea merge-record -o a/.sea/db r r
sea -C a verify -q
sea merge-record -o /dev/stdout r r >there
[ -s there ]
[ -L /dev/stdout ]
EOT
