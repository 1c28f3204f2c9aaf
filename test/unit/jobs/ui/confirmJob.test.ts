import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import * as fc from 'fast-check';
import { jobFacts } from '../../../../src/jobs/model/draftJob';
import { hardLimit } from '../../../../src/jobs/model/jobLimits';
import { confirmJob, sweepMachines } from '../../../../src/jobs/ui/confirmJob';
import { fromDollars } from '../../../../src/model/money';
import { firstLineText } from '../../../../src/util/scriptLines';
import { formatText, text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeQuickPick, rowText } from '../../../support/fakeEditor/quickInput';
import { aJobRow } from '../../../support/jobRow';
import { aJob } from '../../../support/jobWindows';
import { useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { sized, testSeed } from '../../../support/seeded';

describe('The confirmation of a job', () => {
  const screen = useScreen();
  const trainer = anInstance({ id: 7, label: 'trainer' });
  const sentOf = (files: number, leftOut: number, isFromGit = true) => ({
    tree: { files: Array.from({ length: files }, (_, at) => ({ name: `f${at}`, size: 1000 })) },
    leftOut: Array.from({ length: leftOut }, (_, at) => ({ name: `l${at}`, why: text('too odd') })),
    isFromGit,
    names: [],
    secretFiles: files > 2 ? ['.env', 'certs/id_rsa'] : [],
  });
  const clock = new FakeClock();
  const asked = (fields: Readonly<Record<string, unknown>>, more: object = {}) => {
    const { spec } = aJob(7, fields);
    const perHour = fromDollars(1);
    const limit = hardLimit(spec, perHour);
    const question = {
      ...{
        spec,
        instance: trainer,
        perHour,
        limit,
        sent: sentOf(1, 0),
        outputsTo: '/workspace/out',
        facts: [],
        after: [],
      },
      ...{ sweep: { jobs: 1, machines: [trainer], dollars: 4 } },
      ...more,
    };
    return confirmJob(clock, only(question));
  };
  const rows = async (...given: Parameters<typeof asked>) => {
    const answer = asked(...given);
    await setImmediate();
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick);
    const shown = current.items.map((row) => (Number(row.kind) === -1 ? `— ${row.label}` : rowText(row)));
    const active = current.activeItems.map(rowText);
    current.leave();
    assert.equal(await answer, undefined);
    return [...shown, `> ${active.join()}`];
  };

  it('shows what is sent, run and fetched, and when it ends at the latest', async () => {
    assert.deepEqual(await rows({}), [
      'Run on trainer, and Keep It it still costs $1.00/h afterwards',
      'Rent a GPU for It… on a separate machine; you confirm its price first',
      '— Limits',
      'Ends at the latest after 2 h, which costs $2.04 at most, without traffic ($1.00/h)',
      'Traffic download at an unknown price, upload at an unknown price',
      '— Files',
      'Sent 1 file, 1.0 kB, without files that Git ignores',
      'Outputs outputs/** /workspace/out',
      '— Command',
      'Command train',
      '> Run on trainer, and Keep It it still costs $1.00/h afterwards',
    ]);
  });

  it('names what the file asks for besides', async () => {
    const fields = {
      ...{
        setup: 'pip install x\npip install y',
        run: 'a\n\nb\nc',
        outputs: [],
        secrets: ['HF_TOKEN', 'WANDB'],
      },
      ...{
        limits: { hours: 90, costDollars: 4, idleMinutes: 30 },
        retries: { interrupted: 2, exitCodes: { 75: 1 } },
      },
      whenDone: { success: 'destroy', failure: 'stop' },
    };
    const more = {
      sent: sentOf(3, 7, false),
      after: [aJobRow()],
      sweep: { jobs: 4, machines: [trainer, trainer], dollars: 4 },
    };
    assert.deepEqual(await rows(fields, more), [
      'Run on trainer, and Keep It it still costs $1.00/h afterwards',
      'Run on trainer, and Destroy It as the File Says after success: destroy it (all data on it is lost); after failure: stop it (storage still costs money); at a limit: keep it (it still costs money)',
      'Rent a GPU for It… on a separate machine; you confirm its price first',
      '— Limits',
      'Jobs 4 jobs on trainer, trainer, $4.00 at most for all of them, without traffic',
      'Starts after train',
      'Ends at the latest after 3 h 58 min, at its limit of $4.00 ($1.00/h)',
      'Traffic download at an unknown price, upload at an unknown price',
      'When idle a message appears after 30 min with each GPU under 5 % and no new log line',
      'Runs again after interrupted: 2, code 75: 1; $4.00 at most for all attempts, without traffic',
      '— Files',
      'Sent 3 files, 3.0 kB, without files that .gitignore names',
      'Left out 7 files l0 (too odd), l1 (too odd), l2 (too odd), l3 (too odd), l4 (too odd) and 2 more',
      'Outputs none are fetched /workspace/out',
      'May be secrets .env, certs/id_rsa',
      'Secrets HF_TOKEN, WANDB',
      '— Command',
      'Set-up pip install x … (more lines: 1)',
      'Command a … (more lines: 2)',
      '> Run on trainer, and Keep It it still costs $1.00/h afterwards',
    ]);
  });

  it('shows what is unknown, and that nothing is sent', async () => {
    const limit = hardLimit(aJob(7).spec, undefined);
    assert.deepEqual(
      await rows({ sync: false, whenDone: { limit: 'stop' } }, { perHour: undefined, limit }),
      [
        'Run on trainer, and Keep It it still costs money afterwards',
        'Run on trainer, and Stop It as the File Says after success or after failure: keep it (it still costs money); at a limit: stop it (storage still costs money)',
        'Rent a GPU for It… on a separate machine; you confirm its price first',
        '— Limits',
        'Ends at the latest after 2 h; the service states no price',
        'Traffic download at an unknown price, upload at an unknown price',
        '— Files',
        'Sent nothing',
        'Outputs outputs/** /workspace/out',
        '— Command',
        'Command train',
        '> Run on trainer, and Keep It it still costs money afterwards',
      ],
    );
    assert.deepEqual(
      (await rows({}, { sent: sentOf(2, 5) })).filter((row) => /^(Sent|Left out)/.test(row)),
      [
        'Sent 2 files, 2.0 kB, without files that Git ignores',
        'Left out 5 files l0 (too odd), l1 (too odd), l2 (too odd), l3 (too odd), l4 (too odd)',
      ],
    );
  });

  it('names what leaves this computer and which commands run, on an instance and on one to be rented', async () => {
    const names = fc.uniqueArray(fc.constantFrom('HF_TOKEN', 'WANDB', 'AWS_KEY'), { maxLength: 3 });
    const secretNames = fc.uniqueArray(fc.constantFrom('.env', 'a/id_rsa', 'key.pem'), { maxLength: 3 });
    const script = fc.constantFrom('python train.py', 'sh a.sh\nsh b.sh');
    const given = fc.record({ secrets: names, secretFiles: secretNames, run: script, setup: script });
    await fc.assert(
      fc.asyncProperty(given, async ({ secrets, secretFiles, run, setup }) => {
        const fields = { secrets, run, setup };
        const shown = await rows(fields, { sent: { ...sentOf(1, 0), secretFiles } });
        const { spec } = aJob(7, fields);
        const order = { spec, ends: spec.rentedEnds, outputsTo: '/workspace/out' };
        const draft = { order, each: [order], machines: 1, names: ['a'], bytes: 1, secretFiles, leftOut: [] };
        const facts = jobFacts(only(draft), undefined) ?? [];
        const inRental = facts.map(({ label, value }) => `${formatText(label)} ${formatText(value)}`);
        for (const list of [shown, inRental]) {
          const has = (row: string) => list.some((one) => one.startsWith(row));
          assert.equal(has(`Secrets ${secrets.join(', ')}`), secrets.length > 0);
          assert.equal(has(`May be secrets ${secretFiles.join(', ')}`), secretFiles.length > 0);
          assert.ok(has(`Set-up ${formatText(firstLineText(setup))}`), list.join('\n'));
          assert.ok(has(`Command ${formatText(firstLineText(run))}`), list.join('\n'));
        }
      }),
      { seed: testSeed, numRuns: sized(30, 300) },
    );
  });

  it('asks again before a machine is destroyed, and accepts only a yes', async () => {
    const whenDone = { success: 'destroy' };
    for (const [button, taken] of [
      ['Run and Destroy', { success: 'destroy', failure: 'keep', limit: 'keep' }],
      ['Cancel', undefined],
    ] as const) {
      const answer = asked({ whenDone });
      await setImmediate();
      const { current } = screen.quick;
      assert.ok(current instanceof FakeQuickPick);
      const row = current.items.find(({ label }) => /Destroy It/.test(label));
      assert.ok(row);
      await clock.advance(5_000);
      current.move(row);
      current.accept();
      await clock.advance(1_000);
      screen.messages.shown.at(-1)?.press(button);
      assert.deepEqual(await answer, taken);
    }
  });
});

describe('The machines that share a matrix', () => {
  const screen = useScreen();
  const now = Date.UTC(2026, 10, 27);
  const aMachine = (id: number) => anInstance({ id, label: `machine ${id}` });
  const first = aMachine(1);
  const others = [2, 3, 4].map(aMachine);
  const deps = {
    clock: { now: () => now },
    fleet: {
      state: { kind: 'ready', value: { instances: [first, ...others] }, fetchedAt: now },
      facts: () => ({}),
      refresh: () => Promise.resolve(),
    },
  };
  const asked = (maxParallel: number, isMatrix = true) =>
    sweepMachines(
      only(deps),
      only({ name: 'train', matrix: isMatrix ? { LR: ['1', '2'] } : undefined, maxParallel }),
      first,
    );
  const ids = (machines: Awaited<ReturnType<typeof asked>>) => machines?.map(({ id }) => id);

  it('are no more than run at once, and the list shows how many may be chosen', async () => {
    const answer = asked(3);
    await setImmediate();
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick);
    assert.match(current.placeholder ?? '', /up to 2 besides machine 1/);
    current.items.forEach((row) => current.toggle(row));
    current.accept();
    await setImmediate();
    assert.equal(screen.quick.current, current);
    assert.equal(current.title, 'Select 2 at most. Selected: 3');
    const [row] = current.items;
    assert.ok(row);
    current.toggle(row);
    current.accept();
    assert.deepEqual(ids(await answer), [1, 3, 4]);
  });

  it('are not asked for where one job runs at a time, or there is one job', async () => {
    assert.deepEqual(ids(await asked(1)), [1]);
    assert.deepEqual(ids(await asked(3, false)), [1]);
  });
});
