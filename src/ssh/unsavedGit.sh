# shellcheck shell=sh
# Names each Git repository of this machine with its uncommitted files and stashes and its unpushed commits, up to a
# thousand. What git can't tell is `?`, never 0. `all` follows once every folder was searched and every repository named.
export LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 GIT_TERMINAL_PROMPT=0
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

# With its folder named, a damaged repository is not taken for the one around it, and one of another user can be read.
own() {
  git -C "$repo" --git-dir="$repo/.git" -c core.fsmonitor=false "$@"
}

# tally PATTERN COMMAND...: counts the lines of a command of git that worked and warned of nothing.
tally() {
  pattern=$1
  shift
  said=$({ own "$@" 2>&1; echo "ended $?"; } 2>/dev/null | head -n 1000)
  lines=$(printf '%s\n' "$said" | grep -c "$pattern")
  if printf '%s\n' "$said" | grep -qE '^(warning|error|fatal): '; then
    echo '?'
  elif [ "$lines" = 1000 ] || printf '%s\n' "$said" | grep -qx 'ended 0'; then
    echo "$lines"
  else
    echo '?'
  fi
}

# changes: a repository without a working tree has stashes at most.
changes() {
  files=0
  [ "$(own rev-parse --is-bare-repository 2>/dev/null)" = true ] ||
    files=$(tally '^[ MTADRCU?!][ MTADRCU?!] ' status --porcelain --no-renames --untracked-files=normal --ignore-submodules=none)
  stashes=$(tally '^stash@{' stash list)
  case "$files$stashes" in
    *'?'*) echo '?' ;;
    *) sum=$((files + stashes)) && if [ "$sum" -gt 1000 ]; then echo 1000; else echo "$sum"; fi ;;
  esac
}

# unborn: true in a repository without any commit, whose HEAD names a branch that never was.
unborn() {
  branch=$(own symbolic-ref -q HEAD 2>/dev/null) &&
    [ ! -e "$(own rev-parse --git-path "$branch")" ] &&
    [ ! -s "$(own rev-parse --git-path logs/HEAD)" ]
}

unpushed() {
  head=HEAD
  if ! own rev-parse -q --verify HEAD >/dev/null 2>&1 && unborn; then head=--branches; fi
  tally '^[0-9a-f]\{40,\}$' rev-list --max-count=1000 "$head" --branches --not --remotes
}

set -- "$HOME"
[ ! -d /workspace ] || set -- "$@" /workspace
{
  find "$@" -maxdepth 4 -name .git -prune 2>&1
  [ $? -gt 1 ] || echo '~ found'
} | grep -v 'No such file' | sort -u | {
  count=0 failed="" ended=""
  while IFS= read -r entry; do
    case "$entry" in
      /*/.git) ;;
      '~ found') ended=yes && continue ;;
      # A folder that can't be searched, or the half of a name.
      find:* | /*) failed=yes && continue ;;
      *) continue ;;
    esac
    count=$((count + 1))
    if [ "$count" -gt 100 ]; then
      failed=yes
      break
    fi
    repo=${entry%/.git}
    printf 'repo %s %s %s\n' "$(changes)" "$(unpushed)" "$repo"
  done
  [ -n "$failed" ] || [ -z "$ended" ] || echo all
}
