#!/usr/bin/env bash
# Boot the image with a shared folder as /host; its trial.py runs as root, then the machine powers off.
#   tests/vm/boot.sh IMAGE_FOLDER SHARED_FOLDER FILM LIMIT_S
# The machine's clock counts instructions (a nanosecond each), so that what it measures does not depend on how busy the host is.
set -euo pipefail

image="$1" shared="$(cd "$2" && pwd)" film="$3" limit="$4"
exec timeout --kill-after=10 "$limit" qemu-system-x86_64 \
  -machine q35 -accel tcg,thread=single,tb-size=512 -icount "shift=0,sleep=on" -cpu Nehalem -smp 1 -m 2048 \
  -kernel "$image/vmlinuz" -initrd "$image/initrd" \
  -append "root=/dev/vda console=ttyS0 quiet loglevel=4 mitigations=off audit=0 random.trust_cpu=on ${APPEND:-}" \
  -drive "file=$image/disk.img,format=raw,if=virtio,snapshot=on" \
  -drive "file=$film,format=raw,if=virtio,readonly=on" \
  -virtfs "local,path=$shared,mount_tag=host,security_model=none,multidevs=remap" \
  -device virtio-rng-pci -nodefaults -display none -serial "file:$shared/console.txt" -nic none < /dev/null
