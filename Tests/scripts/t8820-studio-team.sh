# limit: 300
# What several people decide together, in a real browser, with scripts and without: conflicts, copies and members.
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
sea init -q --name=one --require-auth one
sea -C one add-container -q --create team "$PWD/team.sea"
sea -C one sync -q
for name in two three; do sea clone -q --name=$name team.sea $name && sea -C $name sync -q; done
sea -C one sync -q
words=$(sea -C two instances --json | jq -r 'select(.self) | .fingerprint')
sea -C one authorize -q two --fingerprint="$words"
for name in one two; do sea -C $name sync -q; done
start_studio main one
AXE=$(echo "$SEA_TEST_ROOT"/.build/studio-tools/axe_core_python/axe.min.js) \
  /usr/bin/python3 "$SEA_TEST_ROOT/Tests/studio/decide.py" one two three "${SEA_TEST_PICTURES:-pictures}" <main.address
