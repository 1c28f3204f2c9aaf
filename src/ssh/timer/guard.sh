#!/bin/sh
# Written by GPU Rental: stops or destroys this instance when its time is over. Waits by the machine's own uptime, so
# that a set clock does not matter. What cannot be told counts as use, and so does a look that came late: nothing is
# known of the time between.
url=$1 id=$2 action=$3 seconds=$4 file=$5 tool=$6 mode=$7 idle_percent=$8 key=$CONTAINER_API_KEY out=$5.out
umask 077

# include functions.sh

now() {
  if read -r up _ 2>/dev/null </proc/uptime; then echo "${up%%.*}"; else date +%s; fi
}

in_use() {
  [ "$mode" = idle ] && { gpu_use | grep -Evq "^ *[0-$((idle_percent - 1))] *$" || logged_in; }
}

await_end() {
  while at=$(now); do
    if in_use || { [ "$mode" = idle ] && [ $((at - looked)) -gt 60 ]; }; then end=$((at + seconds)); fi
    looked=$at left=$((end - at))
    [ "$left" -gt 0 ] || return
    [ "$left" -gt 10 ] && left=10
    sleep "$left"
  done
}

looked=$(now) end=$(($(now) + seconds))
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
