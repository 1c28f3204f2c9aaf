# shellcheck shell=sh
# A kernel that computes on the CPU leaves the GPUs idle, so the notebook server of ours is asked (server.sh of
# notebooks). Its own Python asks, which reads the token from its file.
kernels_py=$(cat <<'END_OF_PYTHON'
# include kernels.py
END_OF_PYTHON
)

# Of each process: its number, its parent, its session and the CPU time it has used, in hundredths of a second.
processes() {
  cat /proc/[0-9]*/stat 2>/dev/null |
    sed -n 's/^\([0-9]*\) .*) [^Z] \([0-9]*\) [0-9]* \([0-9]*\) \([0-9-]* \)\{7\}\([0-9]*\) \([0-9]*\) .*/\1 \2 \3 \5 \6/p'
}

# work_of SERVER: adds the CPU time of its kernels, and of what they started, to `work`; false where it has no kernel.
work_of() {
  all=$(processes)
  own=" $(printf '%s\n' "$all" | sed -n "s/^\([0-9]*\) $1 .*/\1/p" | tr '\n' ' ')"
  case "$own" in *[0-9]*) ;; *) return 1 ;; esac
  while read -r pid _ session user system; do
    case "$own" in *" $pid "* | *" $session "*) work=$((work + user + system)) ;; esac
  done <<END
$all
END
}

# Prints `busy` where a cell runs, else `silent` and the CPU time of the kernels whose server does not say what they do,
# else `idle`. A server without kernels runs no cell, whether or not it answers.
kernel_use() {
  work=0 silent=""
  for facts in "$HOME"/.gpu-rental/jupyter/run/*server-*.json; do
    [ -f "$facts" ] || continue
    server=${facts##*-}
    server=${server%.json}
    tr '\0' ' ' <"/proc/$server/cmdline" 2>/dev/null | grep -Eq -- '-m (jupyter_server|notebook) ' || continue
    case "$("/proc/$server/exe" -I -c "$kernels_py" "$facts" "$HOME/.gpu-rental/jupyter/token" 2>/dev/null)" in
    idle) ;;
    busy)
      echo busy
      return ;;
    *) if work_of "$server"; then silent=yes; fi ;;
    esac
  done
  if [ -n "$silent" ]; then echo "silent $work"; else echo idle; fi
}
