# limit: 240
# What the pages and the README show is run, each page in an empty directory; Tests/examples.py says what is an example.
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/examples.py" "$SEA_TEST_ROOT"/man/*.[157] "$SEA_TEST_ROOT/README.md"
