import { appendFile, mkdir, readFile, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '../../util/log';
import { ifPresent } from '../../util/missing';
import type { AgentCall } from './agentTools';

/** The size limit of each of the two files that are kept. */
const maxBytes = 1024 * 1024;

/**
 * A log with one line of JSON for each call of an agent, readable by this user only. Contains no argument
 * values.
 */
export class AuditLog {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {}

  /** Appends calls in order; a disk that refuses stops no call. */
  add(call: AgentCall): Promise<void> {
    this.last = this.last
      .then(() => this.write(call))
      .catch((error: unknown) => {
        this.log.warn(`A call of an agent could not be written down: ${String(error)}`);
      });
    return this.last;
  }

  /** Returns the whole log, oldest entries first. */
  async read(): Promise<string> {
    await this.last;
    const parts = [`${this.file}.old`, this.file].map((file) => ifPresent(readFile(file, 'utf8')));
    return (await Promise.all(parts)).join('');
  }

  private async write({ at, caller, ...call }: AgentCall): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    const size = await stat(this.file).then(
      (found) => found.size,
      () => 0,
    );
    if (size >= maxBytes) {
      await rename(this.file, `${this.file}.old`);
    }
    const { door, name } = caller;
    const client = door === 'chat' ? { client: name } : { clientCallsItself: name };
    const line = { time: new Date(at).toISOString(), door, ...client, ...call };
    await appendFile(this.file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  }
}
