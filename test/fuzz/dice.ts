import { seeded } from '../support/seeded';

/** Choices of one run, all from its seed. */
export class Dice {
  private readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  /** A whole number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** `undefined` of an empty list. */
  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.next() * list.length)];
  }

  /** One of several, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, what: T])[]): T {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, what] of choices) {
      left -= weight;
      if (left < 0) {
        return what;
      }
    }
    throw new Error('There is nothing to choose from.');
  }
}
