#!/bin/sh
# Written by GPU Rental: lists what a job is to give back, and hashes it. No path has two slashes in a row, so that they
# part the records whatever the names hold.
export LC_ALL=C
cd "${0%/*}/src" || exit
line_end='
'

# patterns ACTION: calls it with the folder and the words for find of each pattern.
patterns() {
  :
  # patterns
}

list() {
  base=$1
  shift
  find -H "$base" "$@" ! -type d -exec stat -c '//%f %s %Y %n' {} + 2>/dev/null
}

# What lies in a folder that only its owner can enter has the mode of any file.
private_folders() {
  find -H "$1" -type d ! -perm -040 ! -perm -004 -exec stat -c '//%f %s %Y %n' {} + 2>/dev/null
}

hash_python='import hashlib, sys
for name in sys.argv[1:]:
    total = hashlib.sha256()
    with open(name, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            total.update(piece)
    print(total.hexdigest() + "  " + name)'

# A name with a line end could pass for the hash of another file; no such file is fetched.
hash() {
  base=$1
  shift
  if [ "$tool" = python3 ]; then
    find -H "$base" "$@" -type f ! -path "*$line_end*" -exec python3 -c "$hash_python" {} + 2>/dev/null
  else
    # More than one word.
    # shellcheck disable=SC2086
    find -H "$base" "$@" -type f ! -path "*$line_end*" -exec $tool {} + 2>/dev/null
  fi
}

tool=none
if command -v sha256sum >/dev/null 2>&1; then
  tool=sha256sum
elif command -v openssl >/dev/null 2>&1; then
  tool='openssl dgst -sha256 -r'
elif command -v python3 >/dev/null 2>&1; then
  tool=python3
elif busybox sha256sum </dev/null >/dev/null 2>&1; then
  tool='busybox sha256sum'
fi

patterns list
patterns private_folders
if [ "$tool" = none ]; then
  echo '//unhashed'
else
  echo '//hashed'
  patterns hash
fi
echo '//end'
