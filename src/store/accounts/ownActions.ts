import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { ClientHooks } from '../../api/serviceHttp';
import { ownActionOf, type OwnAction } from '../../model/accounts/ownAction';
import { actorKinds, currentActor } from '../../util/acting';
import type { Clock } from '../../util/clock';
import { parseJson } from '../../util/json';
import type { Log } from '../../util/log';
import { plainLabel } from '../../util/plainLabel';
import { LineLog } from '../disk/lineLog';
import { accountPath } from './accountFiles';

/** Some 2,000 actions in each of the two files that are kept. */
const maxBytes = 512 * 1024;

/** An action has a line from when it is sent, and another from when its end is known. */
const sentLine = z.object({
  id: z.string(),
  at: z.number(),
  route: z.string(),
  state: z.enum(['running', 'stopped']).optional(),
  ids: z.array(z.number()),
  actor: z
    .object({ kind: z.enum(actorKinds), name: z.string().optional() })
    .optional()
    .catch(undefined),
  window: z.string().optional(),
});
const endLine = z.object({
  id: z.string(),
  end: z.enum(['done', 'refused', 'unknown']),
  requestId: z.string().optional(),
  newContract: z.number().optional(),
});
type End = z.infer<typeof endLine>;

export interface OwnActionList {
  /** Latest first. */
  readonly actions: readonly OwnAction[];
  /** Lines that could not be read. */
  readonly skipped: number;
}

interface Deps {
  readonly storageDir: string;
  /** The name of the folder or workspace that is open in this window. */
  readonly window: () => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** What this product did on this computer that cost money or destroyed something, for each account. */
export class OwnActions {
  private readonly logs = new Map<string, LineLog>();

  constructor(private readonly deps: Deps) {}

  /** Returns the hooks of an account's client, which take down its writes. */
  hooksOf(accountKey: string) {
    return {
      onWrite: (request) => {
        const action = ownActionOf(request);
        if (!action) {
          return undefined;
        }
        const log = this.logOf(accountKey);
        const id = randomBytes(6).toString('hex');
        const actor = currentActor();
        // Not awaited, because a disk that is slow or full must not keep a machine running.
        void log.add({
          id,
          at: this.deps.clock.now(),
          ...action,
          actor: actor && { kind: actor.kind, name: shortText(actor.name) },
          window: shortText(this.deps.window()),
        });
        return (end) => void log.add({ id, ...end });
      },
    } satisfies ClientHooks;
  }

  async read(accountKey: string): Promise<OwnActionList> {
    const content = await this.logOf(accountKey).read();
    const sent: z.infer<typeof sentLine>[] = [];
    const ends = new Map<string, End>();
    let skipped = 0;
    for (const line of content.split('\n').filter((one) => one !== '')) {
      const value = parsed(line);
      const begun = sentLine.safeParse(value);
      const ended = endLine.safeParse(value);
      if (begun.success) {
        sent.push(begun.data);
      } else if (ended.success) {
        ends.set(ended.data.id, ended.data);
      } else {
        skipped += 1;
      }
    }
    // Of the same moment, the later line first.
    const actions = sent.map((one) => actionOf(one, ends.get(one.id))).reverse();
    return { actions: actions.sort((a, b) => b.at - a.at), skipped };
  }

  private logOf(accountKey: string): LineLog {
    const { storageDir } = this.deps;
    const log =
      this.logs.get(accountKey) ??
      new LineLog(accountPath(storageDir, accountKey, 'actions.log'), { ...this.deps, maxBytes });
    this.logs.set(accountKey, log);
    return log;
  }
}

function actionOf({ id: _, ...sent }: z.infer<typeof sentLine>, end: End | undefined): OwnAction {
  const made = end?.newContract === undefined ? [] : [end.newContract];
  return { ...sent, ids: [...sent.ids, ...made], end: end?.end, requestId: end?.requestId };
}

function shortText(name: string | undefined): string | undefined {
  return name === undefined ? undefined : plainLabel(name).slice(0, 100);
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}
