import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../../src/ssh/run';
import type { SshService } from '../../src/ssh/service';
import { systemClock, type Clock } from '../../src/util/clock';
import { silentLog } from '../../src/util/log';
import { MirrorEngine, type MirrorDeps } from '../../src/workspaces/machine/mirror/engine';
import type { MirroredFolder } from '../../src/workspaces/model/mirror';
import { MirrorFiles } from '../../src/workspaces/store/mirrorFiles';

/** A folder here, a machine that is another folder of this computer, and what is kept of the mirror between them. */
export class MirrorScene {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'gpu-mirror-')));
  readonly local = join(this.root, 'here', 'project');
  /** The home folder of the machine. */
  readonly home = join(this.root, 'machine');
  readonly remote = join(this.home, 'project');
  readonly beside = join(this.home, '.gpu-rental-mirror', 'project');
  readonly folder: MirroredFolder;
  private readonly engines: MirrorEngine[] = [];
  private readonly work = new Set<Promise<unknown>>();
  logins = 0;

  constructor(private readonly clock: Clock = systemClock) {
    mkdirSync(this.local, { recursive: true });
    mkdirSync(this.home, { recursive: true });
    this.folder = {
      accountKey: '0123456789abcdef',
      instanceId: 7,
      contractStart: 1_700_000_000,
      local: this.local,
    };
  }

  get files(): MirrorFiles {
    return new MirrorFiles(join(this.root, 'storage'), silentLog, this.clock);
  }

  /** The programs run as on a machine without its own ssh. */
  readonly exec: SshService['exec'] = (_, script, options = {}) => {
    this.logins += 1;
    return runProgram('/bin/sh', ['-c', script], {
      ...options,
      cwd: this.home,
      env: { HOME: this.home, HOST_ROOT: this.root },
    });
  };

  /** A window that carries the folder. */
  open(more: Partial<MirrorDeps> = {}): MirrorEngine {
    const notes = this.files.notesOf(this.folder);
    const engine = new MirrorEngine(this.folder, {
      ssh: { exec: this.exec },
      clock: this.clock,
      log: silentLog,
      platform: 'linux',
      run: runProgram,
      home: join(this.root, 'nowhere'),
      notes: {
        ...notes,
        alone: (action) => {
          const work = notes.alone(action);
          this.work.add(work);
          return work;
        },
      },
      reach: () => Promise.resolve('gpu-7'),
      ...more,
    });
    this.engines.push(engine);
    return engine;
  }

  write(name: string, content: string, side: 'local' | 'remote' = 'local'): void {
    const path = join(this[side], ...name.split('/'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  read(name: string, side: 'local' | 'remote' = 'remote'): string | undefined {
    try {
      return readFileSync(join(this[side], ...name.split('/')), 'utf8');
    } catch {
      return undefined;
    }
  }

  async dispose(): Promise<void> {
    this.engines.forEach((engine) => {
      engine.dispose();
    });
    await Promise.allSettled(this.work);
    rmSync(this.root, { recursive: true, force: true });
  }
}
