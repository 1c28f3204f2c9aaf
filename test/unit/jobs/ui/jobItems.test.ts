import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import type { JobRow } from '../../../../src/jobs/model/job';
import type { Serves } from '../../../../src/jobs/model/serves';
import { groupOf, jobGroupItem, jobItem, jobPartItem, rowsBelow } from '../../../../src/jobs/ui/jobItems';
import { text } from '../../../../src/util/text';
import { labelOf } from '../../../support/fakeEditor/trees';
import { aJobRow, endOfJob, jobNow, jobTrouble, minuteMs, outputsOfJob } from '../../../support/jobRow';

const over = { phase: 'over', endedAt: jobNow - 10 * minuteMs } as const;
const succeeded = { ...over, ...endOfJob('itself', 0), ...outputsOfJob(2), outcome: 'kept' } as const;

const rows: Readonly<Record<string, JobRow>> = {
  queued: aJobRow({ phase: 'queued', beganAt: undefined, startedAt: undefined }),
  running: aJobRow({ gpuPercent: 41.6, lastSeenAt: jobNow - minuteMs }),
  stopping: aJobRow({}, { job: { decidedAt: { stop: jobNow } } }),
  unreachable: aJobRow(jobTrouble('unreachable', 5, text('Connection refused.'))),
  'unreachable for a moment': aJobRow(jobTrouble('unreachable', 1)),
  ended: aJobRow({ phase: 'ended', ...endOfJob('itself', 3) }),
  'stopped machine': aJobRow({
    phase: 'fetching',
    ...endOfJob('itself', 0),
    ...jobTrouble('machineStopped'),
  }),
  fetched: aJobRow({ phase: 'fetched', ...endOfJob('itself', 0), ...outputsOfJob(2) }),
  succeeded: aJobRow(succeeded, { job: { commit: { hash: '0123456789abc', isDirty: true } } }),
  failed: aJobRow({ ...over, ...endOfJob('itself', 3), outcome: 'destroyed', ...outputsOfJob(2, 3) }),
  'at its limit': aJobRow({ ...over, ...endOfJob('limit', 0), outcome: 'stopped' }),
  'machine lost': aJobRow({ ...over, outcome: 'lost' }),
  'not started': aJobRow(
    { ...over, outcome: 'notStarted', why: text('No offer fits.') },
    { instanceId: undefined },
  ),
  'not started on a kept one': aJobRow({ ...over, outcome: 'notStarted' }),
  'progress lost': aJobRow({ ...over, outcome: 'unknown', isLost: true, why: text('Its progress is lost.') }),
  'not fetched again': aJobRow({
    ...succeeded,
    reopened: { at: jobNow, outcome: 'kept', why: text('It is off.') },
  }),
  guarded: aJobRow({ guardedUntil: jobNow + 90 * minuteMs }, { job: { rental: { marker: 'm' } } }),
  'not guarded yet': aJobRow(
    {},
    { job: { rental: { marker: 'm' }, commit: { hash: '0123456789abc', isDirty: false } } },
  ),
  'for the second time': aJobRow({
    attempt: 2,
    attempts: [{ cause: 'interrupted', at: jobNow, machine: 'old' }],
    others: [
      { id: 'a', name: 'eval', isAtWork: true },
      { id: 'b', name: 'prep', isAtWork: false },
    ],
  }),
};

const lines = (item: vscode.TreeItem) => {
  const { value } = item.tooltip as vscode.MarkdownString;
  return value
    .replace(/[\\*]|&nbsp;/g, '')
    .split(/\s*\n+/)
    .slice(1)
    .join(' / ');
};

describe('The row of a job', () => {
  const shown: Readonly<Record<string, readonly string[]>> = {
    queued: [
      'running: loading~spin waiting · 0 s of 2 h · $0.00 of $4.00',
      ';job;canStop;canKeep;',
      'State: waiting / Used: 0 s of 2 h · $0.00 of $4.00 / Ordered: 11:00 AM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money)',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    running: [
      'running: loading~spin running · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;canStop;canExtend;hasLogs;canKeep;',
      'State: running / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Ends at the latest: 12:10 PM / Last seen: 1 min ago / GPU: 42 % / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money)',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    stopping: [
      'running: loading~spin stopping · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;hasLogs;canKeep;',
      'State: stopping / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money)',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    unreachable: [
      'needsYou: warning machine unreachable, retrying · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;canStop;canExtend;canRetry;hasLogs;canKeep;',
      'State: machine unreachable, retrying / Problem: Connection refused. / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Ends at the latest: 12:10 PM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money)',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    'unreachable for a moment': [
      'running: loading~spin machine unreachable, retrying · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;canStop;canExtend;canRetry;hasLogs;canKeep;',
      'State: machine unreachable, retrying / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Ends at the latest: 12:10 PM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money)',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    ended: [
      'running: loading~spin failed with code 3, fetching outputs · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;canFetch;hasLogs;canKeep;canRelease;',
      'State: failed with code 3, fetching outputs / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money)',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    'stopped machine': [
      'needsYou: warning machine is stopped · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;canRetry;canFetch;hasLogs;canKeep;canRelease;',
      'State: machine is stopped / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money)',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    fetched: [
      'running: loading~spin succeeded, outputs are here · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;canFetch;hasOutputs;hasLogs;canKeep;canRelease;',
      'State: succeeded, outputs are here / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money) / Outputs: 2 files, 2.0 kB, compared by hash',
      'Log | → gpuRental.job.showLog / Outputs | 2 files, 2.0 kB, compared by hash | → gpuRental.job.openOutputs / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    succeeded: [
      'finished: pass succeeded · 50 min · $0.834',
      ';job;hasOutputs;isOver;',
      'State: succeeded / Used: 50 min · $0.834 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: kept / Commit: 01234567, with uncommitted changes / Outputs: 2 files, 2.0 kB, compared by hash',
      'Log | → gpuRental.job.showLog / Outputs | 2 files, 2.0 kB, compared by hash | → gpuRental.job.openOutputs / trainer | kept | → gpuRental.instance.reveal',
    ],
    failed: [
      'finished: error failed with code 3 · 50 min · $0.834',
      ';job;hasOutputs;isOver;',
      'State: failed with code 3 / Used: 50 min · $0.834 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: destroyed / Outputs: 2 files, 2.0 kB, compared by hash. Left out: odd name (hostile) and 2 more',
      'Log | → gpuRental.job.showLog / Outputs | 2 files, 2.0 kB, compared by hash. Left out: odd name (hostile) and 2 more | → gpuRental.job.openOutputs / trainer | destroyed | → gpuRental.instance.reveal',
    ],
    'at its limit': [
      'finished: error ended at its limit · 50 min · $0.834',
      ';job;isOver;',
      'State: ended at its limit / Used: 50 min · $0.834 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: stopped',
      'Log | → gpuRental.job.showLog / Outputs | not fetched / trainer | stopped | → gpuRental.instance.reveal',
    ],
    'machine lost': [
      'finished: error machine lost · 50 min · $0.834',
      ';job;isOver;',
      'State: machine lost / Used: 50 min · $0.834 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: lost before the outputs were fetched',
      'Log | → gpuRental.job.showLog / Outputs | not fetched / trainer | lost before the outputs were fetched | → gpuRental.instance.reveal',
    ],
    'not started': [
      'finished: error not started · 50 min · $0.834',
      ';job;isOver;',
      'State: not started / Reason: No offer fits. / Used: 50 min · $0.834 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer / Machine afterwards: none was rented',
      'Log | → gpuRental.job.showLog / Outputs | not fetched / trainer | none was rented',
    ],
    'not started on a kept one': [
      'finished: error canceled · 50 min · $0.834',
      ';job;isOver;',
      'State: canceled / Used: 50 min · $0.834 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: kept',
      'Log | → gpuRental.job.showLog / Outputs | not fetched / trainer | kept | → gpuRental.instance.reveal',
    ],
    'progress lost': [
      'finished: warning progress lost · time and cost unknown',
      ';job;isOver;',
      'State: progress lost / Reason: Its progress is lost. / Used: time and cost unknown / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: unknown: it may still run and cost money',
      'Log | → gpuRental.job.showLog / Outputs | unknown / trainer | unknown: it may still run and cost money | → gpuRental.instance.reveal',
    ],
    'not fetched again': [
      'finished: pass succeeded · 50 min · $0.834',
      ';job;hasOutputs;isOver;',
      'State: succeeded / Reason: Could not fetch the outputs again. It is off. / Used: 50 min · $0.834 / Ordered: 11:00 AM / Command since: 11:10 AM / Machine: trainer (#7) / Machine afterwards: kept / Outputs: 2 files, 2.0 kB, compared by hash',
      'Log | → gpuRental.job.showLog / Outputs | 2 files, 2.0 kB, compared by hash | → gpuRental.job.openOutputs / trainer | kept | → gpuRental.instance.reveal',
    ],
    guarded: [
      'running: loading~spin running · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;canStop;canExtend;hasLogs;canKeep;',
      'State: running / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Ends at the latest: 12:10 PM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money) / When no editor is open: stops by itself after the job, or at 1:30 PM',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    'not guarded yet': [
      'running: loading~spin running · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;canStop;canExtend;hasLogs;canKeep;',
      'State: running / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Ends at the latest: 12:10 PM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money) / When no editor is open: automatic stop not confirmed yet / Commit: 01234567',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal',
    ],
    'for the second time': [
      'running: loading~spin running · 1 h of 1 h 10 min · $1.00 of $4.00',
      ';job;canStop;canExtend;hasLogs;canKeep;',
      'State: running / Used: 1 h of 1 h 10 min · $1.00 of $4.00 / Ordered: 11:00 AM / Command since: 11:10 AM / Ends at the latest: 12:10 PM / Machine: trainer (#7) / Machine afterwards: keep it (it still costs money)',
      'Log | → gpuRental.job.showLog / Outputs | not fetched yet / trainer | keep it (it still costs money) | → gpuRental.instance.reveal / Jobs of Other Computers | eval: not finished, prep: outputs not fetched / Attempts | 1 on old: its machine was interrupted, 2 now',
    ],
  };

  for (const [name, row] of Object.entries(rows)) {
    it(`shows its state and offers what fits: ${name}`, () => {
      const item = jobItem(row, jobNow);
      const { id } = item.iconPath as vscode.ThemeIcon;
      assert.equal(item.accessibilityInformation?.label, `train, ${String(item.description)}`);
      const below = rowsBelow(row).map((part) => jobPartItem(row, part));
      const parts = below.map((part) =>
        [labelOf(part), part.description, part.command && `→ ${part.command.command}`]
          .filter((one) => one !== undefined)
          .join(' | '),
      );
      const is = [
        `${groupOf(row)}: ${id} ${String(item.description)}`,
        String(item.contextValue),
        lines(item),
        parts.join(' / '),
      ];
      assert.deepEqual(is, shown[name]);
    });
  }

  it('is not of a commit without changes where these could not be read', () => {
    const item = jobItem(aJobRow({}, { job: { commit: { hash: '0123456789abc' } } }), jobNow);
    assert.match(lines(item), /Commit: 01234567, uncommitted changes could not be read/);
  });

  it('shows a transfer in place of its phase, and offers outputs of a machine that is left', () => {
    const move = { way: 'fetching', bytes: 5_000_000, totalBytes: 20_000_000 } as const;
    const item = jobItem(rows['ended'] ?? aJobRow(), jobNow, { move });
    assert.match(String(item.description), /^fetching outputs, 5(\.0)? MB of 20(\.0)? MB · /);
    const failed = rows['failed'] ?? aJobRow();
    assert.match(String(jobItem(failed, jobNow, { isFetchable: true }).contextValue), /;canFetch;/);
    assert.doesNotMatch(String(jobItem(failed, jobNow, { isFetchable: false }).contextValue), /canFetch/);
  });

  it('shows the last numbers of its log, in the row while it runs', () => {
    const numbers = { epoch: '3/10', step: '120', loss: '0.2', speed: '3.1it/s' };
    const running = jobItem(aJobRow({ phase: 'running', numbers }), jobNow);
    assert.match(
      String(running.description),
      /^running.* · epoch 3\/10 · step 120 · loss 0\.2 · 3\.1it\/s$/i,
    );
    const over = jobItem(aJobRow({ phase: 'over', outcome: 'kept', numbers: { loss: '0.1' } }), jobNow);
    assert.doesNotMatch(String(over.description), /loss/);
    assert.match(lines(over), /Printed last: loss 0\.1/);
  });

  it('shows no numbers of an engine that serves a model', () => {
    const row = aJobRow({ phase: 'running', numbers: { step: '8/8', speed: '0.0tokens/s' } });
    const serves: Serves = {
      name: 'Qwen3-8B',
      repository: 'Qwen/Qwen3-8B',
      engine: 'vllm',
      gpus: 1,
      maxSequences: 8,
      idleMinutes: 30,
    };
    const item = jobItem({ ...row, job: { ...row.job, serves } }, jobNow);
    assert.doesNotMatch(`${String(item.description)} ${lines(item)}`, /8\/8|tokens/);
  });

  it('is below a group that counts its rows and is open', () => {
    const item = jobGroupItem('needsYou', 3);
    assert.deepEqual([item.label, item.description, item.collapsibleState], ['Needs Attention', '3', 2]);
  });
});
