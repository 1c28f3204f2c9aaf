import type { Earned, EarningsQuery } from './records/earnings';
import { dayEarnings, earningsReport, machineEarnings, type WireEarned } from '../wire/earnings';
import { defined } from '../util/defined';
import type { Client } from './client';
import type { Http } from './http';
import { readRecords } from './listing';
import { amount } from './modelValues';
import { read } from './request';

const personFields = [
  'username',
  'email',
  'fullname',
  'address1',
  'address2',
  'city',
  'zip',
  'country',
  'taxinfo',
] as const;

/** Reads the earnings of a host (docs/service/billing.md#earnings). */
export function earningsApi(http: Http): Client['earnings'] {
  return {
    report: async (userId, query, options) => {
      const address = read('GET /api/v0/users/{user_id}/machine-earnings/', { user_id: userId });
      const request = { ...address, query: wireQuery(query) };
      const answer = await http.call(request, earningsReport, options);
      const context = { http, route: request.route };
      const machines = await readRecords(
        answer.per_machine ?? [],
        machineEarnings,
        (wire) => ({ machineId: wire.machine_id, ...toEarned(wire) }),
        context,
      );
      const days = await readRecords(
        answer.per_day ?? [],
        dayEarnings,
        (wire) => ({ day: wire.day, ...toEarned(wire) }),
        context,
      );
      const { summary, current } = answer;
      return defined({
        summary: defined<Earned>({
          gpu: amount(summary?.total_gpu),
          storage: amount(summary?.total_stor),
          upload: amount(summary?.total_bwu),
          download: amount(summary?.total_bwd),
        }),
        balance: amount(current?.balance),
        serviceFee: amount(current?.service_fee),
        total: amount(current?.total),
        credit: amount(current?.credit),
        perMachine: machines.items,
        perDay: days.items,
        person: personOf(answer),
        skipped: machines.skipped + days.skipped,
      });
    },
  };
}

function wireQuery({ startDay, endDay, lastDays, machineId }: EarningsQuery) {
  return { sday: startDay, eday: endDay, last_days: lastDays, machid: machineId };
}

function toEarned(wire: WireEarned): Earned {
  return defined<Earned>({
    gpu: amount(wire.gpu_earn),
    storage: amount(wire.sto_earn),
    upload: amount(wire.bwu_earn),
    download: amount(wire.bwd_earn),
  });
}

function personOf(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    personFields.flatMap((name) => {
      const value = answer[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
}
