# shellcheck shell=sh
# Shared by what starts the process that waits. Both set dir.

# Prints a program that can send what the service wants, or nothing.
find_tool() {
  if command -v curl >/dev/null 2>&1; then
    echo curl
  elif command -v python3 >/dev/null 2>&1; then
    echo python3
  elif wget --help 2>&1 | grep -q -e "--method"; then
    echo wget
  fi
}

# A login has not always what the container was started with.
of_container() {
  tr '\0' '\n' 2>/dev/null </proc/1/environ | sed -n "s/^$1=//p" | head -n 1
}

# Only a process of ours: a number may have come to somebody else.
alive() {
  pid=$(cat "$1" 2>/dev/null)
  case "$pid" in "" | *[!0-9]*) return 1 ;; esac
  kill -0 "$pid" 2>/dev/null || return 1
  [ ! -r "/proc/$pid/cmdline" ] || tr "\0" " " <"/proc/$pid/cmdline" | grep -q "gpu-rental/guard.sh"
}

# In a file of its own: a process that waits reads on in the one before.
write_guard() {
  rm -f "$dir/guard.sh"
  cat >"$dir/guard.sh" <<'END_OF_GUARD'
# include guard.sh
END_OF_GUARD
}
