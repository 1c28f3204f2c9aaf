import type { MarketQuery } from '../offers/marketQuery';
import type { Offer } from '../offers/offer';
import { shortened, type AgreedEnd } from './agreedEnd';
import type { VolumeChoice } from './rent';
import type { CompleteDraft } from './rentDraft';
import type { RentStep } from './rentFacts';
import { wishOfTemplate, type RentChoices } from './rentPlan';

/**
 * The steps from an offer to the confirmation. Every step has a default, so each can be skipped. Back returns to the
 * step shown before; a step that was opened from the confirmation returns to it.
 */
export class RentFlow {
  private readonly path: RentStep[];
  private current: CompleteDraft;
  /** What a template shortens. */
  private usualEnd: AgreedEnd | undefined;

  /** A source that is already chosen is not asked for again. A volume on another machine is left out. */
  constructor(
    start: CompleteDraft,
    private readonly isSourceGiven = false,
  ) {
    this.current = start;
    this.usualEnd = start.choices.end;
    const { offer, choices } = start;
    this.set({ source: choices.source });
    if (isElsewhere(choices.volume, offer)) {
      this.unset('volume', 'volumePerGbMonth');
    }
    this.path = [this.steps[0] ?? 'confirm'];
  }

  /** The draft as it would be sent now. */
  get draft(): CompleteDraft {
    return this.current;
  }
  get offer(): Offer {
    return this.current.offer;
  }
  get choices(): RentChoices {
    return this.current.choices;
  }
  get query(): MarketQuery {
    return this.current.query;
  }

  /** The steps in order, the confirmation last; `options` is opened only from there. */
  get steps(): readonly RentStep[] {
    return [
      ...(this.isSourceGiven ? [] : ['source' as const]),
      'disk',
      'label',
      'runtype',
      ...(this.query.rentalType === 'interruptible' ? ['bid' as const] : []),
      'confirm',
    ];
  }

  get step(): RentStep {
    return this.path[this.path.length - 1] ?? 'confirm';
  }

  /** The position of the step for the title, counted from 1. */
  get position(): number {
    const index = this.steps.indexOf(this.step);
    return index < 0 ? this.steps.length : index + 1;
  }

  /** Stores the answers of the step and continues; without answers, the step keeps its default. */
  next(answers: Partial<RentChoices> = {}): void {
    this.set(answers);
    const before = this.path[this.path.length - 2];
    if (before === 'confirm') {
      this.path.pop();
      return;
    }
    const following = this.steps[this.steps.indexOf(this.step) + 1];
    if (following !== undefined) {
      this.path.push(following);
    }
  }

  /** Changes answers without leaving the step. */
  set(answers: Partial<RentChoices>): void {
    const { source, end } = answers;
    this.usualEnd = end ?? this.usualEnd;
    const shorter =
      source && this.usualEnd && end === undefined
        ? { end: shortened(this.usualEnd, wishOfTemplate({ source })) }
        : {};
    this.current = { ...this.current, choices: { ...this.choices, ...answers, ...shorter } };
  }

  /** Removes answers, so that the default or the template applies. */
  unset(...keys: readonly Exclude<keyof RentChoices, 'source'>[]): void {
    const kept = Object.entries(this.choices).filter(([key]) => !(keys as readonly string[]).includes(key));
    const choices = { source: this.choices.source, ...Object.fromEntries(kept) };
    this.current = { ...this.current, choices };
  }

  /** Continues to the confirmation; all skipped steps keep their defaults. */
  toConfirmation(): void {
    if (this.step !== 'confirm') {
      const opened = this.path.indexOf('confirm');
      if (opened >= 0) {
        this.path.length = opened + 1;
      } else {
        this.path.push('confirm');
      }
    }
  }

  /** Opens a step from the confirmation. */
  open(step: RentStep): void {
    if (step !== this.step) {
      this.path.push(step);
    }
  }

  /** Returns false at the first step, where Back leads to the offers. */
  back(): boolean {
    if (this.path.length === 1) {
      return false;
    }
    this.path.pop();
    return true;
  }

  /** Replaces an offer that is gone. The answers stay, except the volume, which belongs to its machine. */
  replaceOffer(offer: Offer): void {
    const { id, machineId } = this.offer;
    const isSameMachine = offer.id === id || (machineId !== undefined && offer.machineId === machineId);
    this.current = { ...this.current, offer };
    if (!isSameMachine) {
      this.unset('volume', 'volumePerGbMonth');
    }
  }
}

/** Returns whether a volume is known to be on another machine than an offer. */
function isElsewhere(volume: VolumeChoice | undefined, { machineId }: Offer): boolean {
  return volume?.machineId !== undefined && machineId !== undefined && volume.machineId !== machineId;
}
