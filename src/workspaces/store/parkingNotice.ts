import * as z from 'zod';
import type { Notices } from '../../store/windows/notices';
import type { ParkedRow } from '../model/parking';

const news = z.enum(['parked', 'resumed', 'incomplete', 'trouble']);
type News = z.infer<typeof news>;

/** What the user is told of a set, each once over all windows. */
export const parkingNotice = z.object({ setId: z.string(), news });
export const parkingNoticeKind = 'parked';

/** Posts what is new with a state that was just stored. */
export function postNews({ notices }: { readonly notices: Pick<Notices, 'post'> }, row: ParkedRow): void {
  const { set, state } = row;
  const what = newsOf(row);
  if (what) {
    const key = `${set.accountKey}:parked:${set.id}:${what}:${state.since}`;
    const data: z.infer<typeof parkingNotice> = { setId: set.id, news: what };
    notices.post({ key, accountKey: set.accountKey, kind: parkingNoticeKind, data });
  }
}

/** The number of failures in a row that are news. */
export const manyTries = 4;

function newsOf({ state: { phase, since, resumed, endedAt, trouble } }: ParkedRow): News | undefined {
  if (trouble) {
    // One that is retried is news where it costs money, and where it lasts.
    const isAtOnce = trouble.nextTryAt === undefined || phase === 'proved';
    return trouble.tries === (isAtOnce ? 1 : manyTries) ? 'trouble' : undefined;
  }
  if (phase === 'incomplete') {
    return phase;
  }
  const hasResumed = resumed?.at === since || (phase === 'parked' && resumed && endedAt === since);
  return hasResumed === true && phase !== 'proved'
    ? 'resumed'
    : phase === 'parked' && endedAt === since
      ? 'parked'
      : undefined;
}
