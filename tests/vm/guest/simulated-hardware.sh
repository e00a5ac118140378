#!/usr/bin/env bash
# Real kernel devices with simulated lines behind them: a GPIO chip, a camera (and one of half the size), and the
# identity of a Raspberry Pi 4 (with referee.board=5 on the kernel's command line: of a Pi 5, whose chip has another name).
set -euo pipefail
modprobe -a configfs irq-sim-here gpio-sim
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config

label=pinctrl-bcm2711 revision=c03115 model='Raspberry Pi 4 Model B Rev 1.5'
if grep -q 'referee.board=5' /proc/cmdline; then
  label=pinctrl-rp1 revision=d04171 model='Raspberry Pi 5 Model B Rev 1.1'
fi
chip=/sys/kernel/config/gpio-sim/pi
mkdir -p "$chip/bank0"
echo 54 > "$chip/bank0/num_lines"
echo "$label" > "$chip/bank0/label"
echo 1 > "$chip/live"
ln -sfn "/sys/devices/platform/$(cat "$chip/dev_name")/$(cat "$chip/bank0/chip_name")" /run/pins

{ cat /proc/cpuinfo; printf '\nRevision\t: %s\nModel\t\t: %s\n' "$revision" "$model"; } > /run/cpuinfo
mount --bind /run/cpuinfo /proc/cpuinfo
modprobe v4l2loopback devices=2 video_nr=0,1 card_label=camera,smaller exclusive_caps=1,1 max_buffers=4
