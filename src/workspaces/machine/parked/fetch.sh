# shellcheck shell=sh
# include tools.sh
# Writes archives one after the other: each line of the input has the bytes to skip at the beginning of one, and the bytes of
# its zero-ended names, which follow. The same files always make the same bytes, so that one that was cut can be continued.
cd "$root" 2>/dev/null || { echo gone; exit 0; }
archive() {
  tar --format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime -S -b 64 --owner=0 --group=0 \
    --numeric-owner --no-recursion --no-unquote --null -T - -cf -
}
echo pieces
while read -r skip bytes; do
  if [ "$skip" -gt 0 ]; then
    head -c "$bytes" | archive | tail -c +"$((skip + 1))"
  else
    head -c "$bytes" | archive
  fi
done
exit 0
