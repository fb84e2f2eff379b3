#!/bin/sh
# The next single record, for sea and for sqlite3: one.json and one.sql in the folder of work.
set -eu
n=$(cat n 2>/dev/null || echo 0)
n=$((n + 1))
echo "$n" >n
printf '{"_id":"one/%s","title":"a record of the usual size","n":7}\n' "$n" >one.json
cat >one.sql <<EOF
pragma synchronous=full;
insert into r values('one/$n', '{"title":"a record of the usual size","n":7}');
EOF
