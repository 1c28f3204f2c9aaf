# shellcheck shell=sh
# Prints what each GPU does, every five seconds, until its input ends: with the connection, or once nobody looks. A point
# ends each reading. The first argument names the figures.
child="" seen="" watch=""
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; [ -z "$watch" ] || kill "$watch" 2>/dev/null; exit 0' HUP INT PIPE TERM
# In the background, a shell reads nothing unless it is given.
exec 3<&0
(
  trap - HUP INT PIPE TERM
  while read -r _; do :; done
  kill "$$" 2>/dev/null
) <&3 >/dev/null 2>&1 &
watch=$!
exec 3<&- </dev/null

# A driver that hangs is ended where the image has `timeout`, and all of it at the end of the input.
limit=""
command -v timeout >/dev/null 2>&1 && limit="timeout 20"
while :; do
  # shellcheck disable=SC2086 # a program and its limit, or nothing
  $limit nvidia-smi --query-gpu="$1" --format=csv,noheader,nounits &
  child=$!
  wait "$child"
  code=$?
  # Where the first reading fails, so do the others.
  if [ "$code" != 0 ] && [ -z "$seen" ]; then
    kill "$watch" 2>/dev/null
    exit "$code"
  fi
  seen=yes
  echo .
  sleep 5 &
  child=$!
  wait "$child"
done
