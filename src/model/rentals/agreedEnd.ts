import { durationText } from '../../util/duration';
import { text, type Text } from '../../util/text';

/** When a rental ends by itself, as agreed in its confirmation. 0 means never. */
export interface AgreedEnd {
  /** Minutes without use after which it is stopped. */
  readonly idleMinutes: number;
  /** Days after it was stopped at which it is destroyed, after a question unless it proved that no work is lost. */
  readonly destroyAfterDays: number;
}

/** The end of one machine, which its rental carries. */
export interface CarriedEnd extends AgreedEnd {
  /** When it ends in any case (ms since 1970), as the user agreed with an agent. */
  readonly at?: { readonly time: number; readonly action: 'stop' | 'destroy' };
  /** Seconds after which a machine for a job stops itself if no job began (docs/jobs.md). */
  readonly jobSeconds?: number;
}

export const noEnd: AgreedEnd = { idleMinutes: 0, destroyAfterDays: 0 };

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

/** The longest times that settings and files can state. */
export const longestEnd: AgreedEnd = { idleMinutes: 10_080, destroyAfterDays: 365 };

/** The shortest times that files and templates can state. */
export const leastEnd: AgreedEnd = { idleMinutes: 5, destroyAfterDays: 1 };

/** Returns an end that is never later than `end`: a file of a folder may shorten what the user has set. */
export function shortened(end: AgreedEnd, wish: Partial<AgreedEnd> = {}): AgreedEnd {
  return {
    idleMinutes: earlier(end.idleMinutes, wish.idleMinutes),
    destroyAfterDays: earlier(end.destroyAfterDays, wish.destroyAfterDays),
  };
}

function earlier(most: number, wish = 0): number {
  return wish === 0 ? most : Math.min(wish, most === 0 ? wish : most);
}

export function spanOfEnd(key: keyof AgreedEnd, value: number): Text {
  return durationText(value * (key === 'idleMinutes' ? minuteMs : dayMs));
}

/** `stops after 30 min idle; destroyed 7 d later, asks unless all is saved`. */
export function agreedEndText({ idleMinutes, destroyAfterDays }: AgreedEnd): Text {
  const span = spanOfEnd('idleMinutes', idleMinutes);
  const days = spanOfEnd('destroyAfterDays', destroyAfterDays);
  if (destroyAfterDays === 0) {
    return idleMinutes === 0 ? neverEnds : text('stops after {0} idle', span);
  }
  return idleMinutes === 0
    ? text('never stops by itself; asks to destroy after {0} stopped', days)
    : text('stops after {0} idle; destroyed {1} later, asks unless all is saved', span, days);
}

export const neverEnds = text('never stops by itself');
