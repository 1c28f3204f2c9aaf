import type { EarningsQuery, EarningsReport } from '../../../api/records/earnings';
import type { Machine } from '../../../api/records/machine';
import { localize, t } from '../../../editor/localize';
import { DayRange } from './days';
import { dayName, earningsView, hasEarnedNothing } from './earningsView';
import { withDollarNames } from './exports';
import { reportNotice } from './notice';
import type { ReportSource } from './reportController';

const moneyFields = ['gpu', 'storage', 'upload', 'download', 'balance', 'serviceFee', 'total', 'credit'];

/** Reads one report. It is a parameter so that the filters here can be tested without the service. */
export type ReadEarnings = (query: EarningsQuery, signal: AbortSignal) => Promise<EarningsReport>;

/** What the user's machines earned, by day and by machine. */
export class EarningsSource implements ReportSource<EarningsReport> {
  readonly id = 'earnings';
  readonly title = t('Earnings');
  private readonly range: DayRange;
  private machineId: number | undefined;
  private showPerson = false;
  private machines: readonly number[] = [];
  private hosted: readonly Machine[] = [];

  constructor(
    private readonly readEarnings: ReadEarnings,
    now: () => number,
    /** Returns the machines, empty where they can't be read: they only add columns. */
    private readonly readMachines: (signal: AbortSignal) => Promise<readonly Machine[]> = () =>
      Promise.resolve([]),
  ) {
    this.range = new DayRange(now);
  }

  subtitle(): string {
    return t(
      'What your machines earned from {0} to {1}. Days are in UTC, money in US dollars.',
      dayName(this.range.start),
      dayName(this.range.end),
    );
  }

  filters() {
    return [
      ...rangeFilters(this.range),
      {
        id: 'machine',
        label: t('Machine'),
        value: this.machineId === undefined ? '' : String(this.machineId),
        options: [
          { value: '', label: t('All') },
          ...this.machines.map((id) => ({ value: String(id), label: `#${id}` })),
        ],
      },
    ];
  }

  setFilter(id: string, value: string): boolean {
    if (id === 'machine') {
      this.machineId = value === '' ? undefined : Number(value);
      return true;
    }
    return this.range.set(id, value);
  }

  buttons() {
    return [
      {
        id: 'person',
        label: this.showPerson ? t('Hide Name and Address') : t('Show Name and Address'),
      },
    ];
  }

  press(id: string): void {
    if (id === 'person') {
      this.showPerson = !this.showPerson;
    }
  }

  async read(signal: AbortSignal): Promise<EarningsReport> {
    const machine = this.machineId === undefined ? {} : { machineId: this.machineId };
    const hosted = this.readMachines(signal);
    const report = await this.range.read(
      ({ start, end }) => this.readEarnings({ startDay: start, endDay: end, ...machine }, signal),
      signal,
    );
    this.hosted = await hosted;
    this.machines = [...new Set([...this.machines, ...report.perMachine.map((row) => row.machineId)])].sort(
      (a, b) => a - b,
    );
    return report;
  }

  draw(report: EarningsReport) {
    return {
      ...earningsView(report, localize, this.showPerson, this.hosted),
      notices: [
        ...(hasEarnedNothing(report) ? [reportNotice('info', t('Nothing in this period.'))] : []),
        ...(report.skipped > 0
          ? [
              reportNotice(
                'warning',
                t('Could not be read and are left out: {0}. The log names the field.', report.skipped),
              ),
            ]
          : []),
      ],
    };
  }

  json(report: EarningsReport): unknown {
    const { person, ...figures } = report;
    const inDollars = withDollarNames(figures, moneyFields);
    return this.showPerson ? { ...inDollars, person } : inDollars;
  }
}

/** Returns the filters for a range of days: the presets and the first and last day. */
export function rangeFilters(range: DayRange) {
  return [
    {
      id: 'preset',
      label: t('Time'),
      value: range.preset,
      options: [
        ...[7, 30, 90, 366].map((days) => ({
          value: String(days),
          label: t('Last {0} days', days),
        })),
        { value: 'dates', label: t('By dates') },
      ],
    },
    { id: 'start', label: t('From'), value: dayName(range.start), isDate: true as const },
    { id: 'end', label: t('To'), value: dayName(range.end), isDate: true as const },
  ];
}
