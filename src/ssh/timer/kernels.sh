# A kernel that computes on the CPU leaves the GPUs idle, so the notebook server of ours is asked (server.sh of
# notebooks). Its own Python asks, which reads the token from its file.
kernels_py=$(cat <<'END_OF_PYTHON'
# include kernels.py
END_OF_PYTHON
)

cell_runs() {
  for facts in "$HOME"/.gpu-rental/jupyter/run/*server-*.json; do
    [ -f "$facts" ] || continue
    server=${facts##*-}
    server=${server%.json}
    tr '\0' ' ' <"/proc/$server/cmdline" 2>/dev/null | grep -Eq -- '-m (jupyter_server|notebook) ' || continue
    [ "$("/proc/$server/exe" -I -c "$kernels_py" "$facts" "$HOME/.gpu-rental/jupyter/token" 2>/dev/null)" = idle ] || return 0
  done
  return 1
}
