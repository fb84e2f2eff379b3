#!/bin/bash
# 1,000,000 records: what a command takes at most, in MB.
. "$(dirname "$0")/common.sh"
records 1000000 2 >/dev/null
sea init -q --name=million million
ratio --peak 250 'memory: put --chunk=100000 of 1,000,000' 'sea -C million put -q --chunk=100000 - <records-1000000-2'
sea -C million add-container -q --create folder "$WORK/million-folder"
ratio --peak 250 'memory: push of 1,000,000' 'sea -C million push -q'
ratio --peak 250 'memory: clone of 1,000,000' 'sea clone -q million-folder million-clone'
ratio --peak 250 'memory: verify of a container of 1,000,000' 'to check, run: to check, run: sea verify million-folder'
ratio --peak 250 'memory: verify of an instance of 1,000,000' 'sea -C million verify'
rm -rf million* records-1000000-2
