import type { Client } from '../../api/client';
import { mayHaveTakenEffect, NotFoundError } from '../../api/errors';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileSending } from '../../editor/progress';
import { momentText } from '../../editor/timeText';
import type { InstanceNote } from '../../editor/treeGroups';
import { accountFor } from '../../store/accounts/sameAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { ServiceTimetable } from '../store/serviceTimetable';
import { timetableNotice, timetableNoticeKind, type TimetableNotice } from '../store/timetableNotice';
import { nameOfInstance } from './changes';
import type { ScheduleDeps } from './deps';
import { willText } from './scheduleText';

/** What the service itself does at a time, in the row and on the page of an instance, and its messages. */
export function registerTimetable(deps: ScheduleDeps): Disposable {
  const { accounts, clock, instanceGroups, notices, oneWindow, timetable } = deps;
  const store = new DisposableStore();
  store.add(
    instanceGroups.addInstanceNotes({
      note: (instanceId) => noteOf(timetable, instanceId, clock.now()),
      onDidChange: timetable.onDidChange,
    }),
  );
  store.add(
    notices.onDidPost(({ key, kind, accountKey, data }) => {
      const notice = kind === timetableNoticeKind ? timetableNotice.safeParse(data).data : undefined;
      if (notice) {
        oneWindow.offer(key, () => showNotice(deps, notice), {
          isStillSo: () => accountKey === accounts.active?.key,
        });
      }
    }),
  );
  return store;
}

function noteOf(timetable: ServiceTimetable, instanceId: number, now: number): InstanceNote | undefined {
  const record = timetable.find(instanceId);
  const wish = timetable.wish(instanceId);
  const name = t('Timetable of the service');
  const note = (value: string): InstanceNote => ({ row: '', lines: () => [[name, value]] });
  if (!record) {
    return wish?.kind === 'later' ? note(t('gets a stop on {0}', momentText(wish.from, now))) : undefined;
  }
  const at = momentText(timetable.timeOf(record.startTime), now);
  if (record.problem) {
    const reason = localize(record.problem);
    const held = record.isUnwanted === true ? record.startTime : record.heldTime;
    const may = held === undefined ? '' : t('may stop it {0}', momentText(timetable.timeOf(held), now));
    return may !== ''
      ? { ...note(`${may}. ${reason}`), row: `${name}: ${may}` }
      : { ...note(`${t('not set')}. ${reason}`), row: `${name}: ${t('not set')}` };
  }
  return note(
    record.checkedAt === undefined
      ? t('may stop it {0}', at)
      : t(
          'stops it {0}, also without an editor (set and read back {1}, which does not prove that it will run)',
          at,
          momentText(record.checkedAt, now),
        ),
  );
}

function showNotice(deps: ScheduleDeps, notice: TimetableNotice): void {
  const { accounts, clock, timetable } = deps;
  const now = clock.now();
  if (notice.kind === 'notRemoved') {
    const name = nameOfInstance(deps, notice.instanceId);
    const at = momentText(timetable.timeOf(notice.startTime), now);
    message(
      'warning',
      t('{0} is still stopped by the service at {1}: its timetable could not be changed.', name, at),
    );
    return;
  }
  const asked = accountFor(accounts);
  const will = notice.entries.map(({ instanceId, action, startTime }) => {
    const term = { kind: 'at', at: timetable.timeOf(startTime) } as const;
    const schedule = { id: '', instanceId, action, term, setAt: now };
    return `${nameOfInstance(deps, instanceId)} ${willText(schedule, now)}`;
  });
  message(
    'warning',
    t('The timetable of the service has entries without a schedule on this computer: {0}.', will.join(', ')),
    {
      label: t('Remove'),
      run: async () => {
        const ids = notice.entries.map(({ id }) => id);
        const left = await whileSending(removeEntries(asked().client, ids));
        message(
          left === 0 ? 'info' : 'warning',
          t('Removed from the timetable of the service: {0} of {1}', ids.length - left, ids.length),
        );
      },
    },
  );
}

/** Deletes entries, and reads whether they are gone. Returns how many are left. */
async function removeEntries({ timetable }: Client, ids: readonly number[]): Promise<number> {
  for (const id of ids) {
    await timetable.remove(id).catch((error: unknown) => {
      if (!(error instanceof NotFoundError) && !mayHaveTakenEffect(error)) {
        throw error;
      }
    });
  }
  const { items } = await timetable.list();
  return items.filter(({ id }) => ids.includes(id)).length;
}
