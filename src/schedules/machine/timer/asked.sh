#!/bin/sh
# Prints whether a person or a kernel uses this machine, before an editor stops it for idle time: the editor sees neither
# other computers nor detached terminals.
IFS= read -r minutes
case "$minutes" in "" | *[!0-9]*) exit 2 ;; esac
# As where kernels alone are asked after.
echo 'gpu-rental kernels'

# include kernels.sh
# include printed.sh
# include logins.sh

person_in
# Where not even this login is known as a look, it is one of them.
[ "$looks" -gt 0 ] || persons=$((persons - 1))
if [ "$persons" -gt 0 ] || [ -n "$(printed_since -mmin "-$minutes")" ]; then echo busy; else kernel_use; fi
