import { text, type Text } from '../../util/text';

/** An account when another one becomes active. */
export interface PreviousAccount {
  readonly isDemo: boolean;
  readonly name: string;
  /** `undefined` if they could not be listed. */
  readonly instances: number | undefined;
  /** True if a rental has no answer yet. */
  readonly hasOpenRental: boolean;
}

/** Returns what is no longer watched after a switch; `undefined` if nothing there costs money, as in the demo. */
export function unwatchedText({ isDemo, name, instances, hasOpenRental }: PreviousAccount): Text | undefined {
  if (isDemo || (instances === 0 && !hasOpenRental)) {
    return undefined;
  }
  return instances === undefined || hasOpenRental
    ? text(
        'Instances of {0} may cost money. Until you switch back, their schedules are carried out and they are checked once a day, but their budget, prices, starts and jobs are not watched.',
        name,
      )
    : text(
        'Instances of {0} still cost money: {1}. Until you switch back, their schedules are carried out and they are checked once a day, but their budget, prices, starts and jobs are not watched.',
        name,
        instances,
      );
}
