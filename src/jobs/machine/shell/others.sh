# shellcheck shell=sh
# Names the jobs of this machine, whoever ordered them: at work, with outputs that were not fetched, or over.
export LC_ALL=C

# include process.sh
# include atWork.sh

state_of() {
  if at_work "$1"; then
    echo atWork
    return
  fi
  # One that was ended while it waited has run nothing, and a list without a file in it, of folders at most, leaves
  # nothing to fetch.
  read -r phase _ 2>/dev/null <"$1/phase"
  if [ -e "$1/fetched" ] || [ "$phase" = waiting ]; then
    echo over
  elif [ -e "$1/outputs.list" ] && ! grep -aq '^//[^4][0-9a-f]* [0-9]* [0-9]* ' "$1/outputs.list"; then
    echo over
  else
    echo unfetched
  fi
}

cd "$HOME/.gpu-rental/jobs" 2>/dev/null || exit 0
for one in *; do
  case "$one" in *[!0-9a-f]*) continue ;; esac
  # Only what has begun.
  [ -e "$one/lock/started" ] || continue
  name=$(sed -n '1s/^{"id":"[0-9a-f]*","name":"\([^"\\]*\)".*/\1/p' "$one/spec" 2>/dev/null | tr -cd ' -~' | head -c 60)
  echo "job $one $(state_of "$one") $name"
done
