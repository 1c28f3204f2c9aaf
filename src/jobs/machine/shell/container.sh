# shellcheck shell=sh
# What tells one life of the container from another, and whether its memory ran out.
# include process.sh

# A simulated machine has a process 1 of its own there only.
container_born() {
  look_at "${HOST_PROC:-/proc}/1"
  echo "$p_born"
}

# How often the memory limit of the container has ended a process.
oom_kills() {
  cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null |
    sed -n 's/^oom_kill \([0-9]*\)$/\1/p' | head -n 1
}
