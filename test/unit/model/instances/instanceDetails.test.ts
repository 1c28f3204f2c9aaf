import assert from 'node:assert/strict';
import type { GaugeReading } from '../../../../src/model/instances/gauges';
import type { Instance } from '../../../../src/model/instances/instance';
import { detailsDocument } from '../../../../src/model/instances/instanceDetails';
import { fromDollars } from '../../../../src/model/money';
import { anInstance } from '../../../support/builders';

const now = Date.UTC(2026, 0, 15, 12);
const minute = 60_000;

interface Details {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly meantTo: string;
  readonly cost: Readonly<Record<string, string>>;
  readonly startedAt?: string;
  readonly endsAt?: string;
  readonly check?: string;
  readonly lastHour?: Readonly<Record<string, string>>;
  readonly record: Readonly<Record<string, unknown>>;
}

const read = (change: Partial<Instance> = {}, history: readonly GaugeReading[] = [], check?: string) =>
  JSON.parse(detailsDocument(anInstance(change), {}, now, history, check)) as Details;

describe('the details of an instance', () => {
  it('have units in the names of what it costs, and leave out what the service does not state', () => {
    const { cost } = read({
      startedAt: (now - 90 * minute) / 1000,
      gpuPerHour: fromDollars(0.39),
      bidPerHour: fromDollars(0.25),
      inetUpPerGb: fromDollars(0.02),
      inetDownPerGb: fromDollars(0.01),
    });
    assert.deepEqual(cost, {
      runningPerHour: '$0.400',
      gpuPerHour: '$0.390',
      diskPerHour: '$0.0050',
      stoppedPerDay: '$0.120',
      uploadPerGb: '$0.020',
      downloadPerGb: '$0.010',
      bidPerHour: '$0.250',
      soFarAtMost: '$0.600',
    });
  });

  it('show what it is meant to do, and when it began and ends', () => {
    const endsAt = Date.UTC(2026, 0, 20, 12) / 1000;
    const { meantTo, startedAt, endsAt: end } = read({ endsAt });
    assert.deepEqual(
      [meantTo, startedAt, end],
      ['run', '2026-01-15T11:00:00.000Z', '2026-01-20T12:00:00.000Z'],
    );
    const stopped = read({ intendedStatus: 'stopped', actualStatus: 'exited', startedAt: 1e15 });
    assert.deepEqual(
      [stopped.meantTo, stopped.startedAt, stopped.endsAt],
      ['be stopped', undefined, undefined],
    );
  });

  it('mask what may be secret, and show ports and an empty script as they are', () => {
    const { record } = read({
      env: [
        ['HF_TOKEN', 'hf_x'],
        ['-p 80:80', '1'],
      ],
      onstart: 'run --key abc',
      args: ['--key', 'abc'],
      jupyterToken: 'tok',
    });
    assert.deepEqual(
      [record['env'], record['onstart'], record['args'], record['jupyterToken']],
      [{ HF_TOKEN: '•••', '-p 80:80': '1' }, '•••', ['•••', '•••'], '•••'],
    );
    assert.equal(read({ onstart: '' }).record['onstart'], '');
    const none = read().record;
    assert.deepEqual(
      ['env', 'onstart', 'args', 'jupyterToken'].filter((name) => name in none),
      [],
    );
  });

  it('draw the last hour of each figure that was read twice, with what it is now', () => {
    const history = [
      { at: now - 4 * minute, gpu: 50, disk: 40 },
      { at: now - minute, gpu: 100, disk: 40 },
    ];
    assert.deepEqual(read({ gpuUtilPercent: 99.6 }, history).lastHour, {
      gpu: `${'·'.repeat(18)}▅█ 100 %`,
      disk: `${'·'.repeat(18)}▄▄`,
    });
    assert.equal('lastHour' in read({}, history.slice(1)), false);
  });

  it('name the result of the last check, if there was one', () => {
    assert.equal(read({}, [], 'A login worked.').check, 'A login worked.');
    assert.equal('check' in read(), false);
  });
});
