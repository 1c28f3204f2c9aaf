# shellcheck shell=sh
# take_lock: locks what is open as file 9, for as long as processes have it open. Returns 1 where another process holds it,
# and 2 where there is no lock to take: without flock, or on a disk that knows no locks, of which flock complains.
take_lock() {
  command -v flock >/dev/null 2>&1 || return 2
  flock_said=$(flock -n 9 2>&1)
  flock_code=$?
  case "$flock_code $flock_said" in
    0*) return 0 ;;
    *flock:*) return 2 ;;
    '1 '*) return 1 ;;
    *) return 2 ;;
  esac
}
