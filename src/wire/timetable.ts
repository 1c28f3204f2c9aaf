import * as z from 'zod';
import { id, looseList, numbers, successAnswer, texts } from './field';

/** A row of GET commands/schedule_job (docs/service/timetable.md#list). */
export const timetableEntry = z.looseObject({
  id,
  ...numbers('instance_id', 'start_time', 'end_time'),
  ...numbers('day_of_the_week', 'hour_of_the_day', 'min_of_the_hour', 'last_executed_around'),
  ...texts('api_endpoint', 'request_method', 'frequency', 'status'),
  request_body: z.unknown().optional(),
});
export type WireTimetableEntry = z.infer<typeof timetableEntry>;

export const timetableList = looseList('results');

export const createdTimetableEntry = successAnswer.extend({
  scheduled_job_id: id.optional().catch(undefined),
});
