import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Lease, LeaseState } from '../../model/instances/lease';
import { JsonFile } from '../jsonFile';

const leaseFile = z.object({
  version: z.literal(1),
  id: z.string(),
  action: z.enum(['stop', 'destroy']),
  term: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('at'), at: z.number() }),
    z.object({ kind: z.literal('idle'), minutes: z.number().positive() }),
  ]),
  setAt: z.number(),
  armed: z.object({ token: z.string(), at: z.number().optional(), provedAt: z.number() }).optional(),
});
const stateFile = z.object({
  leaseId: z.string(),
  idleSince: z.number().optional(),
  warnedAt: z.number().optional(),
  missedAt: z.number().optional(),
  endedAt: z.number().optional(),
  attempts: z.number().optional(),
  nextTryAt: z.number().optional(),
});

export interface LeaseRow {
  readonly lease: Lease;
  readonly state: LeaseState;
}

export interface LeaseStorage {
  /** By instance. Throws `FileUnreadableError` where the disk refuses. */
  list(): Promise<readonly LeaseRow[]>;
  read(instanceId: number): Promise<LeaseRow | undefined>;
  put(lease: Lease): Promise<void>;
  putState(instanceId: number, state: LeaseState): Promise<void>;
  remove(instanceId: number): Promise<void>;
}

/**
 * The leases of one account. The word of the user and how far it has come are files of their own, so
 * that the window that carries it out never writes over a change or brings back what was cancelled.
 */
export class LeaseFiles implements LeaseStorage {
  constructor(private readonly folder: string) {}

  async list(): Promise<readonly LeaseRow[]> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const ids = (await readdir(this.folder)).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
    const rows = await Promise.all(ids.map((id) => this.read(Number(id))));
    return rows.filter((row) => row !== undefined).sort((a, b) => a.lease.instanceId - b.lease.instanceId);
  }

  async read(instanceId: number): Promise<LeaseRow | undefined> {
    const content = await this.leaseFile(instanceId).read();
    if (content.kind !== 'present') {
      return undefined;
    }
    const { id, action, term, setAt, armed } = content.value;
    const lease = { id, instanceId, action, term, setAt, ...(armed ? { armed } : {}) };
    const state = await this.stateFile(instanceId).read();
    const isOwn = state.kind === 'present' && state.value.leaseId === id;
    // The file says nothing else than the type: what is missing there is missing here.
    return { lease, state: isOwn ? (state.value as LeaseState) : { leaseId: id } };
  }

  async put({ instanceId, id, action, term, setAt, armed }: Lease): Promise<void> {
    await this.leaseFile(instanceId).write({
      version: 1,
      id,
      action,
      term,
      setAt,
      ...(armed ? { armed } : {}),
    });
  }

  async putState(instanceId: number, state: LeaseState): Promise<void> {
    await this.stateFile(instanceId).write({ ...state });
  }

  async remove(instanceId: number): Promise<void> {
    await this.leaseFile(instanceId).remove();
    await this.stateFile(instanceId).remove();
  }

  private leaseFile(instanceId: number) {
    return new JsonFile(join(this.folder, `${instanceId}.json`), leaseFile);
  }

  private stateFile(instanceId: number) {
    return new JsonFile(join(this.folder, `${instanceId}.state.json`), stateFile);
  }
}
