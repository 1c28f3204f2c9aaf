import type { LeftOut } from '../../../ssh/transfer';
import { text } from '../../../util/text';
import type { MirrorQuestion } from '../../model/mirror';
import { isBulk, type MirrorStep } from '../../model/mirrorPlan';
import type { BothLooks, MirrorSession } from './session';

/** A file of more than this size, and what is more than that in all, is asked about (bytes). */
export const askedBytes = 50_000_000;
const askedInAll = 500_000_000;

const tooLarge = text('too large, by your choice');

export interface Held {
  readonly question: MirrorQuestion | undefined;
  /** Names that wait for the answer. */
  readonly open: ReadonlySet<string>;
  /** Names of which nothing is done, by an answer. */
  readonly stay: ReadonlySet<string>;
  readonly declined: readonly LeftOut[];
  /** Files that were not to be deleted there belong to the instance from now on. */
  readonly isForgotten: boolean;
}

/** What a question needs of the work on a mirror. */
type Asking = Pick<MirrorSession, 'known' | 'large' | 'set' | 'setLarge'>;

/** What is asked before many files are deleted there, or much is sent, and what was answered. */
export class Questions {
  private readonly deletes = new Map<string, boolean>();
  private readonly sizes = new Map<string, boolean>();

  answer({ kind, names }: MirrorQuestion, isAllowed: boolean): void {
    const answers = kind === 'deletes' ? this.deletes : this.sizes;
    names.forEach((name) => answers.set(name, isAllowed));
  }

  about(
    session: Asking,
    compared: Pick<BothLooks, 'isOtherFolder'> & {
      readonly near: Pick<BothLooks['near'], 'files'>;
      readonly plan: Pick<BothLooks['plan'], 'sends'>;
    },
    deletes: readonly MirrorStep[],
  ): Held {
    const kept = deletes.filter(({ name }) => this.deletes.get(name) === false);
    for (const { name } of kept) {
      session.set(name, undefined);
    }
    const unanswered = deletes.filter(({ name }) => !this.deletes.has(name));
    // An answer counts for one time; an allowed delete that was not done yet is asked about again.
    this.deletes.clear();
    const { near, plan, isOtherFolder } = compared;
    const isAsked =
      unanswered.length > 0 &&
      (near.files.size === 0 || isOtherFolder || isBulk(unanswered.length, session.known.size));
    const asked = isAsked ? unanswered.map(({ name }) => name) : [];
    const { open, declined } = this.large(session, plan.sends, near.files);
    const question: MirrorQuestion | undefined = isAsked
      ? { kind: 'deletes', files: asked.length, bytes: 0, names: asked }
      : open.length > 0
        ? {
            kind: 'size',
            files: open.length,
            bytes: open.reduce((sum, { size }) => sum + size, 0),
            names: open.map(({ name }) => name),
          }
        : undefined;
    return {
      question,
      open: new Set([...asked, ...open.map(({ name }) => name)]),
      stay: new Set([...kept.map(({ name }) => name), ...declined]),
      declined: declined.map((name) => ({ name, why: tooLarge })),
      isForgotten: kept.length > 0,
    };
  }

  /**
   * Files over the limit, and the largest of more than the limit in all. What was asked about waits for its answer, also
   * in another window: the rest alone would be below the limit at the next look, and go unasked.
   */
  private large(session: Asking, sends: readonly MirrorStep[], files: BothLooks['near']['files']) {
    const sized = sends.map(({ name }) => ({ name, size: files.get(name)?.size ?? 0 }));
    const answers = new Map([...session.large, ...this.sizes]);
    const unasked = sized.filter(({ name }) => !answers.has(name)).sort((a, b) => b.size - a.size);
    let rest = unasked.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of unasked) {
      if (size > askedBytes || rest > askedInAll) {
        rest -= size;
        answers.set(name, undefined);
      }
    }
    if (this.sizes.size > 0 || answers.size > session.large.size) {
      session.setLarge(answers);
      this.sizes.clear();
    }
    const isAnswer = (answer: boolean | undefined) => (name: string) =>
      answers.has(name) && answers.get(name) === answer;
    const isOpen = isAnswer(undefined);
    const isDeclined = isAnswer(false);
    return {
      open: sized.filter(({ name }) => isOpen(name)).sort((a, b) => b.size - a.size),
      declined: sized.flatMap(({ name }) => (isDeclined(name) ? [name] : [])),
    };
  }
}
