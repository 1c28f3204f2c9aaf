# shellcheck shell=sh
# Shows what there is of a job, and a piece of its log.
d=$1 offset=$2 max_bytes=$3
export LC_ALL=C

# include container.sh
# include waited.sh

plain() { head -c 64 "$1" 2>/dev/null | tr -cd 'A-Za-z0-9. -'; }

cd "$d" 2>/dev/null || { printf 'phase none\nbase 0\nlog 0 0\nbase 0\n'; exit 0; }
# Before phase and exit are read: a runner that ends in between has written both.
was_alive=""
if read -r runner began _ 2>/dev/null <pid && alive "$runner" "$began"; then was_alive=yes; fi
anew=""
if only_waited .; then anew=yes; fi
phase=$(plain phase)
case "$anew$phase" in
"" | reserved* | yes*) if [ -d src ]; then echo 'phase synced'; else echo 'phase none'; fi ;;
*) echo "phase $phase" ;;
esac
echo "exit $(plain exit)"
echo "beat $(plain beat)"
echo "times $(plain times)"
echo "now $(date +%s)"
if read -r runner began pid1_began _ kills 2>/dev/null <pid; then
  [ -n "$anew" ] || echo 'begun'
  # A runner that was killed has removed nothing.
  if [ -n "$was_alive" ] || alive "$runner" "$began"; then echo 'alive'; else rm -f env; fi
  if [ "$(container_born)" = "$pid1_began" ]; then echo 'samePid1'; fi
  if [ -n "$kills" ] && [ "$(oom_kills)" != "$kills" ]; then echo 'outOfMemory'; fi
fi
[ ! -e outputs.list ] || echo 'listed'

# What was written before the log that is there now, which log.1 may still hold. While the runner moves the log, the
# sizes of the files do not belong to it.
placed() {
  read -r base moving _ 2>/dev/null <log.base || base=0 moving=""
  case "$base" in "" | *[!0-9]*) base=0 ;; esac
}
tries=0
while placed && [ -n "$moving" ] && [ "$tries" -lt 10 ]; do
  tries=$((tries + 1))
  sleep 0.2 2>/dev/null || sleep 1
done
echo "base $base"
[ -e log ] || { printf 'log %s 0\nbase %s\n' "$base" "$base"; exit 0; }
file=log start=$base
if [ "$offset" -lt "$base" ] && [ -e log.1 ]; then file=log.1 start=$((base - $(wc -c <log.1))); fi
end=$((start + $(wc -c <"$file")))
from=$offset
if [ "$from" -lt "$start" ]; then from=$start; fi
if [ "$from" -gt "$end" ]; then from=$end; fi
length=$((end - from))
if [ "$length" -gt "$max_bytes" ]; then length=$max_bytes; fi
echo "log $from $length"
tail -c "+$((from - start + 1))" "$file" | head -c "$length"
# A log that was moved in between shows here, or its bytes are too few.
placed
echo "base $base"
