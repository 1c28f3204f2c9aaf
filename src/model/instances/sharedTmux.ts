/**
 * A line of `sh` for a machine of the service, whose images put each login into one shared tmux unless this file exists:
 * two terminals would show one screen, and commands and SFTP would end where the shell starts tmux first
 * (docs/ssh.md#shared-tmux). An existing file stays as it is.
 */
export const withoutSharedTmux = '( : >>"${HOME:-/root}/.no_auto_tmux" ) 2>/dev/null';
