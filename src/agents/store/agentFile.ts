import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { accountPath } from '../../store/accounts/accountFiles';
import { JsonFile } from '../../store/disk/jsonFile';
import type { Clock } from '../../util/clock';
import type { Log } from '../../util/log';
import { ifPresent } from '../../util/missing';
import { agentStateShape, noAgentState, type AgentRequest, type AgentState } from '../model/request';

const fileName = 'requests.json';

interface AgentFileDeps {
  readonly storageDir: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** Requests of agents for one account, in one file that is replaced in one step. */
export class AgentFile {
  private readonly folder: string;
  private readonly file: JsonFile<AgentState>;

  constructor({ storageDir, clock, log }: AgentFileDeps, accountKey: string) {
    this.folder = accountPath(storageDir, accountKey, 'agents');
    this.file = new JsonFile(join(this.folder, fileName), agentStateShape, log, () => clock.now());
  }

  async read(): Promise<AgentState> {
    return (await this.file.value()) ?? noAgentState;
  }

  /**
   * Returns the names of damaged files. What they committed to, and which instances belong to agents, is
   * unknown.
   */
  async broken(): Promise<readonly string[]> {
    const names = (await ifPresent(readdir(this.folder))) ?? [];
    return names.filter((name) => /^requests\.json\.broken-\d+$/.test(name));
  }

  /** Notes that the user knows of the damaged files. */
  async accept(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await rename(join(this.folder, name), join(this.folder, name.replace('.broken-', '.known-')));
    }
  }

  async list(): Promise<readonly AgentRequest[]> {
    return (await this.read()).requests;
  }

  write(state: AgentState): Promise<void> {
    return this.file.write({ ...state, requests: state.requests.map(withoutCommand) });
  }
}

/** A command may hold secrets, and is needed for its question alone. */
function withoutCommand(request: AgentRequest): AgentRequest {
  const { command, ...rest } = request;
  return command === undefined || request.state === 'pending' ? request : rest;
}
