import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../src/ssh/run';
import type { SshService } from '../../src/ssh/service';
import { systemClock } from '../../src/util/clock';
import { createParkedPieces } from '../../src/workspaces/machine/parked/parkedPieces';
import { rawOf } from '../../src/workspaces/machine/rawPath';

/** A folder of a machine that is another folder of this computer, and one here for the set. */
export class ParkedScene {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'gpu-parked-')));
  readonly folder = join(this.dir, 'here', '0123456789abcdef');
  readonly there = join(this.dir, 'there', 'project');
  readonly root = rawOf(this.there);
  /** What a login reads before a script, such as another `PATH`. */
  before = '';
  logins = 0;

  constructor() {
    mkdirSync(this.there, { recursive: true });
    mkdirSync(this.folder, { recursive: true });
  }

  readonly exec: SshService['exec'] = (_, script, options = {}) => {
    this.logins += 1;
    return runProgram('/bin/sh', ['-c', `${this.before}\n${script}`], { ...options, cwd: this.dir });
  };

  pieces(ssh: Pick<SshService, 'exec'> = { exec: this.exec }) {
    const deps = { ssh, clock: systemClock, platform: process.platform };
    return createParkedPieces(deps, { alias: 'gpu-7', folder: this.folder });
  }

  /** Runs a script in the folder there. */
  make(script: string): void {
    execFileSync('/bin/bash', ['-ec', script], { cwd: this.there, env: { ...process.env, LC_ALL: 'C' } });
  }

  dispose(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
