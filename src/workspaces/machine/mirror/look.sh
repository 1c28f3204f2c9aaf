# shellcheck shell=sh
# include place.sh
# Lists the mirror: its folder, its id, free KiB, the time of the disk, the facts of all names, and hashes of those that
# come on standard input.
place "$@"
# Of logins that were killed.
find "$base" -mindepth 1 -maxdepth 1 -name 'stage.*' -mmin +1440 -exec rm -rf {} +
echo "$root"
echo "$id"
free_kb
now
[ -e "$root" ] || [ -L "$root" ] || exit 0
cd "$root" || exit 3
# shellcheck disable=SC2086,SC2154
find . -mindepth 1 \( -name .gpu-rental-mirror $prune \) -prune -o -exec stat -c "//$facts" {} + || code=2
printf '//=\n'
sums 2>/dev/null
exit "${code:-0}"
