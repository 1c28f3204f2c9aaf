#!/bin/sh
# Written by GPU Rental: has the supervisor of this machine start the program whose name is its input, and prints its state.
export LC_ALL=C
read -r name
said=$(timeout -k 5 60 supervisorctl start "$name" 2>&1 </dev/null | tail -n 1 | head -c 300)
state=$(timeout -k 1 5 supervisorctl status "$name" 2>/dev/null </dev/null | sed -n 's/^[^ ]*  *\([A-Z]*\).*/\1/p' | head -n 1)
printf 'gpu-rental start %s\n%s\nstart end\n' "${state:-NONE}" "$said"
