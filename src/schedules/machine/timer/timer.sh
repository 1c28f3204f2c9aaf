# shellcheck shell=sh
# Arms, checks or disarms the timer of this instance. Fixed: what differs comes by standard input and is looked at
# before it is used.
umask 077
IFS= read -r verb
IFS= read -r url
IFS= read -r id
IFS= read -r action
IFS= read -r seconds
IFS= read -r token
IFS= read -r mode
IFS= read -r idle_percent
IFS= read -r fetch_seconds
IFS= read -r minutes
IFS= read -r doubt_seconds
case "$id" in "" | *[!0-9]*) exit 2 ;; esac
case "$seconds" in "" | *[!0-9]*) exit 2 ;; esac
case "$token" in "" | *[!0-9a-f]*) exit 2 ;; esac
case "$action" in stop | destroy) ;; *) exit 2 ;; esac
# Those of a job and those of the user do not end each other.
case "$mode" in at | idle) kind=timer ;; job) kind=job-timer ;; *) exit 2 ;; esac
case "$fetch_seconds" in "" | *[!0-9]*) exit 2 ;; esac
case "$minutes$doubt_seconds" in "" | *[!0-9]*) exit 2 ;; esac
case "$idle_percent" in [1-9]) ;; *) exit 2 ;; esac
case "$url" in *[!A-Za-z0-9.:/_-]*) exit 2 ;; https://* | http://127.0.0.1:* | http://localhost:*) ;; *) exit 2 ;; esac
dir="$HOME/.gpu-rental"
file="$dir/$kind-$id-$token"
out="$file.read"

# include login.sh

end_others() {
  for one in "$dir/$kind-$id-"*; do
    case "$one" in *.out | *.read | *.rc | "$1") continue ;; esac
    if alive "$one"; then kill "$pid"; fi
    rm -f "$one" "$one.out"
  done
}

# include alone.sh

# Logins of two windows would end each other's process and both call it armed.
take_turn() {
  mkdir -p "$dir"
  trap give_turn EXIT
  trap 'exit 1' HUP INT PIPE TERM
  alone "$dir" timer.lock 60 "$minutes" && return
  echo busy
  exit 0
}

if [ "$verb" = disarm ]; then
  take_turn
  # Its container may start again.
  if [ "$mode" = job ]; then : >"$dir/job-timer-$id.off"; fi
  end_others ""
  echo disarmed
  exit 0
fi

# include functions.sh
# include gpuUse.sh
# include logins.sh

tool=$(find_tool)
if [ -z "$tool" ]; then
  echo no-tool
  exit 0
fi
key=${CONTAINER_API_KEY:-$(of_container CONTAINER_API_KEY)}
case "$key" in "" | *[!A-Za-z0-9_.-]*)
  echo no-key
  exit 0
  ;;
esac
if [ "$mode" = idle ]; then
  if gpu_use | grep -Evq '^ *[0-9]+ *$'; then
    echo no-gpu-use
    exit 0
  fi
  if [ -z "$(logins)" ]; then
    echo no-login-seen
    exit 0
  fi
fi
mkdir -p "$dir"
# Before it asks the service, so that who ends it once its answer was lost waits for it.
[ "$verb" = check ] || take_turn
if [ "$verb" = check ] && ! alive "$file"; then
  echo not-alive
  exit 0
fi
status=$(call GET "")
grep -Eq "\"id\": *${id}[^0-9]" "$out" 2>/dev/null
own=$?
rm -f "$out"
if [ "$status" != 200 ] || [ "$own" != 0 ]; then
  echo "status ${status:-000}"
  exit 0
fi
if [ "$verb" = arm ]; then
  write_guard
  export CONTAINER_API_KEY="$key"
  if command -v setsid >/dev/null 2>&1; then detach='setsid'; else detach='nohup'; fi
  "$detach" sh "$dir/guard.sh" "$url" "$id" "$action" "$seconds" "$file" "$tool" "$mode" "$idle_percent" \
    "$fetch_seconds" "$doubt_seconds" </dev/null >/dev/null 2>&1 9<&- &
  tries=0
  while [ ! -s "$file" ] && [ "$tries" -lt 25 ]; do
    tries=$((tries + 1))
    sleep 0.2 || sleep 1
  done
  # One that is only slow must not act after it was said not to run.
  alive "$file" || kill "$!" 2>/dev/null
fi
if ! alive "$file"; then
  echo not-alive
  exit 0
fi
# The one before goes only once this one stands.
if [ "$verb" = arm ]; then
  end_others "$file"
  [ "$mode" != job ] || rm -f "$dir/job-timer-$id.off"
fi
echo "armed $tool"
