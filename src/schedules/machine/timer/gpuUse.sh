# shellcheck shell=sh
# The use of each GPU in per cent, a line each; a driver that hangs says nothing.
gpu_use() {
  limit=""
  command -v timeout >/dev/null 2>&1 && limit="timeout 20"
  # Two words where it is set.
  # shellcheck disable=SC2086
  use=$($limit nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits 2>/dev/null) || use=""
  echo "${use:-failed}"
}
