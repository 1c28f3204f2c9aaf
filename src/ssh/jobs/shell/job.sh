#!/bin/sh
# Written by GPU Rental: gives the job its variables, sets the machine up once, and becomes the job.
d=$GPU_RENTAL_JOB_FOLDER

# A login has not what the container was started with. What it has already stays; its programs come first.
eval "$(
  { tr '\n\0' '\001\n' </proc/1/environ | LC_ALL=C sed -n \
    -e '/^CONTAINER_API_KEY=/d' -e "s/'/'\\\\''/g" -e "s/^PATH=\(.*\)\$/PATH=\$PATH:'\1'/p" -e '/^PATH=/d' \
    -e "s/^\([A-Za-z_][A-Za-z0-9_]*\)=\(.*\)\$/[ \"\${\1+x}\" ] || export \1='\2'/p" | tr '\001' '\n'; } 2>/dev/null
)"
unset CONTAINER_API_KEY TMUX
export PYTHONUNBUFFERED="${PYTHONUNBUFFERED-1}"
# shellcheck source=/dev/null
. "$d/env"
rm -f "$d/env"

if command -v bash >/dev/null 2>&1; then shell='bash -eo pipefail'; else shell='sh -e'; fi
cd "$d/src" || exit 126
if [ -s "$d/setup.sh" ]; then
  if [ -z "$GPU_RENTAL_SETUP" ] || [ ! -e "$GPU_RENTAL_SETUP" ]; then
    # Two words each.
    # shellcheck disable=SC2086
    $shell "$d/setup.sh" || exit
    if [ -n "$GPU_RENTAL_SETUP" ]; then mkdir -p "${GPU_RENTAL_SETUP%/*}" && : >"$GPU_RENTAL_SETUP"; fi
  fi
  printf '%-63s\n' running 1<>"$d/phase"
fi
# shellcheck disable=SC2086
exec $shell "$d/run.sh"
