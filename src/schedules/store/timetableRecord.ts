import type { TimetableEntry } from '../../model/instances/timetable';
import { isSameCall } from '../model/timetable';
import type { TimetableRecord } from './timetableFiles';

/** Whether an entry of the service is, or may be, the one of a record. */
export function isOfRecord(
  entry: TimetableEntry,
  { instanceId, startTime, heldTime, entryId }: TimetableRecord,
): boolean {
  const isTime = entry.startTime === startTime || entry.startTime === heldTime;
  return entry.id === entryId || (isSameCall(entry, instanceId) && isTime);
}

/** Returns the time at which an entry acts although it should at another. */
export function heldBefore(
  before: Partial<Pick<TimetableRecord, 'startTime' | 'heldTime'>> | undefined,
  startTime: number,
): number | undefined {
  return before?.startTime === startTime ? before.heldTime : (before?.heldTime ?? before?.startTime);
}
