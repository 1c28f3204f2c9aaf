# shellcheck shell=sh
# One login at a time, also of two windows and two computers. The lock ends with its processes, so that it is never left
# behind. Where nothing can be locked it is a folder, which goes once it is older than anything that may hold it; a machine
# that has no find goes on after the last try, and one that can make no folder at once.
# include lock.sh

# alone PLACE NAME TRIES MINUTES: waits for its turn, half a second for each try; false where others are still at work.
# PLACE is a folder that stays, NAME the one that is the lock there where nothing can be locked. Programs that outlive the
# script must not get its file 9.
alone() {
  tries=0 refused=0
  while command exec 9<"$1"; do
    take_lock
    case $? in
      0) return ;;
      2) break ;;
    esac
    another_try "$3" || return 1
  done
  exec 9<&-
  until mkdir "$1/$2" 2>/dev/null; do
    # What is not there is held by none: the disk refuses it.
    [ -d "$1/$2" ] || refused=$((refused + 1))
    [ "$refused" -lt 3 ] || return 0
    [ -z "$(find "$1/$2" -prune -mmin +"$4" 2>/dev/null)" ] || rm -rf "${1:?}/$2"
    another_try "$3" && continue
    if command -v find >/dev/null 2>&1; then return 1; fi
    break
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
