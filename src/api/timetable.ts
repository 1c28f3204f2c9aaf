import type { TimetableEntry, TimetableOrder } from '../model/instances/timetable';
import { defined } from '../util/defined';
import {
  createdTimetableEntry,
  timetableEntry,
  timetableList,
  type WireTimetableEntry,
} from '../wire/timetable';
import type { Client } from './client';
import type { Http } from './http';
import { readList } from './listing';
import { nonEmpty } from './modelValues';
import { read, sendWrite, write } from './request';

/** The timetable of the service: what it does to instances at a time (docs/service/timetable.md#list). */
export function timetableApi(http: Http): Client['timetable'] {
  return {
    list: (options) => {
      const request = read('GET /api/v0/commands/schedule_job/');
      return readList(http, request, timetableList, timetableEntry, toEntry, options);
    },
    create: async (order, options) => {
      const request = { ...write('POST /api/v0/commands/schedule_job/'), body: toBody(order) };
      return defined<{ readonly id?: number }>({
        id: (await http.call(request, createdTimetableEntry, options)).scheduled_job_id,
      });
    },
    change: (id, order, options) => {
      const request = { ...write('PUT /api/v0/commands/schedule_job/{id}/', { id }), body: toBody(order) };
      return sendWrite(http, request, options);
    },
    remove: (id, options) =>
      sendWrite(http, write('DELETE /api/v0/commands/schedule_job/{id}/', { id }), options),
  };
}

function toBody(order: TimetableOrder) {
  return {
    instance_id: order.instanceId,
    api_endpoint: order.endpoint,
    request_method: order.method,
    request_body: order.body,
    start_time: order.startTime,
    end_time: order.endTime,
    frequency: order.frequency,
    day_of_the_week: order.day,
    hour_of_the_day: order.hour,
  };
}

function toEntry(wire: WireTimetableEntry): TimetableEntry {
  return defined<TimetableEntry>({
    id: wire.id,
    instanceId: wire.instance_id,
    endpoint: nonEmpty(wire.api_endpoint),
    method: nonEmpty(wire.request_method),
    body: wire.request_body,
    startTime: wire.start_time,
    endTime: wire.end_time,
    frequency: nonEmpty(wire.frequency),
    day: wire.day_of_the_week,
    hour: wire.hour_of_the_day,
    minute: wire.min_of_the_hour,
    status: nonEmpty(wire.status),
    lastRun: wire.last_executed_around,
  });
}
