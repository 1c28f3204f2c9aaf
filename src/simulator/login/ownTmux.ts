import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Disposable } from '../../util/disposable';

/**
 * The folder of the sockets of tmux, so that machines on one computer do not share a server. The name of a socket has few
 * characters. Ends the server of ours with the machine where `/proc` does not lead to its processes.
 */
export function ownTmux(): Disposable & { readonly folder: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'gpu-tmux-'));
  return {
    folder,
    dispose: () => {
      if (!existsSync('/proc/self')) {
        spawnSync('tmux', ['-L', 'gpu-rental', 'kill-server'], {
          env: { ...process.env, TMUX_TMPDIR: folder },
          timeout: 2_000,
        });
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
