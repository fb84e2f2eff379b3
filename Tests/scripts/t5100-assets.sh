# sealed: yes
t 'a database with assets, a container, another instance' <<'EOT'
mkdir files
head -c 3000 /dev/zero >files/owl.jpg
echo hoot >files/owl.txt
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0\220wS\336' >files/dot.png
sea init -q --name=field birds
sea -C birds set -q --create -t bird owl name=Owl photo:asset@"$PWD/files/owl.jpg" call:asset@"$PWD/files/owl.txt"
sea -C birds set -q --create -t site north map:asset@"$PWD/files/dot.png"
sea -C birds set -q --create -t site south name=South
sea -C birds add-container -q --create stick "$PWD/stick.sea"
sea -C birds sync -q
sea clone -q --name=lab stick.sea lab
EOT

t 'a line for each asset of a record' <<'EOT'
sea -C birds assets >out
same out <<'EOX'
ID     PATH      SIZE  KIND                      HERE
north  map       33 B  image/png                 yes
owl    call       5 B  text/plain                yes
owl    photo  2.9 KiB  application/octet-stream  yes
EOX
sea -C birds assets north >out
[ "$(wc -l <out)" -eq 2 ]
sea -C birds assets south >out
[ ! -s out ]
status $NOT_FOUND sea -C birds assets east
says err 'east'
EOT

t 'assets that are here and assets that are not' <<'EOT'
sea -C lab assets --present >out
[ ! -s out ]
sea -C lab assets --missing --format='%(id) %(path) %(here)' >out
same out <<'EOX'
north map false
owl call false
owl photo false
EOX
sea -C birds assets --missing >out
[ ! -s out ]
status $USAGE sea -C birds assets --missing --present
EOT

t 'assets reads containers only with --whereis' <<'EOT'
sea -C lab assets --whereis --json owl | jq -c '[.path, .here, .where, .copies]' >out
same out <<'EOX'
["/call",false,["origin"],1]
["/photo",false,["origin"],1]
EOX
mv stick.sea away
sea -C lab assets >out 2>err
[ ! -s err ]
sea -C birds assets --whereis --format='%(id) %(copies) %(where)' >out 2>err
mv away stick.sea
says err 'warning[unreachable]'
same out <<'EOX'
north 1 
owl 1 
owl 1 
EOX
sea -C birds assets --whereis --format='%(id) %(copies) %(where)' owl | sort -u >out
same out <<'EOX'
owl 2 stick
EOX
EOT

t 'by size, kind and type' <<'EOT'
sea -C birds assets --sort=size --format='%(size)' >out
same out <<'EOX'
3000
33
5
EOX
sea -C birds assets --max-size=33 --format='%(path)' >out
same out <<'EOX'
map
call
EOX
sea -C birds assets --min-size=34 --format='%(path)' >out
echo photo | same out
sea -C birds assets --mime='image/*' --mime='text/*' --format='%(mime)' >out
same out <<'EOX'
image/png
text/plain
EOX
sea -C birds assets -t site --format='%(id) %(type)' >out
echo 'north site' | same out
sea -C birds assets -t site -t bird | wc -l >out
echo 4 | same out
EOT

t 'JSON: every line has a size' <<'EOT'
sea -C birds assets --json | jq -s 'map(.size) | add' >out
echo 3038 | same out
sea -C birds assets --json owl | head -1 | jq -c '[.event, .id, .type, .path, .size, .mime, .here, (.sha256 | length)]' >out
echo '["asset","owl","bird","/call",5,"text/plain",true,64]' | same out
[ "$(sea -C birds assets --json owl | head -1 | jq -r .sha256)" = "$(sha256sum <files/owl.txt | cut -c1-64)" ]
EOT

t 'in arrays and dictionaries, and in several records: once for each place' <<'EOT'
asset=$(sea -C birds get --json owl | jq -c .call)
sea -C birds set -q --create tree 'leaf:={"a.b":['"$asset,$asset"']}' "x:=$asset"
sea -C birds assets --format='%(id) %(path)' tree >out
same out <<'EOX'
tree x
tree leaf.a\.b.0
tree leaf.a\.b.1
EOX
sea -C birds assets --json tree | jq -r .path >out
same out <<'EOX'
/x
/leaf/a.b/0
/leaf/a.b/1
EOX
sea -C birds delete -q tree
EOT

t 'assets that only earlier revisions name' <<'EOT'
echo hoot hoot >files/owl.txt
sea -C birds set -q owl call:asset@"$PWD/files/owl.txt"
sea -C birds assets --format='%(path) %(size)' owl >out
same out <<'EOX'
call 10
photo 3000
EOX
sea -C birds assets --history --format='%(path) %(size)' owl >out
same out <<'EOX'
call 10
photo 3000
 5
EOX
sea -C birds delete -q north
sea -C birds assets --format='%(id)' | sort -u >out
echo owl | same out
sea -C birds assets --history --format='%(id) %(path)' north >out
echo 'north ' | same out
EOT

t 'the kind is what the record says now' <<'EOT'
sea init -q --name=kinds kinds
echo hi >files/h
sea -C kinds put -q '{"_id":"a"}'
sea -C kinds set -q a 'g:asset[image/jpeg]@../files/h'
sea -C kinds set -q a 'g:asset[text/csv]@../files/h'
for words in '' '--mime=text/*' '--mime=text/csv a'; do
  sea -C kinds assets --format='%(id) %(mime)' $words >out
  echo 'a text/csv' | same out
done
sea -C kinds assets --mime='image/*' >out
[ ! -s out ]
sea -C kinds add-container -q --create kinds "$PWD/kinds.sea"
sea -C kinds sync -q
sea clone -q --name=kinds2 kinds.sea kinds2
status 0 sea -C kinds2 fetch-assets -n --mime='image/*'
says out 'would fetch nothing'
status 0 sea -C kinds2 fetch-assets --mime='text/*'
[ "$(sea -C kinds2 get --raw a g)" = hi ]
EOT

t 'both sides of a conflict' <<'EOT'
sea -C birds sync -q
sea -C lab sync -q
echo one >files/one
echo two >files/two
sea -C birds set -q owl call:asset@"$PWD/files/one"
sea -C lab set -q owl call:asset@"$PWD/files/two"
sea -C birds sync -q
sea -C lab sync -q
sea -C lab assets --format='%(path) %(size)' owl | sort -u >out
same out <<'EOX'
call 4
photo 3000
EOX
[ "$(sea -C lab assets --json owl | jq -r 'select(.path == "/call").sha256' | sort -u | wc -l)" -eq 2 ]
EOT

t 'files that no revision names' <<'EOT'
sea -C birds assets --unreferenced >out
[ ! -s out ]
own=$(sea -C birds rev-parse --instance-id)
echo stray >birds/.sea/assets/$own/1/77
sea -C birds assets --unreferenced --format='%(asset) %(size)' >out
echo "$own/77 6" | same out
status $USAGE sea -C birds assets --unreferenced owl
status $USAGE sea -C birds assets --unreferenced --mime=x
rm birds/.sea/assets/$own/1/77
EOT

t 'status counts what is not here, and fetches count against it' <<'EOT'
sea clone -q --name=desk stick.sea desk
sea -C desk status --porcelain >out
says out "$(printf '# assets.missing\t3\t3008')"
sea -C desk status >out
says out '3 assets missing, 2.9 KiB: sea fetch-assets'
sea -C desk fetch-assets -q --min-size=1K
sea -C desk status --json | head -1 | jq -c '[.assets_missing, .assets_missing_bytes]' >out
echo '[2,8]' | same out
EOT

t 'status --exit-code: only what a container is to bring is there to fetch' <<'EOT'
sea -C desk resolve -q owl --take=winner
sea -C desk sync -q
sea -C desk assets --missing --format='%(size)' >out
echo 4 | same out
status 0 sea -C desk status -q --exit-code
sea -C desk config set container.origin.assets min-size=1K
status 0 sea -C desk status -q --exit-code
sea -C desk config set container.origin.assets max-size=1K
status $NO sea -C desk status -q --exit-code
sea -C desk sync -q
status 0 sea -C desk status -q --exit-code
# The container that a file came from is not to be given it.
sea -C desk drop-assets -q
sea -C desk fetch-assets -q
status 0 sea -C desk status -q --exit-code
EOT

t 'status --exit-code: an asset that no container was given is to be handed over' <<'EOT'
sea -C desk sync -q
# Blocks are all there: the filter has kept the file back so far.
sea -C desk config set container.origin.assets none
echo 'nobody has this yet' >files/late.txt
sea -C desk set -q owl memo:asset@"$PWD/files/late.txt"
sea -C desk sync -q
status 0 sea -C desk status -q --exit-code
sea -C desk config unset container.origin.assets
status $NO sea -C desk status -q --exit-code
status 0 sea -C desk sync -q
status 0 sea -C desk status -q --exit-code
EOT

t 'a thousand assets are listed' <<'EOT'
sea init -q many
for k in $(seq 1000); do
  printf '{"_id":"p/%d","photo":{"$asset":"00000000-0000-8000-8000-000000000001/%d","sha256":"%064d","size":%d,"mime":"image/jpeg"}}\n' $k $k $k $k
done >many.json
sea -C many put -q "$PWD/many.json"
sea -C many assets --missing --format='%(id)' | wc -l >out
sea -C many status >status
echo 1000 | same out
says status '1000 assets missing'
EOT
