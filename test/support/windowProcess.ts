import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { bundled } from './bundled';

interface Report {
  readonly leads?: boolean;
  readonly peers?: number;
  readonly heard?: string;
  readonly claim?: string;
  readonly first?: boolean;
  readonly problem?: string;
  /** Whether it would act as the one that leads. */
  readonly acts?: boolean;
}

/** A window in a process of its own, which can hang and be killed as an extension host can. */
export class WindowProcess {
  readonly reports: Report[] = [];
  private readonly child: ChildProcess;

  constructor(storageDir: string, address: string, pace = 1) {
    const script = bundled(join(__dirname, 'hubProcess.ts'));
    this.child = spawn(process.execPath, [script, storageDir, address], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, GPU_RENTAL_PACE: String(pace) },
    });
    let rest = '';
    this.child.stdout?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = lines.pop() ?? '';
      this.reports.push(...lines.map((line) => JSON.parse(line) as Report));
    });
  }

  get leads(): boolean | undefined {
    return this.reports.filter(({ leads }) => leads !== undefined).at(-1)?.leads;
  }

  get peers(): number {
    return this.reports.filter(({ peers }) => peers !== undefined).at(-1)?.peers ?? 0;
  }

  get heard(): readonly string[] {
    return this.reports.flatMap(({ heard }) => (heard === undefined ? [] : [heard]));
  }

  report(text: string): void {
    this.child.stdin?.write(`say ${text}\n`);
  }

  claim(key: string): void {
    this.child.stdin?.write(`claim ${key}\n`);
  }

  act(): void {
    this.child.stdin?.write('act\n');
  }

  /** As a window whose extension host is busy for ever, or until it goes on. */
  hang(): void {
    this.child.kill('SIGSTOP');
  }

  goOn(): void {
    this.child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = new Promise((resolve) => this.child.once('exit', resolve));
      this.child.kill('SIGKILL');
      await gone;
    }
  }
}
