# sealed: yes
t 'a query at a time sees exactly what was known then' <<'EOT'
SEA_AUTHOR_DATE=2025-12-31T10:00:00Z sea init -q --name=field
export SEA_AUTHOR_DATE=2026-01-01T10:00:00Z
sea put -q '{"_id":"h/1","_type":"host","ram":1,"owner":{"$ref":"p"}}' '{"_id":"p","_type":"person","name":"Ada"}'
export SEA_AUTHOR_DATE=2026-01-02T10:00:00Z
sea set -q p name=Bob nick=B
export SEA_AUTHOR_DATE=2026-01-03T10:00:00Z
sea set -q h/1 ram:=9 disk:=2 --unset=owner
export SEA_AUTHOR_DATE=2026-01-04T10:00:00Z
sea delete -q h/1
sea put -q '{"_id":"s/1","_type":"site","town":"Basel"}'
unset SEA_AUTHOR_DATE
sea query --at=2026-01-01T12:00:00Z --select='id,type,ram,owner->name' --csv >out
same out <<'EOX'
id,type,ram,owner->name
h/1,host,1,Ada
p,person,,
EOX
[ "$(sea query --at='@{3}' --select='owner->name' -t host --json)" = '{"owner->name":"Bob"}' ]
[ "$(sea query --at='@{4}' -t host --csv)" = "_id,ram,owner
h/1,1,p" ]
[ "$(sea query --at='@{2}' -t host --csv)" = "_id,ram,disk
h/1,9,2" ]
[ "$(sea query --at='@{2}' --refs-to=p --count)" = 0 ]
[ "$(sea query --at='@{3}' --refs-to=p --ids)" = h/1 ]
[ "$(sea query --at='@{4}' --count) $(sea query --at='@{0}' --count) $(sea query --count)" = '2 2 2' ]
[ "$(sea query --at='@{1}' --ids --deleted | wc -l)" -eq 2 ]
sea query --at='@{4}' --types >out
same out <<'EOX'
TYPE    RECORDS  PROPERTIES
host          1  ram owner
person        1  name
EOX
[ "$(sea query --at='@{3}' --ids "ram = 1 AND prop(owner, '/nick') = 'B'")" = h/1 ]
[ -z "$(sea query --at='@{4}' --ids "ram = 1 AND prop(owner, '/nick') = 'B'")" ]
[ "$(sea query --at=2025-12-31T12:00:00Z --count)" = 0 ]
EOT

t 'SQL' <<'EOT'
[ "$(sea sql --at='@{4}' --csv 'SELECT * FROM host')" = "_id,ram,owner
h/1,1,p" ]
[ "$(sea sql --at='@{3}' --csv "SELECT ram, prop(owner, '/name') AS name, refers(_id, 'p') AS r, _modified FROM host")" = \
  "ram,name,r,_modified
1,Bob,1,2026-01-01T10:00:00.000Z" ]
[ "$(sea sql --at='@{2}' --csv "SELECT _rev LIKE '2-%' AS r, _created, _modified FROM host")" = \
  "r,_created,_modified
1,2026-01-01T10:00:00.000Z,2026-01-03T10:00:00.000Z" ]
[ "$(sea sql --at='@{3}' --csv 'SELECT h._id, p.name FROM host h JOIN person p ON h.owner = p._id' | tail -1)" = h/1,Bob ]
[ "$(sea sql --at='@{3}' --format='%(n)' 'SELECT count(*) AS n FROM records')" = 2 ]
status 0 sea sql --at='@{3}' --explain 'SELECT * FROM host'
EOT

t 'names are those of then' <<'EOT'
# What came later is not like anything that was there, and not there.
sea sql --at='@{4}' 'SELECT disk FROM host' >out 2>err
says err "no record has a property 'disk'"
sea query --at='@{2}' -t site 2>err
says err "no record has the type 'site'"
status $BAD_DATA sea sql 'SELECT twn FROM site'
sea sql --at='@{2}' 'SELECT twn FROM site' 2>err
status $BAD_DATA sea sql --at='@{2}' 'SELECT dsk FROM host'
says err "'disk'"
status 0 sea sql --at='@{4}' 'SELECT dsk FROM host'
status $NOT_FOUND sea query --at='@{3}' --refs-to=s/1
status $NO sea query --at='@{1}' -t host --exit-code
status 0 sea query --at='@{2}' -t host --exit-code
status $NOT_FOUND sea query --at='@{99}'
status $USAGE sea query --at=soon
status $NOT_FOUND sea sql --at='@{99}' 'SELECT 1'
EOT

t 'received changes count from their arrival' <<'EOT'
sea add-container -q --create stick "$PWD/stick.sea"
sea sync -q
sea clone -q --name=lab stick.sea lab
SEA_AUTHOR_DATE=2020-01-01T00:00:00Z sea -C lab put -q '{"_id":"l/1","_type":"host","lab":true}'
SEA_AUTHOR_DATE=2020-01-01T00:00:00Z sea -C lab set -q p name=Eve
sea set -q p name=Dan
sea -C lab sync -q
sea sync -q --no-merge
[ "$(sea query --at='@{0}' -t person --csv)" = "_id,name,nick
p,Dan,B" ]
[ -z "$(sea query --at='@{0}' -t host 2>/dev/null)" ]
[ "$(sea sql --at='@{0}' --format='%(c)' "SELECT _conflict AS c FROM records WHERE _id = 'p'")" = 0 ]
[ "$(sea sql --at=now --format='%(c)' "SELECT _conflict AS c FROM records WHERE _id = 'p'")" = 1 ]
[ "$(sea query --at=now --json)" = "$(sea query --json)" ]
sea -C lab query --at='@{1}' -t host --json >out
says out l/1
EOT

t 'on a database that may only be read' <<'EOT'
cp -r .sea read && chmod -R a-w read
sea --sea-dir="$PWD/read" query --at='@{5}' --count >out
[ "$(cat out)" = 2 ]
chmod -R u+w read
EOT
