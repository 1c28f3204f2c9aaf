#!/bin/sh
# Written by GPU Rental: stops or destroys this instance when its time is over. Waits by the machine's own uptime, so
# that a set clock does not matter. What cannot be told counts as use, and so does a look that came late: nothing is
# known of the time between.
url=$1 id=$2 action=$3 seconds=$4 file=$5 tool=$6 mode=$7 idle_percent=$8 fetch_seconds=$9 doubt_seconds=${10}
key=$CONTAINER_API_KEY out=$5.out
umask 077

# include functions.sh
# include gpuUse.sh
# include kernels.sh
# include tick.sh

# include printed.sh
# include logins.sh
# include use.sh

# include jobs.sh

# A job ends at its own limit, so it is waited for. What jobs brought gets its time to be fetched, counted from the last
# job and the last login, and so do files that are sent for longer than the limit before any job begins.
job_end() {
  now=$(jobs_now)
  if [ "$now" = running ] || person_in; then last=$((at + fetch_seconds)); fi
  end=$last
  if [ -z "$now" ] && [ "$limit" -gt "$last" ]; then end=$limit; fi
}

await_end() {
  while :; do
    [ "$mode" != job ] || job_end
    if in_use || { [ "$mode" = idle ] && [ $((at - looked)) -gt 60 ]; }; then end=$((at + seconds)); fi
    looked=$at left=$((end - at))
    [ "$left" -gt 0 ] || return
    [ "$left" -gt 10 ] && left=10
    sleep "$left"
    tick "$left"
  done
}

tick 0
looked=$at end=$((at + seconds)) last=$((at + fetch_seconds))
limit=$end
echo $$ >"$file"
await_end
tries=0
# As long as this process lives, the instance costs money: the service or the network of the host may be away for a day.
while :; do
  if [ "$action" = stop ] || [ -n "$doubtful" ]; then status=$(call PUT '{"state":"stopped"}'); else status=$(call DELETE '{}'); fi
  case "$status" in 2??) grep -Eq '"success": *false' "$out" || break ;; esac
  tries=$((tries + 1))
  pause=$((tries < 6 ? 5 : 60))
  sleep "$pause"
  tick "$pause"
  if in_use; then
    looked=$at end=$((at + seconds)) tries=0
    await_end
  fi
done
rm -f "$file" "$out"
