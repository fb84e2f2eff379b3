# Whatever a command was killed in the midst of, the next one just works, and nothing that was said is missing.

t 'sync, push and clone killed at any moment' <<'EOT'
sea init -q --name=one one
sea -C one add-container -q --create team "$PWD/team"
sea clone -q --name=two team two 2>/dev/null || { sea -C one push -q; sea clone -q --name=two team two; }
n=0
for delay in 1 2 3 4 5 6 8 10 12 15 20 25; do
  for k in 1 2 3; do
    n=$((n + 1))
    echo "{\"_id\":\"r$n\",\"n\":$n}" | sea -C one put -q -
  done
  timeout -s KILL 0.0$(printf %02d $delay) sea -C one push -q >/dev/null 2>&1 || true
  sea -C one push -q
  timeout -s KILL 0.0$(printf %02d $delay) sea -C two sync -q >/dev/null 2>&1 || true
  sea verify -q team
  rm -rf three
  timeout -s KILL 0.0$(printf %02d $delay) sea clone -q team three >/dev/null 2>&1 || true
  if [ -d three/.sea ]; then sea -C three pull -q; fi
done
sea -C two sync -q
sea -C two verify -q
[ "$(sea -C two query --count)" = "$n" ]
sea -C one query --json | sort >want
sea -C two query --json | sort | same want
EOT
