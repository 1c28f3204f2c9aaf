import { AssertionError } from 'node:assert';
import type { ShownMessage } from '../support/fakeEditor/messages';
import type { Computer } from '../support/feature/computer';
import { confirmRental, rentalsOf, searchAndReview } from '../support/feature/rentDriver';
import type { FeatureWindow } from '../support/feature/window';
import type { Dice } from './dice';
import { idIn, type Judge } from './judge';

const minute = 60_000;
/** As long as a user looks for a row or a step that does not come. */
const patienceMs = minute;

/** What a user does; each begins where the one before was given up. */
export type Action = 'rent' | 'destroy' | 'power' | 'schedule' | 'answer' | 'refresh';

/**
 * A user who does one thing after the other and gives up where it does not go on, because the service is in trouble.
 * What is confirmed is entered in the books before it is pressed.
 */
export class User {
  private readonly actions: readonly (readonly [weight: number, action: Action])[] = [
    [3, 'rent'],
    [2, 'destroy'],
    [2, 'power'],
    [3, 'schedule'],
    [5, 'answer'],
    [1, 'refresh'],
  ];

  constructor(
    private readonly computer: Computer,
    private readonly dice: Dice,
    private readonly judge: Judge,
  ) {
    computer.patienceMs = patienceMs;
  }

  /** One thing, begun; what it leads to goes on while the next begins. */
  async act(window: FeatureWindow, action: Action = this.dice.weighted(this.actions)): Promise<string> {
    let outcome: string = action;
    try {
      await this[action](window);
    } catch (error) {
      if (!isGivenUp(error)) {
        throw error;
      }
      outcome += `, given up: ${String(error).split('\n')[0] ?? ''}`;
    }
    this.leave(window);
    return outcome;
  }

  /** Answers what is asked with No, and closes what is open. */
  leave(window: FeatureWindow): void {
    window.quick.escape();
    for (const one of [...window.screen.messages.shown]) {
      if (one.modal) {
        one.close();
      }
    }
  }

  private async rent(window: FeatureWindow): Promise<void> {
    await searchAndReview(window, '1x 3090', /1× RTX 3090/);
    await window.quick.title('Rent: Confirm');
    this.judge.rentalsAllowed += 1;
    const before = rentalsOf(this.computer).length;
    await confirmRental(window);
    await this.computer.until('the request', () => rentalsOf(this.computer).length > before, {
      withinMs: 5000,
    });
  }

  private async destroy(window: FeatureWindow): Promise<void> {
    const id = this.anyInstance();
    if (id === undefined) {
      return;
    }
    await window.view('instances').menu(rowOf(id), 'Destroy…');
    this.press(await window.dialog(rowOf(id)), this.dice.pick(['Destroy', 'Cancel']));
  }

  private async power(window: FeatureWindow): Promise<void> {
    const id = this.anyInstance();
    if (id === undefined) {
      return;
    }
    const verb = this.dice.pick(['Stop', 'Start']) ?? 'Stop';
    await window.view('instances').menu(rowOf(id), `${verb}…`);
    this.press(await window.dialog(rowOf(id)), verb);
    // The user's own word about the machine stands above an older one.
    this.judge.schedules.delete(id);
  }

  private async schedule(window: FeatureWindow): Promise<void> {
    const id = this.anyInstance();
    if (id === undefined) {
      return;
    }
    await window.view('instances').menu(rowOf(id), 'End Later…');
    await window.quick.title(/^Stop or Destroy .* Later$/);
    // From here on the old word may be gone, whatever comes of the new one.
    this.judge.schedules.delete(id);
    this.judge.ownEnds.add(id);
    if (window.quick.rows().some((row) => row.includes('Cancel, and Keep It')) && this.dice.chance(0.4)) {
      await window.quick.pick(/Cancel, and Keep It/);
      return;
    }
    const isStop = this.dice.chance(0.6);
    const minutes = this.dice.pick([1, 4, 30]) ?? 1;
    await window.quick.pick(isStop ? /Stop After a Time/ : /Destroy After a Time/);
    await window.quick.type(`${minutes}m`, { enter: false });
    await window.quick.pick(`In ${minutes} min`);
    const dueAt = this.computer.clock.now() + minutes * minute;
    if (!isStop) {
      this.press(await window.dialog(rowOf(id)), 'Destroy Later');
    }
    const toast = await window.toast(new RegExp(`#${id} will be (stopped|destroyed)`));
    this.judge.scheduled(toast.text, dueAt);
  }

  /** Presses a button of a message, and sometimes agrees to the question that follows. */
  private async answer(window: FeatureWindow): Promise<void> {
    const message = this.dice.pick(window.screen.messages.shown.filter(({ buttons }) => buttons.length > 0));
    if (!message) {
      return;
    }
    this.press(message, this.dice.pick(message.buttons));
    await this.computer.pass(1000);
    const question = window.screen.messages.shown.find(({ modal }) => modal);
    if (question && this.dice.chance(0.7)) {
      this.press(question, question.buttons[1] ?? question.buttons[0]);
    }
    await this.computer.rest();
  }

  private async refresh(window: FeatureWindow): Promise<void> {
    window.run('Refresh');
    await this.computer.rest();
  }

  private anyInstance(): number | undefined {
    return this.dice.pick(this.computer.simulator.world.instances)?.id;
  }

  private press(message: ShownMessage, button: string | undefined): void {
    if (button === undefined || !message.buttons.includes(button)) {
      return;
    }
    const id = idIn(`${message.text} ${message.detail ?? ''}`);
    if (/Destroy/.test(button) && id !== undefined) {
      this.judge.mayEnd.add(id);
    }
    if (/Rent|Try Again|Retry/.test(button)) {
      this.judge.rentalsAllowed += 1;
    }
    if (/Extend|Keep|Cancel|Stop|Destroy|Start/.test(button) && id !== undefined) {
      this.judge.schedules.delete(id);
      this.judge.ownEnds.add(id);
    }
    message.press(button);
  }
}

const rowOf = (id: number) => new RegExp(`#${id}\\b`);

/** The driver did not find what it looked for, as happens to a user of a service in trouble. */
function isGivenUp(error: unknown): boolean {
  if (error instanceof AssertionError) {
    return true;
  }
  return (
    error instanceof Error && /^Waited in vain(?!.*it hangs)|does not offer|has no button/.test(error.message)
  );
}
