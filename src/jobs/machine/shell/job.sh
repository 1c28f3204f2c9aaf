#!/bin/sh
# Written by GPU Rental: gives the job its variables, sets the machine up once, and becomes the job. Variables of the job
# can have any name that does not begin with GPU_RENTAL_, so ours do.

# include containerVariables.sh
export PYTHONUNBUFFERED="${PYTHONUNBUFFERED-1}"
# Launchers such as torchrun want the number. A container has the devices of its own GPUs alone, and reading their names asks
# no driver, which may hang.
set -- "${HOST_DEV:-/dev}"/nvidia[0-9]*
export GPU_RENTAL_GPUS=$#
# shellcheck source=/dev/null
. "$GPU_RENTAL_JOB_FOLDER/env"
rm -f "$GPU_RENTAL_JOB_FOLDER/env"

# Differs once the set-up has made, changed or removed a file here. Caches of Python don't count.
content() {
  find . -name __pycache__ -prune -o -type d -print -o -exec stat -c '%f %i %s %Y %z %n' {} + 2>/dev/null
}

if command -v bash >/dev/null 2>&1; then set -- bash -eo pipefail; else set -- sh -e; fi
cd "$GPU_RENTAL_JOB_FOLDER/src" || exit 126
if [ -s "$GPU_RENTAL_JOB_FOLDER/setup.sh" ]; then
  if [ -z "$GPU_RENTAL_SETUP" ] || [ ! -e "$GPU_RENTAL_SETUP" ]; then
    [ -z "$GPU_RENTAL_SETUP" ] || GPU_RENTAL_BEFORE=$(content)
    "$@" "$GPU_RENTAL_JOB_FOLDER/setup.sh" || exit
    # What it left in the folder of this job is not in that of the next.
    if [ -n "$GPU_RENTAL_SETUP" ] && [ "$(content)" = "$GPU_RENTAL_BEFORE" ]; then
      mkdir -p "${GPU_RENTAL_SETUP%/*}" && : >"$GPU_RENTAL_SETUP"
    fi
  fi
fi
GPU_RENTAL_NOW=$(date +%s)
read -r GPU_RENTAL_WORK _ <"$GPU_RENTAL_JOB_FOLDER/times"
printf '%-63s\n' "$GPU_RENTAL_WORK $GPU_RENTAL_NOW" 1<>"$GPU_RENTAL_JOB_FOLDER/times"
[ ! -s "$GPU_RENTAL_JOB_FOLDER/setup.sh" ] || printf '%-63s\n' running 1<>"$GPU_RENTAL_JOB_FOLDER/phase"
export GPU_RENTAL_DEADLINE=$((GPU_RENTAL_NOW + GPU_RENTAL_LIMIT))
exec "$@" "$GPU_RENTAL_JOB_FOLDER/run.sh"
