#!/bin/sh
# Written by GPU Rental: looks at the GPUs and the disk of this machine within nine seconds and leaves nothing behind.
# Each line that it prints begins with what it is about.
printf '%s\n' 'gpu-rental proof'
export LC_ALL=C
umask 077
dev=${HOST_DEV:-/dev} proc=${HOST_PROC:-/proc} sys=${HOST_SYS:-/sys}
work="" jobs=""
# Set by a look at a machine that its user works with.
again=${again-}

# By the machine's own uptime, so that a set clock does not matter.
tick() {
  if read -r now _ 2>/dev/null </proc/uptime; then now=${now%%.*}; else now=$(date +%s); fi
}
tick
deadline=$((now + 8))

# For what the tools say. A full disk has no room for that, but memory has.
on_disk="$HOME/.gpu-rental-proof"
in_memory="/dev/shm/.gpu-rental-proof$(printf '%s' "$HOME" | tr -c 'A-Za-z0-9' _)"

give_up() {
  echo "$1"
  exit 0
}

# A folder that is there is that of another look.
make_room() {
  for place in "$on_disk" "$in_memory"; do
    if ! mkdir "$place" 2>/dev/null; then
      [ ! -d "$place" ] || give_up busy
      continue
    fi
    work=$place
    head -c 65536 /dev/zero >"$work/room" 2>/dev/null && rm "$work/room" && return
    rm -rf "$work"
    work=""
  done
  give_up no-room
}

# include lock.sh

# One look at a time, also from two computers. The lock ends with its process, so that what an earlier one left goes.
# Where nothing can be locked a folder goes that is older than any look.
[ -r "$HOME" ] || give_up no-room
exec 9<"$HOME"
take_lock
case $? in
  0) rm -rf "$on_disk" "$in_memory" ;;
  1) give_up busy ;;
  *) find "$on_disk" "$in_memory" -prune -mmin +1 -exec rm -rf {} + 2>/dev/null ;;
esac
# shellcheck disable=SC2086 # one word for each job
trap '[ -z "$jobs" ] || kill $jobs 2>/dev/null; wait; [ -z "$work" ] || rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM PIPE
make_room

# bounded COMMAND...: ends it where the time is up, and does not wait for a process that can't end.
bounded() {
  "$@" 9<&- &
  child=$!
  # Most end at once.
  set -- 0.01 0.02 0.04 0.1
  while kill -0 "$child" 2>/dev/null; do
    tick
    if [ "$now" -ge "$deadline" ]; then
      kill -9 "$child" 2>/dev/null
      return 124
    fi
    sleep "$1" 2>/dev/null || sleep 1
    [ $# = 1 ] || shift
  done
  wait "$child"
}

# job NAME [NEXT]: runs the function of that name beside the others, and the next one after it where that worked.
job() {
  (
    child=""
    trap '[ -z "$child" ] || kill -9 "$child" 2>/dev/null; exit 1' HUP INT TERM
    "$1"
    code=$?
    echo "$code" >"$work/$1.code"
    [ -z "$2" ] || [ "$code" != 0 ] || "$2"
  ) >"$work/$1" 2>&1 </dev/null &
  jobs="$jobs $!"
}

# No tool can fill the disk with what it says.
briefly() {
  ulimit -f 128
  bounded "$@"
}

query() {
  briefly nvidia-smi --query-gpu="$1" --format=csv,noheader,nounits
}

smi() {
  command -v nvidia-smi >/dev/null 2>&1 || return 127
  fields=index,name,memory.total,driver_version
  query "$fields,ecc.errors.uncorrected.volatile.total,mig.mode.current"
  code=$?
  # Older drivers do not know the last two.
  if grep -q 'not a valid field' "$work/smi"; then
    query "$fields"
    code=$?
  fi
  return "$code"
}

# One after the other: a driver that hangs holds each process that asks it.
details() {
  briefly nvidia-smi >"$work/table"
  if grep -q ', Enabled' "$work/smi"; then
    briefly nvidia-smi -L >"$work/parts"
    echo $? >"$work/parts.code"
  fi
  [ -n "$again" ] || return 0
  clocks >"$work/clocks"
  bounded sleep 1
  clocks >>"$work/clocks"
}

# Why the clocks are lower than they could be, as bits. Older drivers know them by another name.
clocks() {
  query index,clocks_event_reasons.active || query index,clocks_throttle_reasons.active
}

# errors FOLDER: the uncorrected errors that the driver of AMD counts, over all parts of a GPU that it counts them for.
errors() {
  sed -n 's/^ue: \([1-9][0-9]\{0,8\}\)$/\1/p' "$1"/*_err_count 2>/dev/null | {
    sum=0
    while read -r count; do sum=$((sum + count)); done
    echo "$sum"
  }
}

devices() {
  for file in "$proc"/driver/nvidia/gpus/*/information; do
    [ -r "$file" ] && sed -n 's/^Model:[[:space:]]*/model /p' "$file"
  done
  [ -r "$proc/driver/nvidia/version" ] &&
    sed -n 's/^NVRM.* \([0-9][0-9]*\.[0-9.]*\) .*/driver \1/p' "$proc/driver/nvidia/version"
  for node in "$dev"/nvidia[0-9]*; do
    [ -e "$node" ] && echo 'device nvidia'
  done
  [ -e "$dev/kfd" ] || return 0
  index=0
  for node in "$dev"/dri/renderD*; do
    card="$sys/class/drm/${node##*/}/device"
    [ "$(cat "$card/vendor" 2>/dev/null)" = 0x1002 ] || continue
    echo "amd $(cat "$card/mem_info_vram_total" 2>/dev/null || echo 0) $(cat "$card/product_name" 2>/dev/null)"
    [ ! -d "$card/ras" ] || echo "amd-errors $index $(errors "$card/ras")"
    index=$((index + 1))
  done
  [ -r "$sys/module/amdgpu/version" ] && sed 's/^/driver /' "$sys/module/amdgpu/version"
}

look() {
  bounded devices
}

xids() {
  dmesg 2>/dev/null |
    sed -n 's/^\[ *\([0-9]*\)\.[0-9]*\].*NVRM: Xid (\([^)]*\)): \([0-9]*\).*/xid \1 \3 \2/p' | tail -n 20
}

kernel() {
  read -r up _ </proc/uptime && echo "up ${up%%.*}"
  bounded xids
}

# write MEGABYTES: dd says how long it took, flushed.
write() {
  for way in fdatasync fsync; do
    bounded dd if=/dev/zero bs=1048576 count="$1" conv=$way >&3
    code=$?
    [ $code != 1 ] && break
  done
  return "$code"
}

# The rented disk is that of the root, while the home folder may be on a volume, whose room the second line says. The file
# has no name while it is written, so nothing of it can be left. A slow disk is not written to again, nor one in use.
disk() {
  tick
  began=$now
  bounded df -Pk / "$HOME" || return
  [ -z "$again" ] || return 0
  free=$(tail -n 1 "$work/disk" | while read -r _ _ _ kb _; do echo "$kb"; done)
  case "$free" in "" | *[!0-9]*) return 0 ;; esac
  [ "$free" -gt 1000000 ] || return 0
  exec 3>"$work/written"
  rm "$work/written"
  write 16 || return
  tick
  [ $((now - began)) -lt 2 ] && write 128
}

# show NAME: prints what a job said, with its name before each line.
show() {
  head -n 40 "$work/$1" | cut -c 1-160 | sed "s/^/$1 /"
  if [ -s "$work/$1.code" ]; then sed "s/^/$1-code /" "$work/$1.code"; else echo "$1-code none"; fi
}

job smi details
for name in look kernel disk; do
  job "$name" ""
done
wait
show smi
if [ -s "$work/table" ]; then grep -E -m 1 'CUDA[A-Z ]*Version' "$work/table" | cut -c 1-160 | sed 's/^/table /'; fi
if [ -s "$work/parts.code" ]; then
  sed 's/ (UUID.*//' "$work/parts" >"$work/names" && mv "$work/names" "$work/parts"
  show parts
fi
if [ -s "$work/clocks" ]; then show clocks; fi
show look
show kernel
show disk
echo end
