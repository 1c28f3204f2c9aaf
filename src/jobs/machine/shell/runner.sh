#!/bin/sh
# Written by GPU Rental: runs one job to its end, whatever happens to the connection that started it. Only this program
# and job.sh write phase, exit, why, beat, times and gpu; only the editor writes cancel, limit and fetched. See
# docs/job-files.md.
d=$1 id=$2 token=$3 setup_limit=$4 run_limit=$5 grace=$6 log_bytes=$7 after=$8 idle_limit=${9:-0} idle_ends=${10:-no}
login_umask=${11:-0022}
umask 077
cd "$d" || exit 1

# include container.sh
# include tick.sh

# Writes over the bytes that were reserved, so that it works when the disk is full.
mark() { printf '%-63s\n' "$2" 1<>"$1"; }

# Whoever makes the folder runs the job. A start that found it too old has moved it away, and then nothing is run here.
give_up() {
  rm -f "env.$token" pid.new
  rmdir "lock/$token" lock 2>/dev/null
  exit 1
}
if ! mkdir lock 2>/dev/null; then
  rm -f "env.$token"
  exit 0
fi
mkdir "lock/$token" || give_up
for file in phase exit why beat times gpu log.base; do
  printf '%-63s\n' reserved >"$file" || give_up
done
mark log.base 0
: >>log || give_up
look_at /proc/$$
printf '%s\n' "$$ $p_born $(container_born) $token $(oom_kills)" >pid.new || give_up
if ! mv "env.$token" env || ! mv "lock/$token" lock/started || ! mv pid.new pid; then give_up; fi

# What detached itself is found by the mark in its environment.
marked() {
  grep -lsF "GPU_RENTAL_JOB_MARK=$id." /proc/[0-9]*/environ | sed 's/[^0-9]//g'
}
# Once each, and none of what a handler starts meanwhile: a second signal means "at once" to many programs, and a shell
# ends where a program of its handler is ended.
signal_all() {
  [ -z "$own_group" ] || kill "-$1" "-$job" 2>/dev/null
  for pid in $(marked); do is_in_group "$pid" || kill "-$1" "$pid" 2>/dev/null; done
}
is_in_group() {
  look_at "/proc/$1"
  [ -n "$own_group" ] && [ "$p_group" = "$job" ]
}

free_kb() { df -Pk . 2>/dev/null | awk 'NR == 2 { print $4 }'; }

# Sets `use` to the mean of all GPUs and the one that works most; one that cannot be read counts as at work. A driver
# that hangs keeps the program in the kernel, where no signal ends it: it is waited for a moment only, because the limits
# must hold all the same, and asked again only once it has answered.
asked=""
look_at_gpus() {
  use=""
  command -v timeout >/dev/null 2>&1 && command -v nvidia-smi >/dev/null 2>&1 || return
  if [ -n "$asked" ] && alive "$asked" "$asked_born"; then return; fi
  mark gpu none
  gpu_use &
  asked=$! tries=0
  look_at "/proc/$asked"
  asked_born=$p_born
  while alive "$asked" "$asked_born" && [ "$tries" -lt 30 ]; do
    tries=$((tries + 1))
    sleep 0.2 2>/dev/null || sleep 1
  done
  read -r use <gpu
  [ "$use" != none ] || use=""
}
gpu_use() {
  said=$(timeout 5 nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits 2>/dev/null |
    awk '/^ *[0-9]+ *$/ { sum += $1; count += 1; if ($1 > most) most = $1; next } { most = 100 }
      END { if (count) printf "%d %d", sum / count, most }')
  mark gpu "${said:-none}"
}

beat() {
  look_at_gpus
  look_if_idle
  mark beat "$(date +%s) $((base + size)) $(free_kb)${use:+ ${use% *}}${idle:+ idle$idle}"
}

# Seconds since the script was last seen at work: a GPU with 5 % or more, or a log that grew. What cannot be read counts
# as work, and so does the time before a look that came late.
idle=""
look_if_idle() {
  [ "$idle_limit" -gt 0 ] && [ -n "$looked" ] || return
  if [ -n "$setting_up" ] || [ -z "$use" ] || [ "${use#* }" -ge 5 ] ||
    [ $((base + size)) -ne "$seen_size" ] || [ $((at - looked)) -gt 60 ]; then
    idle_since=$at
  fi
  seen_size=$((base + size)) looked=$at idle=$((at - idle_since))
}

# Bytes that come between the copy and the cut are lost; offsets stay true. Who reads meanwhile is told, and the end of
# the job waits for it.
rotate() {
  head -c "$size" log >log.1.new 2>/dev/null || rm -f log.1.new
  told_to_end=""
  trap 'told_to_end=yes' TERM
  mark log.base "$base moving"
  mv log.1.new log.1 2>/dev/null || rm -f log.1
  : >log
  base=$((base + size))
  mark log.base "$base"
  trap - TERM
  [ -z "$told_to_end" ] || exit 0
}

# More than half of what would be free without it.
is_log_too_large() {
  [ "$size" -gt 1048576 ] || return 1
  free=$(free_kb)
  [ -n "$free" ] && [ $((size / 1024)) -gt "$free" ]
}

is_setting_up() {
  read -r now_in _ <phase
  [ "$now_in" = settingUp ]
}

# The editor gives the script more time, or less where the machine has become dearer.
changed() {
  more=""
  if [ -e limit ]; then read -r more _ <limit; fi
  case "$more" in "" | *[!0-9]*) return ;; esac
  if [ "$more" -ne "$run_limit" ]; then
    end=$((end + more - run_limit))
    run_limit=$more
  fi
}

watch() {
  base=0 reason="" kill_at="" beat_at=0 setting_up=""
  tick 0
  looked=$at idle_since=$at seen_size=0
  beat_every=15
  if [ "$idle_limit" -gt 0 ] && [ "$idle_limit" -lt 15 ]; then beat_every=$idle_limit; fi
  end=$((at + run_limit))
  if is_setting_up; then setting_up=yes end=$((at + setup_limit)); fi
  while :; do
    size=$(wc -c <log)
    # The limits hold for a job whose runner was killed; nothing is left to do after it.
    look_at /proc/$$
    case "$p_state" in "" | Z) [ -n "$(marked)" ] || exit 0 ;; esac
    if [ -n "$setting_up" ] && ! is_setting_up; then setting_up="" end=$((at + run_limit)); fi
    wait_for=$grace
    [ -n "$setting_up" ] || changed
    if [ -z "$reason" ]; then
      if [ -e cancel ]; then
        reason=cancelled
      elif [ "$at" -ge "$end" ]; then
        reason=${setting_up:+setupLimit} reason=${reason:-limit}
      elif [ "$idle_ends" = yes ] && [ -n "$idle" ] && [ "$idle" -ge "$idle_limit" ]; then
        reason=idle
      elif is_log_too_large; then
        # What fills the disk has no time to lose.
        reason=log wait_for=$((grace < 5 ? grace : 5))
      fi
      if [ -n "$reason" ]; then
        mark why "$reason"
        kill_at=$((at + wait_for))
        signal_all TERM
      fi
    fi
    if [ -n "$kill_at" ] && [ "$at" -ge "$kill_at" ]; then signal_all KILL; fi
    if [ "$size" -gt "$log_bytes" ]; then rotate; fi
    if [ "$at" -ge "$beat_at" ]; then
      beat
      beat_at=$((at + beat_every))
    fi
    sleep 1
    tick 1
  done
}

# What the job leaves behind would keep the GPU. One that ignores the request can start another between the look and the
# signal, and what is killed takes a moment to let go.
sweep() {
  left=$((grace < 10 ? grace : 10))
  [ "$ended_by" != reserved ] || signal_all TERM
  while [ -n "$(marked)" ] && [ "$left" -gt 0 ]; do
    left=$((left - 1))
    sleep 1
  done
  left=20
  while [ -n "$(marked)" ] && [ "$left" -gt 0 ]; do
    signal_all KILL
    left=$((left - 1))
    sleep 0.2 2>/dev/null || sleep 1
  done
}

finish() {
  mark exit "$1 $(date +%s) $2"
  mark phase ended
  rm -f env
  if sh "$d/outputs.sh" >outputs.list.new 2>/dev/null; then mv outputs.list.new outputs.list; else rm -f outputs.list.new; fi
  exit 0
}

# One that was never started, or whose runner is gone, is not waited for.
is_over() {
  read -r other_phase _ 2>/dev/null <"../$1/phase" && [ "$other_phase" = ended ] && return
  read -r other_runner other_began _ 2>/dev/null <"../$1/pid" || return 0
  ! alive "$other_runner" "$other_began"
}
# Jobs of one machine take turns here, so that the next one begins whether or not an editor is open.
if [ -n "$after" ]; then
  mark phase waiting
  for one in $after; do
    until [ -e cancel ] || is_over "$one"; do sleep 1; done
  done
fi

[ ! -e cancel ] || finish 143 cancelled
# When its work began; the job adds when its script did.
mark times "$(date +%s)"
if [ -s setup.sh ]; then mark phase settingUp; else mark phase running; fi
own_group=""
command -v setsid >/dev/null 2>&1 && own_group=setsid
# Only a login shell knows where the image keeps its programs; with the variable its start-up files begin no tmux.
# No word where there is no setsid.
# shellcheck disable=SC2016,SC2086
(
  # What a set-up installs must be readable for other users of the machine, as after a login.
  umask "$login_umask"
  export GPU_RENTAL_JOB_MARK="$id." GPU_RENTAL_JOB_FOLDER="$d" TMUX=none
  # csh and tcsh take no other flag beside -l, and what sshd started has read most of what a user sets.
  case "${SHELL:=/bin/sh}" in *csh) set -- /bin/sh -c ;; *) set -- "$SHELL" -lc ;; esac
  exec $own_group "$@" 'exec sh "$GPU_RENTAL_JOB_FOLDER/job.sh"'
) </dev/null >>log 2>&1 &
job=$!
watch &
watcher=$!
wait "$job"
code=$?
kill "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
read -r ended_by _ <why
[ -z "$(marked)" ] || sweep
if [ "$ended_by" = reserved ]; then
  ended_by=itself
  if is_setting_up; then ended_by=setup; fi
fi
read -r base _ <log.base
size=$(wc -c <log) looked=""
beat
finish "$code" "$ended_by"
