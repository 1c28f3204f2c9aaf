# shellcheck shell=sh
# Prints `no loose files` where each file that was made since the container was, which /.dockerenv tells, is one that Git
# keeps and that is pushed, or lies where systems and programs have theirs. What can't be told is loose. Copies keep the
# time of their content, and not that of their own change. HOST_ROOT is for tests.
export LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 GIT_TERMINAL_PROMPT=0
root=${HOST_ROOT:-}
prune() {
  for folder in proc sys dev run tmp var etc usr; do set -- "$@" -path "$root/$folder" -prune -o; done
  find "${root:-/}" -xdev "$@" -path "$HOME/.*" -prune -o -name .git -prune -o -path "$root/.dockerenv" -o \
    ! -type d -cnewer "$root/.dockerenv" -print 2>&1 || echo failed
}
# unkept GIT...: what a command of Git names in a repository, which may be one that no other look finds.
unkept() { git -C "$repo" --git-dir="$repo/.git" -c core.fsmonitor=false "$@" 2>&1 | head -n 1; }
first_loose() {
  kept=//
  while IFS= read -r file; do
    case "$file" in /*) ;; *) break ;; esac
    repo=${file%/*}
    while [ -n "$repo" ] && [ ! -e "$repo/.git" ]; do repo=${repo%/*}; done
    [ -n "$repo" ] || break
    case "$kept" in *"//$repo//"*) continue ;; esac
    [ -z "$(unkept ls-files --others)$(unkept status --porcelain --ignore-submodules=none)" ] || break
    [ -z "$(unkept stash list)$(unkept rev-list --max-count=1 HEAD --branches --not --remotes)" ] || break
    kept="$kept$repo//"
  done
  echo "$file"
}
[ -e "$root/.dockerenv" ] && [ -z "$(prune | first_loose)" ] && echo 'no loose files'
