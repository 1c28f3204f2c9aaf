#!/bin/sh
# Written by GPU Rental: stops or destroys this instance when its time is over. Waits by the machine's own uptime, so
# that a set clock does not matter. What cannot be told counts as use, and so does a look that came late: nothing is
# known of the time between.
url=$1 id=$2 action=$3 seconds=$4 file=$5 tool=$6 mode=$7 idle_percent=$8 fetch_seconds=$9
key=$CONTAINER_API_KEY out=$5.out
umask 077

# include functions.sh
# include kernels.sh

# One clock from beginning to end: a look at the other one would end the wait at once. What cannot be read for a moment
# is taken for as long as was slept.
looked=0 left=0 clock=date
up() { read -r up _ 2>/dev/null <"${HOST_PROC:-/proc}/uptime"; }
if up; then clock=uptime; fi
now() {
  if [ "$clock" = date ]; then date +%s; elif up; then echo "${up%%.*}"; else echo $((looked + left)); fi
}

in_use() {
  [ "$mode" = idle ] && { gpu_use | grep -Evq "^ *[0-$((idle_percent - 1))] *$" || logged_in || cell_runs; }
}

# include jobs.sh

# A job ends at its own limit, so it is waited for. Once all have ended, what they brought gets its time to be fetched,
# counted from the last login.
job_end() {
  case "$(jobs_now)" in
  running) ended="" end=$((at + 60)) ;;
  ended)
    if [ -z "$ended" ] || logged_in; then ended=$at; fi
    end=$((ended + fetch_seconds)) ;;
  *) end=$limit ;;
  esac
}

await_end() {
  while at=$(now); do
    [ "$mode" != job ] || job_end
    if in_use || { [ "$mode" = idle ] && [ $((at - looked)) -gt 60 ]; }; then end=$((at + seconds)); fi
    looked=$at left=$((end - at))
    [ "$left" -gt 0 ] || return
    [ "$left" -gt 10 ] && left=10
    sleep "$left"
  done
}

looked=$(now) end=$(($(now) + seconds)) ended=""
limit=$end
echo $$ >"$file"
await_end
tries=0
while [ "$tries" -lt 120 ]; do
  if [ "$action" = stop ]; then status=$(call PUT '{"state":"stopped"}'); else status=$(call DELETE '{}'); fi
  case "$status" in 2??) grep -Eq '"success": *false' "$out" || break ;; esac
  tries=$((tries + 1))
  sleep $((tries < 6 ? 5 : 60))
  if in_use; then
    looked=$(now) end=$(($(now) + seconds)) tries=0
    await_end
  fi
done
rm -f "$file" "$out"
