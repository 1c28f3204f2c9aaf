import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { QuickInput } from '../../editor/quickInput';
import type { Level, LevelRow } from '../../editor/quickLevels';
import { needsEditor } from '../../editor/scheduleText';
import { momentText } from '../../editor/timeText';
import { actionsFor } from '../../model/instances/instanceState';
import type { Account } from '../../store/accounts/accounts';
import { durationText } from '../../util/duration';
import { fireAt, readScheduleTime, type ScheduleAction, type ScheduleTerm } from '../model/schedule';
import {
  canArm,
  cancel,
  diskPrice,
  extend,
  keepFor,
  keepUntil,
  nameOfInstance,
  setSchedule,
} from './changes';
import type { ScheduleDeps, Scheduled } from './deps';
import { arm, check, disarm } from './machineTimers';
import { idleMeaning, scheduleNote } from './scheduleText';

const minuteMs = 60_000;
const timeSpans = [30, 60, 120, 240, 480, 1440];
const idleSpans = [15, 30, 60, 120];
const keptSpans = [120, 240, 480, 1440, 4320, 10_080];

/** The menu of an instance's schedule: set, change, arm or cancel it by keyboard. */
export class ScheduleMenu {
  private readonly picker = new QuickInput();
  private readonly instanceId: number;
  private readonly asked: () => Account;

  constructor(
    private readonly deps: ScheduleDeps,
    { instanceId, account }: Pick<Scheduled, 'instanceId' | 'account'>,
  ) {
    this.instanceId = instanceId;
    this.asked = account;
  }

  async show(): Promise<void> {
    await this.picker.open({
      title: t('Stop or Destroy {0} Later', nameOfInstance(this.deps, this.instanceId)),
      placeholder: t('Done by {0}', needsEditor()),
      rows: () => [...this.presentRows(), ...this.newRows()],
      // The first row is only information, so another one is active.
      activeId: () => (this.deps.schedules.find(this.instanceId) ? 'extend' : 'stop'),
    });
  }

  /** Asks until when it is kept, which ends in no way before. */
  async showKeep(): Promise<void> {
    const rowOf = (ms: number): LevelRow => this.timeRow(ms, () => keepFor(this.deps, this.instanceId, ms));
    await this.picker.open({
      title: t('{0}: {1}', keepUntil().replace(/…$/, ''), nameOfInstance(this.deps, this.instanceId)),
      placeholder: typedTimes(),
      followsTyping: true,
      rows: (typed) => [
        ...this.typedRows(typed, keptSpans, rowOf),
        ...(typed === '' ? [this.cancelRow()] : []),
      ],
    });
  }

  /** Closes the list, then acts for the account that the list was of. */
  private then(run: () => Promise<void>): () => void {
    const act = async () => {
      this.asked();
      await run();
    };
    return () => {
      this.picker.close();
      act().catch((error: unknown) => {
        this.deps.report.error(error);
      });
    };
  }

  private presentRows(): readonly LevelRow[] {
    const { deps, instanceId } = this;
    const row = deps.schedules.find(instanceId);
    if (!row) {
      return [];
    }
    const { schedule, state } = row;
    const now = deps.clock.now();
    const scheduled = { instanceId, name: nameOfInstance(deps, instanceId), account: this.asked };
    const at = fireAt(schedule, state);
    const note = scheduleNote(row, now, deps.fleet.facts(instanceId));
    const [, carriedOut] = note.lines();
    return [
      {
        icon: 'clock',
        label: t('Set: {0}', note.row),
        description: at === undefined || at < now ? '' : t('in {0}', localize(durationText(at - now))),
        detail: carriedOut ? `${carriedOut[0]}: ${carriedOut[1]}` : '',
      },
      ...(schedule.isOnlyOnInstance === true
        ? []
        : [
            {
              id: 'extend',
              icon: 'add',
              label: schedule.term.kind === 'at' ? t('Extend by 1 Hour') : t('Start Counting Again'),
              run: this.then(() => extend(deps, instanceId)),
            },
          ]),
      ...(schedule.armed
        ? [
            {
              id: 'check',
              icon: 'shield',
              label: t('Check the Timer on the Instance'),
              run: this.then(() => check(deps, scheduled)),
            },
            {
              id: 'disarm',
              icon: 'circle-slash',
              label: t('End the Timer on the Instance'),
              detail: t('After that, only an open editor can act.'),
              run: this.then(async () => {
                await disarm(deps, scheduled);
              }),
            },
          ]
        : canArm(deps, schedule)
          ? [
              {
                id: 'arm',
                icon: 'shield',
                label: t('Let the Instance Do It…'),
                detail: t(
                  "A small timer on the instance acts with the instance's own restricted key, so no editor needs to be open.",
                ),
                run: this.then(() => arm(deps, scheduled)),
              },
            ]
          : []),
      this.cancelRow(),
      { label: t('Instead'), kind: vscode.QuickPickItemKind.Separator },
    ];
  }

  private cancelRow(): LevelRow {
    return {
      id: 'cancel',
      icon: 'close',
      label: t('Cancel, and Keep It'),
      run: this.then(() => cancel(this.deps, this.instanceId)),
    };
  }

  private timeRow(ms: number, run: () => Promise<void>): LevelRow {
    const now = this.deps.clock.now();
    return {
      id: String(ms),
      label: t('In {0}', localize(durationText(ms))),
      description: momentText(now + ms, now),
      run: this.then(run),
    };
  }

  private newRows(): readonly LevelRow[] {
    const { fleet, clock } = this.deps;
    const instance = fleet.find(this.instanceId);
    const canStop =
      instance !== undefined && actionsFor(instance, fleet.facts(instance.id), clock.now()).canStop;
    const kept = t('Storage is kept and still costs {0}.', diskPrice(this.deps, this.instanceId));
    const lost = t('All data on it is lost.');
    const row = (id: string, icon: string, label: string, detail: string, next: Level): LevelRow => ({
      id,
      icon,
      label,
      detail,
      run: () => this.picker.push(next),
    });
    return [
      ...(canStop
        ? [
            row('stop', 'stop-circle', t('Stop After a Time…'), kept, this.times('stop')),
            row('stopIdle', 'stop-circle', t('Stop When Idle…'), kept, this.idle('stop')),
          ]
        : []),
      row('destroy', 'trash', t('Destroy After a Time…'), lost, this.times('destroy')),
      row('destroyIdle', 'trash', t('Destroy When Idle…'), lost, this.idle('destroy')),
    ];
  }

  private times(action: ScheduleAction): Level {
    const rowOf = (ms: number): LevelRow =>
      this.timeRow(ms, () =>
        setSchedule(this.deps, this.instanceId, action, { kind: 'at', at: this.deps.clock.now() + ms }),
      );
    return {
      title: action === 'stop' ? t('Stop When?') : t('Destroy When?'),
      placeholder: typedTimes(),
      followsTyping: true,
      rows: (typed) => this.typedRows(typed, timeSpans, rowOf),
    };
  }

  private idle(action: ScheduleAction): Level {
    const rowOf = (ms: number): LevelRow => ({
      id: String(ms),
      label: t('Idle for {0}', localize(durationText(ms))),
      run: this.set(action, () => ({ kind: 'idle', minutes: Math.round(ms / minuteMs) })),
    });
    return {
      title: action === 'stop' ? t('Stop When Idle for How Long?') : t('Destroy When Idle for How Long?'),
      placeholder: t('Type a time, such as 45m or 2h, or pick one'),
      followsTyping: true,
      rows: (typed) => [
        ...this.typedRows(typed, idleSpans, rowOf),
        { label: '', kind: vscode.QuickPickItemKind.Separator },
        {
          icon: 'info',
          label: t('What counts as idle'),
          detail: idleMeaning(),
          alwaysShow: true,
        },
      ],
    };
  }

  private typedRows(
    typed: string,
    spans: readonly number[],
    rowOf: (ms: number) => LevelRow,
  ): readonly LevelRow[] {
    if (typed.trim() === '') {
      return spans.map((minutes) => rowOf(minutes * minuteMs));
    }
    const ms = readScheduleTime(typed, new Date(this.deps.clock.now()));
    const row = ms === undefined ? { icon: 'warning', label: notATime() } : rowOf(ms);
    return [{ ...row, alwaysShow: true }];
  }

  private set(action: ScheduleAction, term: () => ScheduleTerm): () => void {
    return this.then(() => setSchedule(this.deps, this.instanceId, action, term()));
  }
}

function typedTimes(): string {
  return t('Type a time, such as 90m, 2h, 1h30 or 18:30, or pick one');
}

function notATime(): string {
  return t('Enter a time from 1 minute to 30 days, such as 90m, 2h or 18:30.');
}
