# shellcheck shell=sh
# Starts a job once. The variables come by standard input, so that they appear in no argument.
d=$1 id=$2 token=$3 setup_seconds=$4 limit_seconds=$5 grace_seconds=$6 log_bytes=$7 idle_seconds=$8 idle_ends=$9
login_umask=$(umask)
umask 077
cd "$d" 2>/dev/null || { echo no-folder; exit 0; }

# include alone.sh
# include container.sh
# include atWork.sh
# include waited.sh

wait_for_pid() {
  tries=0
  while [ ! -e pid ] && [ "$tries" -lt 50 ]; do
    tries=$((tries + 1))
    sleep 0.2 2>/dev/null || sleep 1
  done
}
say_who() {
  if [ ! -e pid ]; then
    echo not-started
  elif grep -q " $token " pid; then
    echo started
  else
    echo already
  fi
}

if [ -e lock ] && [ ! -e lock/started ] && [ -n "$(find lock -prune -mmin +1 2>/dev/null)" ]; then
  # Its runner ended before it began. One that was only slow finds its lock gone.
  mv lock "lock.$token" 2>/dev/null
  if [ -e "lock.$token/started" ]; then mv "lock.$token" lock; else rm -rf "lock.$token"; fi
fi
if [ -e lock ] && ! only_waited .; then
  wait_for_pid
  say_who
  exit 0
fi
[ -d src ] || { echo not-synced; exit 0; }
# A runner that has begun has taken them.
trap 'give_turn; rm -f "env.$token"' EXIT
trap 'exit 1' HUP INT PIPE TERM
if ! cat >"env.$token" || ! mkdir -p ../../starts; then
  echo not-started
  exit 0
fi
# The input ends as well where the connection does.
[ "$(tail -n 1 "env.$token")" = '# end' ] || exit 5
# Two computers that start a job at the same moment have not seen each other. So they start one after the other, and the
# later one waits for what is at work here, whoever ordered it.
alone ../../starts lock 60 3 || { echo busy; exit 0; }
# In this order, so that a start which is cut off here can be repeated.
if only_waited .; then rm -rf lock && rm -f pid; fi
after=""
for one in ../*/; do
  one=${one#../} one=${one%/}
  case "$one" in *[!0-9a-f]* | "$id") continue ;; esac
  ! at_work "../$one" || after="$after${after:+ }$one"
done
if command -v setsid >/dev/null 2>&1; then detach='setsid'; else detach='nohup'; fi
"$detach" sh runner.sh "$d" "$id" "$token" "$setup_seconds" "$limit_seconds" "$grace_seconds" "$log_bytes" "$after" \
  "$idle_seconds" "$idle_ends" "$login_umask" \
  </dev/null >/dev/null 2>&1 9<&- &
wait_for_pid
say_who
