# shellcheck shell=sh
# A timer at a fixed time waits for what makes this folder, which it removes (src/schedules/machine/timer/use.sh).
mkdir -p "$HOME/.gpu-rental" && mkdir "$HOME/.gpu-rental/saving"
exit 0
