import { text, type Text } from '../../util/text';
import type { Misfit } from '../fit/rentalFit';
import type { Offer, RentalType } from '../offers/offer';
import { spanOfHours } from '../quote';
import { findReference } from '../templates/templateReference';
import type { RentStep } from './rentFacts';
import { effectiveRuntype, lacksShell, mergedEnv, type RentChoices } from './rentPlan';

export interface RentWarning {
  readonly id:
    | Misfit['id']
    | 'noShell'
    | 'reference'
    | 'credit'
    | 'limit'
    | 'budget'
    | 'limitUnknown'
    | 'priceUnknown'
    | 'volumeUnknown'
    | 'stoppedUnknown'
    | 'unverified'
    | 'endsSoon'
    | 'bid'
    | 'vmKey'
    | 'waits';
  readonly text: Text;
  /** The step that can change it. */
  readonly step?: RentStep;
}

interface Rented {
  readonly offer: Offer;
  readonly choices: RentChoices;
  readonly rentalType: RentalType;
}

/** Returns what does not fit, or can't work, in the choices. */
export function fitWarnings({ choices }: Rented, misfits: readonly Misfit[]): readonly RentWarning[] {
  const found: RentWarning[] = [];
  if (lacksShell(effectiveRuntype(choices))) {
    found.push({
      id: 'noShell',
      text: text("This run type has neither SSH nor Jupyter, so you can't connect to the machine."),
      step: 'runtype',
    });
  }
  found.push(...misfits);
  // A template that the product saved has the values; another client may have saved a document as it is.
  const unfilled = mergedEnv(choices).filter(({ value }) => findReference(value) !== undefined);
  if (unfilled.length > 0) {
    found.push({
      id: 'reference',
      text: text(
        'The template holds a reference instead of the value of a secret: {0}. Set the value under "More Options…" or in the template.',
        unfilled.map(({ name }) => name).join(', '),
      ),
      step: 'options',
    });
  }
  if (choices.vm === true) {
    found.push({
      id: 'vmKey',
      text: text("A virtual machine gets its SSH keys when it is created. You can't add any later."),
    });
  }
  return found;
}

/** Returns what the user should know of the machine and of the way it is rented. */
export function machineWarnings({ offer, choices, rentalType }: Rented): readonly RentWarning[] {
  const found: RentWarning[] = [];
  if (rentalType === 'interruptible') {
    found.push({
      id: 'bid',
      text: text(
        'Interruptible: the instance stops when another user bids more or rents the machine on demand.',
      ),
      step: 'bid',
    });
  }
  if (offer.verified === false) {
    found.push({ id: 'unverified', text: text('The service has not verified this machine.') });
  }
  if (offer.durationSeconds !== undefined && offer.durationSeconds < 86_400) {
    found.push({
      id: 'endsSoon',
      text: text('The host offers this machine for only {0}.', spanOfHours(offer.durationSeconds / 3600)),
    });
  }
  if (choices.cancelUnavailable === false) {
    found.push({
      id: 'waits',
      text: text(
        'If another user takes the machine first, your rental waits stopped, and storage costs money.',
      ),
      step: 'options',
    });
  }
  return found;
}
