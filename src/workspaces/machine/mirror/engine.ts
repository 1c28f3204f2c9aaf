import { createHash } from 'node:crypto';
import { quoteForShell } from '../../../ssh/commandLine';
import { atMost, runStep, TransferError, type LeftOut } from '../../../ssh/transfer';
import { orCancelled } from '../../../util/cancellation';
import { MutableDisposable, type Disposable } from '../../../util/disposable';
import { Emitter } from '../../../util/emitter';
import { UserError } from '../../../util/errors';
import type { Log } from '../../../util/log';
import { text } from '../../../util/text';
import { hostName } from '../../../util/thisUser';
import type { FolderMirror, MirroredFolder, MirrorStatus } from '../../model/mirror';
import type { MirrorStep } from '../../model/mirrorPlan';
import { bring, overwrite } from './decided';
import { isPlainName, type FarStep } from './farSide';
import { askedBytes, Questions } from './questions';
import { sendSteps } from './sending';
import { MirrorSession, type SessionDeps } from './session';

export interface MirrorDeps extends SessionDeps {
  readonly log: Log;
  /** Returns the alias of the instance once it lets us in. Rejects where it can't be reached. */
  readonly reach: (signal: AbortSignal) => Promise<string>;
}

/** What the editor saw is looked at this long after the last of it (ms). */
const pauseMs = 300;
/** How often what changed while it was sent is sent again before it is left for later. */
const mostRounds = 4;
/** The most bytes of a file that is read to be compared. */
const readBytes = 50_000_000;
/** The most names that are listed as changed on the instance. */
const mostDiffering = 5_000;

/** Keeps one folder on one instance, and what it found in its status. */
export class MirrorEngine implements FolderMirror, Disposable {
  private readonly changed = new Emitter<void>();
  private readonly pause = new MutableDisposable<Disposable>();
  private readonly ending = new AbortController();
  private readonly names = new Set<string>();
  private isAll = false;
  private isPlanned = false;
  private queue: Promise<unknown> = Promise.resolve();
  private place: string | undefined;
  private readonly questions = new Questions();
  private current: MirrorStatus = {
    inStepAt: undefined,
    waiting: 0,
    isWorking: false,
    offlineSince: undefined,
    differing: [],
    leftOut: [],
    question: undefined,
  };

  readonly onDidChange: FolderMirror['onDidChange'] = (listener) => this.changed.event(listener);

  constructor(
    readonly folder: MirroredFolder,
    private readonly deps: MirrorDeps,
  ) {}

  get status(): MirrorStatus {
    return this.current;
  }

  get remote(): string | undefined {
    return this.place;
  }

  touched(names?: readonly string[]): void {
    if (this.ending.signal.aborted) {
      return;
    }
    this.isAll ||= names === undefined;
    names?.forEach((name) => this.names.add(name));
    this.report({ waiting: Math.max(this.current.waiting, this.names.size) });
    this.pause.value = this.deps.clock.schedule(() => {
      this.workUnasked();
    }, pauseMs);
  }

  async settle(signal?: AbortSignal): Promise<MirrorStatus> {
    this.isAll = true;
    this.pause.value = undefined;
    await this.work(signal, (session) => this.bringInStep(session));
    return this.current;
  }

  answer(isAllowed: boolean, question = this.current.question): void {
    if (!question) {
      return;
    }
    this.questions.answer(question, isAllowed);
    this.report({ question: undefined });
    this.touched();
  }

  fetch(names: readonly string[], signal?: AbortSignal): Promise<readonly LeftOut[]> {
    return this.work(signal, async (session) => {
      const compared = await session.compare(names);
      session.note(compared);
      const leftOut = await bring(this.deps, session, compared, names, 'changed');
      await session.save();
      this.isAll = true;
      await this.bringInStep(session);
      return leftOut;
    });
  }

  async keep(names: readonly string[], side: 'here' | 'instance', signal?: AbortSignal): Promise<void> {
    const problem = await this.work(signal, async (session) => {
      const compared = await session.compare(names);
      session.note(compared);
      const leftOut =
        side === 'here'
          ? await overwrite(session, compared, names)
          : await bring(this.deps, session, compared, names, 'both');
      await session.save();
      this.isAll = true;
      await this.bringInStep(session);
      return leftOut[0];
    });
    if (problem) {
      throw new UserError(text('{0} stays as it is: {1}', problem.name, problem.why));
    }
  }

  read(name: string, signal?: AbortSignal): Promise<Uint8Array> {
    return this.work(signal, async ({ at, remote }) => {
      if (remote === undefined || !isPlainName(name)) {
        throw new UserError(text('{0} can’t be read on the instance.', name));
      }
      const pieces: Buffer[] = [];
      const script = `cd ${quoteForShell(remote)} && [ -f ./${quoteForShell(name)} ] && cat ./${quoteForShell(name)}`;
      const result = await runStep(at, at.alias, script, {
        signal: at.signal,
        isLook: true,
        output: async (bytes) => {
          for await (const piece of atMost(bytes, () => readBytes)) {
            pieces.push(piece);
          }
        },
      });
      if (result.code !== 0) {
        throw new UserError(text('{0} can’t be read on the instance.', name));
      }
      return Buffer.concat(pieces);
    });
  }

  dispose(): void {
    this.ending.abort();
    this.pause.dispose();
    this.changed.dispose();
  }

  /** At most one turn waits for all that was touched: where the instance is away, each would wait for its own login. */
  private workUnasked(): void {
    if (this.isPlanned) {
      return;
    }
    this.isPlanned = true;
    void this.queue.then(() => (this.isPlanned = false));
    this.work(undefined, (session) => this.bringInStep(session)).catch((error: unknown) => {
      this.deps.log.warn(`The mirror of instance ${this.folder.instanceId} waits: ${String(error)}`);
    });
  }

  /** Works after what is under way, without another window. Settles at once when it is cancelled. */
  private work<T>(
    signal: AbortSignal | undefined,
    action: (session: MirrorSession) => Promise<T>,
  ): Promise<T> {
    const stop = signal ? AbortSignal.any([signal, this.ending.signal]) : this.ending.signal;
    const run = this.queue.then(async () => {
      stop.throwIfAborted();
      this.report({ isWorking: true });
      try {
        return await this.deps.notes.alone(async () => {
          const alias = await this.reached(() => this.deps.reach(stop));
          const key = createHash('sha256').update(
            `${hostName()}\n${this.folder.accountKey}\n${this.folder.local}`,
          );
          const session = await MirrorSession.open(
            this.deps,
            this.folder,
            alias,
            key.digest('hex').slice(0, 16),
            stop,
          );
          try {
            return await this.reached(() => action(session));
          } finally {
            this.place = session.remote ?? this.place;
            // What was forgotten must not come back; what was being sent is on disk as attempts.
            await (this.ending.signal.aborted ? undefined : session.save());
          }
        });
      } finally {
        this.report({ isWorking: false });
      }
    });
    this.queue = run.catch(() => undefined);
    return orCancelled(run, stop);
  }

  private async reached<T>(action: () => Promise<T>): Promise<T> {
    try {
      const done = await action();
      this.report({ offlineSince: undefined });
      return done;
    } catch (error) {
      if (error instanceof TransferError && !this.ending.signal.aborted) {
        this.report({ offlineSince: this.current.offlineSince ?? this.deps.clock.now() });
      }
      throw error;
    }
  }

  /** Sends what differs until nothing waits but what the user decides. */
  private async bringInStep(session: MirrorSession): Promise<void> {
    const names = [...this.names];
    const isAll = this.isAll;
    this.names.clear();
    this.isAll = false;
    try {
      if (isAll || !(await this.sendKnown(session, names))) {
        for (let round = 0; round < mostRounds; round += 1) {
          if (!(await this.round(session))) {
            break;
          }
        }
      }
      this.report({ problem: undefined });
    } catch (error) {
      this.isAll = true;
      // One that is away is stated by the time since when it is.
      this.report({
        problem: error instanceof UserError && !(error instanceof TransferError) ? error.text : undefined,
      });
      throw error;
    }
  }

  /** Sends known files by one login. Returns false where both sides have to be compared. */
  private async sendKnown(session: MirrorSession, names: readonly string[]): Promise<boolean> {
    if (session.known.size === 0 || names.some((name) => /(?:^|\/)(?:\.git|\.gpurental)ignore$/.test(name))) {
      return false;
    }
    const known = await session.stepsOf(names);
    const isLarge = known?.steps.some(({ name }) => (known.near.files.get(name)?.size ?? 0) > askedBytes);
    if (!known || isLarge === true) {
      return false;
    }
    if (known.steps.length > 0 && (await sendSteps(session, known.steps, known.near, undefined)).length > 0) {
      return false;
    }
    this.report({
      waiting: 0,
      inStepAt: this.current.differing.length === 0 ? this.deps.clock.now() : this.current.inStepAt,
    });
    return true;
  }

  /** Compares and sends once; true where another round is needed. */
  private async round(session: MirrorSession): Promise<boolean> {
    const compared = await session.compare();
    const { near, far, plan } = compared;
    session.note(compared);
    this.place = session.remote;
    const deletes = await session.lasting(plan.deletes);
    const { open, stay, declined, question, isForgotten } = this.questions.about(session, compared, deletes);
    await session.noteUnread(near, plan.sends);
    const isHeld = ({ name }: MirrorStep) => open.has(name) || stay.has(name) || session.unread.has(name);
    const wanted = [
      ...deletes.filter((step) => !isHeld(step)).map((step): FarStep => ({ ...step, what: 'drop' })),
      ...plan.sends.filter((step) => !isHeld(step)).map((step): FarStep => ({ ...step, what: 'put' })),
    ];
    this.report({
      waiting: wanted.length + plan.later.length + open.size,
      differing: plan.differing.slice(0, mostDiffering),
      leftOut: [...near.leftOut, ...declined],
      question,
    });
    const refused = wanted.length === 0 ? [] : await sendSteps(session, wanted, near, far.freeBytes);
    const undone = refused.filter((name) => !session.unread.has(name));
    const unread = [...session.unread].map(([name, why]) => ({ name, why }));
    const waiting = undone.length + plan.later.length + open.size;
    if (question?.kind !== 'deletes') {
      session.settleFolder(compared);
    }
    await session.save();
    const isDone = waiting === 0 && plan.differing.length === 0;
    this.report({
      leftOut: [...near.leftOut, ...declined, ...unread],
      waiting,
      inStepAt: isDone ? this.deps.clock.now() : this.current.inStepAt,
    });
    return isForgotten || undone.length + plan.later.length > 0 || deletes.length < plan.deletes.length;
  }

  private report(part: Partial<MirrorStatus>): void {
    const before = JSON.stringify(this.current);
    this.current = { ...this.current, ...part };
    if (before !== JSON.stringify(this.current)) {
      this.changed.fire();
    }
  }
}
