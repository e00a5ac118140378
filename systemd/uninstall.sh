#!/usr/bin/env bash
# Remove the Spit referee's service. Games, table file and settings stay, unless --purge is given.
#   sudo systemd/uninstall.sh [--dry-run] [--purge]
set -euo pipefail

dry=0 purge=0
for word in "$@"; do
  case "$word" in
    --dry-run) dry=1 ;;
    -h | --help) sed -n '2,/^set/s/^# *//p' "$0"; exit 0 ;;
    --purge) purge=1 ;;
    *) echo "uninstall: $word is not known; use --dry-run or --purge" >&2; exit 2 ;;
  esac
done

run() {
  echo "+ $*"
  if [ "$dry" = 0 ]; then "$@"; fi
}

if [ "$dry" = 0 ] && [ "$(id -u)" != 0 ]; then
  echo "uninstall: this needs root; run it with sudo, or look first with --dry-run" >&2
  exit 2
fi

if [ -e /etc/systemd/system/spit-referee.service ]; then
  run systemctl disable --now spit-referee.service
fi
run rm -f /etc/systemd/system/spit-referee.service /usr/local/bin/spit-referee
run rm -f /etc/sysusers.d/spit-referee.conf /etc/tmpfiles.d/spit-referee.conf
run rm -rf /opt/spit-referee
run systemctl daemon-reload
if [ "$purge" = 1 ]; then
  run rm -rf /var/lib/spit-referee /etc/spit-referee
  if id spit-referee > /dev/null 2>&1; then run userdel spit-referee; fi
  if getent group spit-referee > /dev/null; then run groupdel spit-referee; fi  # it outlives a user while others are in it
fi
if [ "$dry" = 1 ]; then
  echo "Nothing was done: these are the steps without --dry-run."
elif [ "$purge" = 1 ]; then
  echo "Removed, with all games and settings. Packages of the system stay."
else
  echo "Removed. Games and settings stay in /var/lib/spit-referee and /etc/spit-referee (--purge takes them too)."
fi
