# shellcheck shell=sh
# Whether the instance is in use, for a process that waits for idle time. Sets doubtful where the last answer was doubt.

in_use() {
  [ "$mode" != at ] || save_end
  [ "$mode" = idle ] || return 1
  # For so long the user keeps it in any case.
  [ "$end" -ge "$fetch_seconds" ] || end=$fetch_seconds
  # The file of this process has the time of the last look.
  printed=$(printed_since -newer "$file")
  touch -c "$file"
  if gpu_use | grep -Evq "^ *[0-$((idle_percent - 1))] *$" || person_in || [ -n "$printed" ] ||
    [ "$(jobs_now)" = running ]; then
    doubted=""
    return 0
  fi
  cell_runs
}

# A server that does not say what its kernels do counts as use for a time, and for as long as they use 5 % of a core.
# Whatever that is, it is doubt: it destroys nothing.
doubted="" doubtful=""
cell_runs() {
  said=$(kernel_use)
  case "$said" in
  silent*)
    worked=${said#silent }
    gained=$((worked - ${before:-0})) span=$((at - ${doubted_at:-0}))
    if [ -z "$doubted" ] || [ "$gained" -lt 0 ] || [ "$gained" -gt $((span * 5)) ]; then doubted=$at; fi
    before=$worked doubted_at=$at doubtful=yes
    [ $((at - doubted)) -lt "$doubt_seconds" ] ;;
  *)
    doubted="" doubtful=""
    [ "$said" != idle ] ;;
  esac
}

# What saves a folder of this machine makes this one again and again (src/workspaces/machine/parked/tools.sh). It is waited
# for until it rests, an hour in all, and what is still saved then is not destroyed. The first look takes what is old.
saved=0
save_end() {
  ! rmdir "${file%/*}/saving" 2>/dev/null || saved=$at
  [ "$saved" -gt 0 ] || return 0
  end=$((saved + 900))
  [ "$end" -gt "$limit" ] || end=$limit
  if [ "$end" -gt $((limit + 3600)) ]; then end=$((limit + 3600)) doubtful=yes; fi
}
