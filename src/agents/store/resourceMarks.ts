import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import type { AgentAccess } from '../model/tools';

/** What the server asks to learn of changes. */
export const watching = z.object({ watch: z.literal('resources'), since: z.string().max(64).optional() });

export interface ResourceMarksDeps {
  readonly access: () => Promise<AgentAccess>;
  /** The rows that the resources list. */
  readonly rows: () => readonly unknown[];
  readonly onDidChange: (listener: () => void) => Disposable;
  readonly clock: Clock;
}

/** Below the time after which the server gives an answer up (ms). */
const longestMs = 40_000;

/** Returns the mark of what the resources list, once it is another one than `since` or time is up. */
export async function nextMark(
  deps: ResourceMarksDeps,
  since: string | undefined,
  signal: AbortSignal,
): Promise<object> {
  if ((await deps.access()) === 'off') {
    return { problem: 'off' };
  }
  await changed(deps, since, signal);
  return (await deps.access()) === 'off' ? { problem: 'off' } : { mark: markOf(deps) };
}

function changed(deps: ResourceMarksDeps, since: string | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const parts: Disposable[] = [];
    const end = () => {
      signal.removeEventListener('abort', end);
      parts.splice(0).forEach((part) => {
        part.dispose();
      });
      resolve();
    };
    const check = () => {
      if (signal.aborted || markOf(deps) !== since) {
        end();
      }
    };
    signal.addEventListener('abort', end, { once: true });
    parts.push(deps.onDidChange(check), deps.clock.schedule(end, longestMs));
    check();
  });
}

function markOf({ rows }: ResourceMarksDeps): string {
  return createHash('sha256').update(JSON.stringify(rows())).digest('hex');
}
