# shellcheck shell=sh
# What the jobs of this machine do, by the files that docs/job-files.md describes.

# include process.sh

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
      seen=ended
      ! alive "$pid" "$began" || { echo running && return; } ;;
    esac
  done
  echo "$seen"
}
