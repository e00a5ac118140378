#!/usr/bin/env bash
# Run the trial that lies in the folder shared with the host, and leave the journal there.
set -uo pipefail
mkdir -p /host
modprobe -a 9pnet_virtio 9p
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 host /host
systemd-analyze --no-pager > /host/boot.txt 2>&1
cd /run || exit
python3 -u /host/trial.py > /host/trial.txt 2>&1
echo $? > /host/trial.rc
journalctl -b --no-pager -o short-monotonic > /host/journal.txt 2>&1
sync
