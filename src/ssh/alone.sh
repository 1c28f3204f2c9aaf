# shellcheck shell=sh
# One login at a time, also of two windows and two computers. The lock ends with its processes, so that it is never left
# behind. Without flock it is a folder, which goes once it is older than anything that may hold it; a machine that has no
# find either goes on after the last try.

# alone PLACE NAME TRIES MINUTES: waits for its turn, half a second for each try; false where others are still at work.
# PLACE is a folder that stays, NAME the one that is the lock there where flock is missing. Programs that outlive the
# script must not get its file 9.
alone() {
  tries=0
  if command -v flock >/dev/null 2>&1; then
    exec 9<"$1" || return 1
    until flock -n 9; do another_try "$3" || return 1; done
    return
  fi
  until mkdir "$1/$2" 2>/dev/null; do
    [ -z "$(find "$1/$2" -prune -mmin +"$4" 2>/dev/null)" ] || rm -rf "${1:?}/$2"
    if ! another_try "$3"; then
      if command -v find >/dev/null 2>&1; then return 1; fi
      break
    fi
  done
  turn=$1/$2
}

another_try() {
  tries=$((tries + 1))
  [ "$tries" -le "$1" ] || return 1
  sleep 0.5 2>/dev/null || sleep 1
}

turn=""
give_turn() {
  [ -z "$turn" ] || rm -rf "$turn"
}
