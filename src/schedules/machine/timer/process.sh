# shellcheck shell=sh
# Shared by what runs a job, what looks at it and what waits for it.

# look_at FOLDER: sets p_state, p_group and p_born of the process with this folder in /proc, the last by the kernel's
# clock: a later process of the same number was born later. All are empty where there is none.
look_at() {
  p_line=""
  read -r p_line 2>/dev/null <"$1/stat"
  # Numbers and a letter, after a name that may hold spaces and brackets.
  # shellcheck disable=SC2086
  set -- ${p_line##*) }
  # Each program needs some of them.
  # shellcheck disable=SC2034
  p_state=$1 p_group=$3 p_born=${20}
}

# alive PID BORN: a process that nobody waited for is none.
alive() {
  look_at "/proc/$1"
  [ "${p_state:-Z}" != Z ] && [ "$p_born" = "$2" ]
}
