/** What the service does at a time by its own timetable (docs/service/timetable.md#entry). Times are Unix seconds. */
export interface TimetableOrder {
  readonly instanceId: number;
  readonly endpoint: string;
  readonly method: string;
  readonly body: unknown;
  readonly startTime: number;
  readonly endTime: number;
  readonly frequency: string;
  /** 0 is Sunday, UTC. */
  readonly day: number;
  /** UTC. */
  readonly hour: number;
}

/** An order as the service keeps it; what it does not state is absent. */
export interface TimetableEntry extends Partial<TimetableOrder> {
  readonly id: number;
  readonly minute?: number;
  readonly status?: string;
  /** When it last ran; 0 or absent before. */
  readonly lastRun?: number;
}
