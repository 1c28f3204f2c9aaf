# shellcheck shell=sh
# printed_since TEST OF FIND: prints the terminals that printed something, which one of a detached tmux does as well, or a
# word where they can't be listed. HOST_DEV is as HOST_PROC (functions.sh).
printed_since() { find "${HOST_DEV:-/dev}/pts" -name '[0-9]*' "$@" 2>/dev/null || echo failed; }
