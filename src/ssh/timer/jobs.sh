# shellcheck shell=sh
# What the jobs of this machine do, by the files that docs/jobs.md describes.

# The state of a process and when it began.
facts() {
  # Numbers and a letter.
  # shellcheck disable=SC2046
  set -- $(sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null)
  echo "$1 ${20:-}"
}

# Prints `running`, else `ended` where one has ended, else nothing.
jobs_now() {
  seen=""
  for one in "${file%/*}"/jobs/*/phase; do
    phase=""
    read -r phase _ 2>/dev/null <"$one"
    case "$phase" in
    ended) seen=ended ;;
    settingUp | running)
      read -r pid began _ 2>/dev/null <"${one%phase}pid" || continue
      case "$(facts "$pid")" in
      Z*) seen=ended ;;
      *" $began")
        echo running
        return ;;
      *) seen=ended ;;
      esac ;;
    esac
  done
  echo "$seen"
}
