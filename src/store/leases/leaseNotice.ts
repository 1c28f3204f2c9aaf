import * as z from 'zod';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Instance } from '../../model/instances/instance';
import { dueAt, fireAt, type Lease } from '../../model/instances/lease';
import type { Text } from '../../util/text';
import type { Notice } from '../windows/notices';
import type { LeaseRow } from './leaseFiles';

/** What is told of a lease. */
export const leaseNotice = z.object({
  kind: z.enum(['soon', 'stopped', 'destroyed', 'gone', 'failed', 'missed', 'timerGone', 'unwatched']),
  instanceId: z.number(),
  name: z.string(),
  leaseId: z.string(),
  action: z.enum(['stop', 'destroy']),
  /** When it is or was due; milliseconds since 1970. */
  at: z.number(),
  /** It was made up for. */
  isLate: z.boolean().optional(),
  idleMinutes: z.number().optional(),
  problem: z
    .custom<Text>((value) => typeof value === 'object' && value !== null && 'template' in value)
    .optional(),
});
export type LeaseNotice = z.infer<typeof leaseNotice>;
export const leaseNoticeKind = 'lease';

const dayMs = 86_400_000;

/** What became of a schedule, or is about to. */
export function noticeOf(
  accountKey: string,
  { lease, state }: LeaseRow,
  kind: LeaseNotice['kind'],
  {
    instance,
    now,
    ...more
  }: { readonly instance: Instance | undefined; readonly now: number } & Pick<
    LeaseNotice,
    'isLate' | 'problem'
  >,
): Notice {
  const { id, instanceId, action, term } = lease;
  const data: LeaseNotice = {
    kind,
    instanceId,
    name: instance ? instanceName(instance) : `#${instanceId}`,
    leaseId: id,
    action,
    at: fireAt(lease, state) ?? now,
    idleMinutes: term.kind === 'idle' ? term.minutes : undefined,
    ...more,
  };
  // A question that was closed is asked again another day; a warning belongs to its time.
  const turn = kind === 'missed' ? Math.floor(now / dayMs) : kind === 'soon' ? (state.warnedAt ?? 0) : 0;
  return { key: `${accountKey}:lease:${id}:${kind}:${turn}`, accountKey, kind: leaseNoticeKind, data };
}

/** The timer on the instance ended before its time; told once for each time it was proved. */
export function timerGoneNotice(
  accountKey: string,
  lease: Lease,
  instance: Instance | undefined,
  now: number,
): Notice {
  const { id, instanceId, action, armed } = lease;
  const data: LeaseNotice = {
    kind: 'timerGone',
    instanceId,
    name: instance ? instanceName(instance) : `#${instanceId}`,
    leaseId: id,
    action,
    at: dueAt(lease, { leaseId: id }) ?? now,
  };
  const key = `${accountKey}:lease:${id}:timerGone:${armed?.token ?? ''}`;
  return { key, accountKey, kind: leaseNoticeKind, data };
}

/** Nobody sees whether the instance of an account that is not active is idle; told once a day. */
export function unwatchedNotice(accountKey: string, lease: Lease, now: number): Notice {
  const { id, instanceId, action } = lease;
  const data: LeaseNotice = {
    kind: 'unwatched',
    instanceId,
    name: `#${instanceId}`,
    leaseId: id,
    action,
    at: now,
  };
  const key = `${accountKey}:lease:${id}:unwatched:${Math.floor(now / dayMs)}`;
  return { key, accountKey, kind: leaseNoticeKind, data };
}
