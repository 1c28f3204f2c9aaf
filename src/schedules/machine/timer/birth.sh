#!/bin/sh
# Starts the guard of a machine that was rented for jobs, each time its container starts: birth.sh URL SECONDS
# FETCH_SECONDS. Whoever logs in later proves its own guard and ends this one.
url=$1 seconds=$2 fetch_seconds=$3
umask 077
dir="$HOME/.gpu-rental"
case "$seconds$fetch_seconds" in "" | *[!0-9]*) exit 2 ;; esac
case "$url" in *[!A-Za-z0-9.:/_-]*) exit 2 ;; https://* | http://127.0.0.1:* | http://localhost:*) ;; *) exit 2 ;; esac

# include login.sh

id=${CONTAINER_ID:-$(of_container CONTAINER_ID)}
id=${id#C.}
key=${CONTAINER_API_KEY:-$(of_container CONTAINER_API_KEY)}
case "$id" in "" | *[!0-9]*) exit 0 ;; esac
case "$key" in "" | *[!A-Za-z0-9_.-]*) exit 0 ;; esac
tool=$(find_tool)
[ -n "$tool" ] || exit 0

# The user keeps it.
[ ! -e "$dir/job-timer-$id.off" ] || exit 0
# The last attempt of each job was fetched: the user has started it again for something else.
open="" last="" before=""
for job in "$dir"/jobs/*; do
  [ -d "$job" ] || continue
  name=${job##*/}
  [ "${name%??}" = "$before" ] || open="$open$last"
  before=${name%??} last=""
  [ -e "$job/fetched" ] || last=x
done
[ -z "$before" ] || [ -n "$open$last" ] || exit 0
for one in "$dir/job-timer-$id-"*; do
  if alive "$one"; then exit 0; fi
done

write_guard
export CONTAINER_API_KEY="$key"
detach='nohup'
if command -v setsid >/dev/null 2>&1; then detach='setsid'; fi
"$detach" sh "$dir/guard.sh" "$url" "$id" stop "$seconds" "$dir/job-timer-$id-b0" "$tool" job 5 "$fetch_seconds" \
  </dev/null >/dev/null 2>&1 &
