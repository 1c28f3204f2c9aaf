import * as z from 'zod';
import type { Notice } from '../../store/windows/notices';
import type { UnreadableLease } from './scheduleFiles';

/** The data of a notice about a schedule that can't be read and so won't be carried out. */
export const unreadableLease = z.object({
  instanceId: z.number(),
  path: z.string(),
  kind: z.enum(['damaged', 'refused']),
  name: z.string(),
});
export const unreadableLeaseKind = 'unreadableLease';

const dayMs = 24 * 3_600_000;

/** Returns the notice, with the same key whether or not the account is active. */
export function unreadableNotice(
  accountKey: string,
  { instanceId, path, kind }: UnreadableLease,
  { name, now }: { readonly name: string; readonly now: number },
): Notice {
  // A file that was set aside stays so for good, so it is reported once.
  const turn = kind === 'damaged' ? '' : `:${Math.floor(now / dayMs)}`;
  const data: z.infer<typeof unreadableLease> = { instanceId, path, kind, name };
  return { key: `${accountKey}:leaseFile:${path}${turn}`, accountKey, kind: unreadableLeaseKind, data };
}
