#!/usr/bin/env bash
# Install the Spit referee as a service: packages, environment, user, unit. May be repeated; it then updates.
#   sudo systemd/install.sh [--dry-run] [--no-start]
# --dry-run only prints what would be done.
set -euo pipefail

here="$(cd "$(dirname "$0")" && pwd)"
source="$(dirname "$here")"
prefix=/opt/spit-referee
dry=0 start=1

for word in "$@"; do
  case "$word" in
    --dry-run) dry=1 ;;
    -h | --help) sed -n '2,/^set/s/^# *//p' "$0"; exit 0 ;;
    --no-start) start=0 ;;
    *) echo "install: $word is not known; use --dry-run or --no-start" >&2; exit 2 ;;
  esac
done

run() {
  echo "+ $*"
  if [ "$dry" = 0 ]; then "$@"; fi
}

if [ "$dry" = 0 ] && [ "$(id -u)" != 0 ]; then
  echo "install: this needs root; run it with sudo, or look first with --dry-run" >&2
  exit 2
fi

if command -v apt-get > /dev/null; then
  packages=(python3-venv python3-numpy python3-opencv python3-gpiozero)
  # A fresh system knows of no packages yet.
  if ! apt-cache show python3-opencv > /dev/null 2>&1; then run apt-get update; fi
  # These are only in Raspberry Pi OS.
  for package in python3-lgpio python3-picamera2; do
    if apt-cache show "$package" > /dev/null 2>&1; then packages+=("$package"); fi
  done
  run apt-get install -y --no-install-recommends "${packages[@]}"
fi

# System packages inside: OpenCV, lgpio and picamera2 of the system fit each other, and nothing is compiled.
run python3 -m venv --system-site-packages "$prefix"
run "$prefix/bin/python" -m pip install --quiet --upgrade --only-binary :all: pip "setuptools>=77"
run "$prefix/bin/python" -m pip install --quiet --no-build-isolation "$source"
for extra in "gpiod>=2.1" "lgpio>=0.2.2" onnxruntime; do
  run "$prefix/bin/python" -m pip install --quiet --only-binary :all: "$extra" ||
    echo "install: no ready-made $extra for this machine; 'spit-referee check' says what that costs"
done
run ln -sf "$prefix/bin/spit-referee" /usr/local/bin/spit-referee

run install -D -m 644 "$here/spit-referee.sysusers.conf" /etc/sysusers.d/spit-referee.conf
run install -D -m 644 "$here/spit-referee.tmpfiles.conf" /etc/tmpfiles.d/spit-referee.conf
run install -D -m 644 "$here/spit-referee.service" /etc/systemd/system/spit-referee.service
run systemd-sysusers spit-referee.conf
run systemd-tmpfiles --create spit-referee.conf
if [ ! -e /etc/spit-referee/settings.toml ]; then
  run install -D -m 644 "$here/settings.toml" /etc/spit-referee/settings.toml
fi
if [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
  run usermod -aG spit-referee,gpio,video "$SUDO_USER"
fi

# The pages are for this machine alone unless somebody says otherwise, once.
if [ ! -e /var/lib/spit-referee/web.json ] && [ -t 0 ] && [ "$dry" = 0 ]; then
  read -r -p "Show the pages to phones in this network too, with a PIN? [Y/n] " answer || answer=n
  case "$answer" in
    [nN]*) run spit-referee web close ;;
    *) run spit-referee web open ;;
  esac
fi

run systemctl daemon-reload
run systemctl enable spit-referee.service
if [ "$start" = 1 ]; then run systemctl restart --no-block spit-referee.service; fi
if [ "$dry" = 1 ]; then
  echo "Nothing was done: these are the steps without --dry-run."
  exit 0
fi
echo "Installed. Next: log out and in again, \`spit-referee check\`; \`spit-referee web show\` says where the set-up's page is."
