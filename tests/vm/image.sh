#!/usr/bin/env bash
# Make what tests/vm/boot.sh boots: Debian 12 with simulated pins and a simulated camera, and in it this referee,
# installed by its own systemd/install.sh without a network, from wheels that lie in the image.
#   sudo tests/vm/image.sh FOLDER
# FOLDER (about 5 GB) keeps what takes long: kernel, system, wheels. Each call installs the referee anew.
# Ends with 3 where tools, root or packages cannot be had: that says nothing about the referee.
set -euo pipefail

getting=tools  # what is being fetched now
# shellcheck disable=SC2154
trap 'code=$?; if [ "$code" != 0 ] && [ -n "$getting" ]; then echo "image: no $getting here" >&2; exit 3; fi' EXIT

here="$(cd "$(dirname "$0")" && pwd)"
source="$(cd "$here/../.." && pwd)"
mkdir -p "$1"
cd "$1"
exec 9> .building
flock -n 9 || { getting=""; echo "image: $1 is being built by another program; wait for it" >&2; exit 2; }

python="${PYTHON:-python3}"  # one with pip
began=$SECONDS
say() { printf 'image: %4d s  %s\n' "$((SECONDS - began))" "$*"; }

missing=()
for tool in mmdebstrap:mmdebstrap mke2fs:e2fsprogs cpio:cpio zstd:zstd depmod:kmod xz:xz-utils busybox:busybox-static; do
  PATH="$PATH:/sbin:/usr/sbin" command -v "${tool%%:*}" > /dev/null || missing+=("${tool#*:}")
done
if [ "${#missing[@]}" != 0 ]; then
  echo "image: tools are missing; run \`sudo apt install ${missing[*]}\`" >&2
  exit 3
fi
if [ "$(id -u)" != 0 ]; then
  echo "image: building a system needs root; run it with sudo" >&2
  exit 3
fi
getting=""

# Debian's own kernel, gpio-sim, which Debian leaves out, and
# v4l2loopback. No mirror is named here: mmdebstrap takes Debian's usual one.
make_kernel() {
  rm -rf --one-file-system build kernel gpio-sim
  mmdebstrap --quiet --variant=minbase --include=linux-headers-amd64,v4l2loopback-dkms,dkms,make,gcc,kmod,xz-utils \
    --customize-hook='set -e; k=$(basename "$(ls -d "$1"/usr/src/linux-headers-*-amd64)"); k=${k#linux-headers-}
      chroot "$1" sh -c "mkdir /got && cd /got &&
        apt-get -o APT::Sandbox::User=root download -qq linux-image-$k linux-source-6.1"' \
    bookworm build
  local version
  version="$(basename "$(ls -d build/usr/src/linux-headers-*-amd64)")"
  version="${version#linux-headers-}"
  dpkg-deb -x build/got/linux-image-"$version"_*.deb kernel
  make_gpio_sim "$version"
  local modules="kernel/lib/modules/$version"
  mkdir -p "$modules/extra"
  for module in gpio-sim irq-sim-here; do
    strip --strip-debug -o "$modules/extra/$module.ko" "build/gpio-sim/$module.ko"
  done
  cp build/lib/modules/"$version"/updates/dkms/v4l2loopback.ko "$modules/extra/"
  depmod -b kernel "$version"
  echo "$version" > kernel.version
  rm -rf --one-file-system build gpio-sim
}

# irq_to_desc() is not there for modules; generic_handle_irq() is, and runs the same handler. When a chip goes, this
# kernel frees the interrupts that its lines still hold, and about every fourth time breaks itself with it: they stay.
make_gpio_sim() {
  mkdir gpio-sim
  dpkg-deb --fsys-tarfile build/got/linux-source-6.1_*.deb | tar -xO ./usr/src/linux-source-6.1.tar.xz > gpio-sim/linux.tar.xz
  tar -xJ -C gpio-sim -f gpio-sim/linux.tar.xz --strip-components=3 linux-source-6.1/drivers/gpio/gpio-sim.c \
    linux-source-6.1/drivers/gpio/gpiolib.h linux-source-6.1/kernel/irq/irq_sim.c
  rm gpio-sim/linux.tar.xz
  sed -e 's/handle_simple_irq(irq_to_desc(irqnum));/generic_handle_irq(irqnum);/' \
    -e 's/^\tirq_domain_remove_sim(domain);/\t(void)domain;/' \
    -e 's/#include <linux\/slab.h>/#include <linux\/slab.h>\n#include <linux\/module.h>/' \
    gpio-sim/irq_sim.c > gpio-sim/irq-sim-here.c
  sed -i 's/irq_dispose_mapping(/(void)(/' gpio-sim/gpio-sim.c
  echo 'MODULE_LICENSE("GPL");' >> gpio-sim/irq-sim-here.c
  echo 'obj-m := gpio-sim.o irq-sim-here.o' > gpio-sim/Makefile
  cp -r gpio-sim build/gpio-sim
  chroot build make -s -C "/usr/src/linux-headers-$1" M=/gpio-sim modules
}

make_system() {
  rm -rf --one-file-system system
  mmdebstrap --quiet --variant=minbase \
    --include=systemd-sysv,udev,kmod,dbus,procps,python3-venv,python3-numpy,python3-opencv,python3-gpiozero \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    bookworm system
}

# What pip would fetch on a Pi, for the image's Python; a clone's own pip knows where from.
make_wheels() {
  rm -rf wheels
  mapfile -t wanted < <("$python" -c 'import sys, tomllib
print(*tomllib.load(open(sys.argv[1], "rb"))["project"]["dependencies"], sep="\n")' "$source/pyproject.toml")
  "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir wheels sdnotify  # source only
  "$python" -m pip download --quiet --disable-pip-version-check --dest wheels --find-links wheels --only-binary :all: \
    --python-version "$(chroot system python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')" \
    --platform manylinux_2_34_x86_64 --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
    pip 'setuptools>=77' gpiod 'lgpio>=0.2.2' rpi-lgpio onnxruntime "${wanted[@]}"
}

once() {
  if [ "$(cat "$1.done" 2> /dev/null)" != "$2" ]; then
    rm -f "$1.done"
    getting="$1"
    "make_$1"
    getting=""
    echo "$2" > "$1.done"
  fi
  say "$1 is there"
}

once kernel '6.1, interrupts stay'
once system bookworm
once wheels "rpi-lgpio $(sha256sum < "$source/pyproject.toml" | cut -c1-16)"
version="$(cat kernel.version)"

# The modules that the guest loads, the simulated hardware, and the trial that starts when the system is up.
mapfile -t needed < <(for module in virtio_pci virtio_blk ext4 9p 9pnet_virtio virtio_rng gpio-sim irq-sim-here \
  v4l2loopback autofs4; do modprobe -d kernel -S "$version" --show-depends "$module"; done |
  awk '$1 == "insmod" && !seen[$2]++ { print $2 }')
for file in "${needed[@]}"; do
  install -D -m 644 "$file" "system/usr/lib/modules/$version/${file#*lib/modules/"$version"/}"
done
cp "kernel/lib/modules/$version"/modules.{order,builtin,builtin.modinfo} "system/usr/lib/modules/$version/"
depmod -b system "$version"
install -m 644 "$here"/guest/*.service system/etc/systemd/system/
install -m 755 "$here"/guest/*.sh system/usr/local/bin/
install -D -m 644 "$here/guest/board.conf" system/etc/systemd/system/spit-referee.service.d/board.conf
install -m 644 "$here/guest/60-gpio.rules" system/etc/udev/rules.d/
for unit in getty@tty1.service serial-getty@ttyS0.service systemd-udev-trigger.service modprobe@drm.service \
  modprobe@efi_pstore.service systemd-timesyncd.service systemd-binfmt.service proc-sys-fs-binfmt_misc.automount \
  fstrim.timer apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer; do
  ln -sf /dev/null "system/etc/systemd/system/$unit"
done
ln -sf /lib/systemd/system/multi-user.target system/etc/systemd/system/default.target
chroot system systemctl --quiet enable simulated-hardware.service trial.service
echo referee-vm > system/etc/hostname
: > system/etc/fstab
echo 5017f00d5017f00d5017f00d5017f00d > system/etc/machine-id

rm -rf system/usr/src/spit-referee system/wheels
mkdir -p system/usr/src/spit-referee
tar -C "$source" --exclude-vcs --exclude=.venv --exclude='.*_cache' --exclude=__pycache__ --exclude=build --exclude=dist \
  --exclude=games -cf - . | tar -C system/usr/src/spit-referee -xf -
cp -r wheels system/wheels
SYSTEMD_OFFLINE=1 PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels unshare --mount sh -c \
  'mount -t proc proc system/proc && chroot system /usr/src/spit-referee/systemd/install.sh --no-start'
# What stands in for RPi.GPIO, whose own library wants a Pi's memory; beside the referee, for the check of old boards.
chroot system /opt/spit-referee/bin/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps \
  --find-links /wheels --target /opt/old-board --upgrade rpi-lgpio
rm -rf system/wheels
touch system/etc/.updated system/var/.updated
say "the referee is installed"

rm -rf first
mkdir -p first/{bin,dev,proc,root,modules}
cp "$(command -v busybox)" first/bin/busybox
for module in virtio_pci virtio_blk ext4; do modprobe -d kernel -S "$version" --show-depends "$module"; done |
  awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r file; do
  cp "$file" first/modules/
  basename "$file" >> first/modules/order
done
install -m 755 "$here/guest/first-init" first/init
(cd first && find . | cpio -o -H newc --quiet | zstd -q -3) > initrd
cp "kernel/boot/vmlinuz-$version" vmlinuz
size="$(du -sm system | cut -f1)"
rm -f disk.img
PATH="$PATH:/sbin:/usr/sbin" mke2fs -q -t ext4 -O ^has_journal -d system disk.img "$((size + size / 5 + 200))M"
say "disk.img $(du -h disk.img | cut -f1)"
