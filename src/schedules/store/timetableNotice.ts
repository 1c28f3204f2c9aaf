import * as z from 'zod';

/** The data of a notice about the timetable of the service. Times are Unix seconds. */
export const timetableNotice = z.discriminatedUnion('kind', [
  /** Entries that no schedule here explains, of machines or accounts that outlived us. */
  z.object({
    kind: z.literal('left'),
    entries: z.array(
      z.object({
        id: z.number(),
        instanceId: z.number(),
        action: z.enum(['stop', 'destroy']),
        startTime: z.number(),
      }),
    ),
  }),
  z.object({ kind: z.literal('notRemoved'), instanceId: z.number(), startTime: z.number() }),
]);
export type TimetableNotice = z.infer<typeof timetableNotice>;
export const timetableNoticeKind = 'timetable';
