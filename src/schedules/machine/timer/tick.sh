# shellcheck shell=sh
# Shared by what waits on a machine: the guard and the runner of a job.

# tick SECONDS: brings `at`, the time since the beginning, up to date after a sleep of so many seconds. Each look adds
# what the uptime says since the last one; where that can't be, or the time of day says something else, a clock was set
# or moved to another host, and what was slept counts.
at=0 known=0 slept=0 up_base="" day=$(date +%s)
day_base=$day
tick() {
  slept=$((slept + $1)) by=$day day=$(date +%s)
  by=$((day - by))
  if [ "$by" -lt 0 ] || [ "$by" -gt $(($1 + 60)) ]; then by=$1; fi
  at=$((at + by)) up=""
  read -r up _ 2>/dev/null <"${HOST_PROC:-/proc}/uptime"
  up=${up%%.*}
  case "$up" in "" | *[!0-9]*) return ;; esac
  by=$((up - ${up_base:-$up}))
  off=$((by - day + day_base))
  if [ "$by" -ge 0 ] && [ -n "$up_base" ] && { [ "$by" -le $((slept + 60)) ] || [ "${off#-}" -le 60 ]; }; then
    at=$((known + by))
  fi
  up_base=$up known=$at slept=0 day_base=$day
}
