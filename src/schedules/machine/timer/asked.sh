#!/bin/sh
# Prints whether a person or a kernel uses this machine, before an editor stops it for idle time: the editor sees neither
# other computers nor detached terminals. One of the logins is its own.
IFS= read -r minutes
case "$minutes" in "" | *[!0-9]*) exit 2 ;; esac
# As where kernels alone are asked after.
echo 'gpu-rental kernels'

# include kernels.sh
# include printed.sh

logins=$(LC_ALL=C grep -Els "^sshd(-session)?: [^ ]+@" "${HOST_PROC:-/proc}"/[0-9]*/cmdline | wc -l)
if [ "$logins" -gt 1 ] || [ -n "$(printed_since -mmin "-$minutes")" ]; then echo busy; else kernel_use; fi
