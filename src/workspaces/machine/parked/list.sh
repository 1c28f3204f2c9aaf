# shellcheck shell=sh
# include tools.sh
# Lists what is below $root, without what the conditions in "$@" leave out.
cd "$root" 2>/dev/null || { echo gone; exit 0; }
echo "list $(date +%s.%N) $(stat -c %d /)"
find . "$@" \( \( -type l -o -type d -readable -executable -o ! -type d -readable \) -printf r -o -printf - \) \
  -printf '%y %m %s %b %D:%i %n %T@ %C@ %p\0%l\0'
echo "end $?"
