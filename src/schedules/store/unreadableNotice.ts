import * as z from 'zod';
import type { Notice } from '../../store/windows/notices';
import type { UnreadableSchedule } from './scheduleFiles';

/** The data of a notice about a schedule that can't be read and so won't be carried out. */
export const unreadableSchedule = z.object({
  instanceId: z.number(),
  path: z.string(),
  kind: z.enum(['damaged', 'refused']),
  name: z.string(),
});
export const unreadableScheduleKind = 'unreadableSchedule';

const dayMs = 24 * 3_600_000;

/** Returns the notice, with the same key whether or not the account is active. */
export function unreadableNotice(
  accountKey: string,
  { instanceId, path, kind }: UnreadableSchedule,
  { name, now }: { readonly name: string; readonly now: number },
): Notice {
  // A file that was set aside stays there, so it is reported once.
  const turn = kind === 'damaged' ? '' : `:${Math.floor(now / dayMs)}`;
  const data: z.infer<typeof unreadableSchedule> = { instanceId, path, kind, name };
  return { key: `${accountKey}:scheduleFile:${path}${turn}`, accountKey, kind: unreadableScheduleKind, data };
}
