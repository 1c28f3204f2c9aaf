import { LineLog } from '../../store/disk/lineLog';
import type { Clock } from '../../util/clock';
import type { Log } from '../../util/log';
import type { AgentCall } from './agentTools';

/** The size limit of each of the two files that are kept. */
const maxBytes = 1024 * 1024;

/** A log with a line for each call of an agent. Contains no argument values. */
export class AuditLog {
  private readonly lines: LineLog;

  constructor(file: string, deps: { readonly clock: Clock; readonly log: Log }) {
    this.lines = new LineLog(file, { ...deps, maxBytes });
  }

  /** Appends calls in order; a disk that refuses stops no call. */
  add({ at, caller, ...call }: AgentCall): Promise<void> {
    const { door, name } = caller;
    const client = door === 'chat' ? { client: name } : { clientCallsItself: name };
    return this.lines.add({ time: new Date(at).toISOString(), door, ...client, ...call });
  }

  /** Returns the whole log, oldest entries first. */
  read(): Promise<string> {
    return this.lines.read();
  }
}
