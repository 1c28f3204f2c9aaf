# shellcheck shell=sh
# Shared by what runs a job and what looks at it.

# The state of a process and when it began, by the kernel's clock; a later process of the same number began later.
facts() { sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 1,20; }
born() { facts "$1" | cut -d ' ' -f 2; }
# When the container began. A simulated machine has a process 1 of its own there only.
container_born() { sed 's/^.*) //' "${HOST_PROC:-/proc}/1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# How often the memory limit of the container has ended a process.
oom_kills() {
  cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null |
    sed -n 's/^oom_kill \([0-9]*\)$/\1/p' | head -n 1
}
