import { showInstances } from '../../../editor/chooseInstance';
import { runCommand, titledAction } from '../../../editor/commands';
import { confirm, type Question } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { nameAmong } from '../../../model/instances/instanceLabel';
import { perHour, runningRateOf } from '../../../model/quote';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { answerWithinMs, isPending } from '../../model/gate';
import { isForRental, type AgentRequest } from '../../model/request';
import type { Services } from '../../services';
import { doAgreed } from '../../store/doAgreed';
import { draftOf, samePlan } from '../../store/plannedJob';
import { textForModel } from '../../store/textForModel';
import { jobChangeQuestion, jobQuestion } from './jobQuestion';
import {
  failureText,
  limitsQuestion,
  limitsText,
  reopenQuestion,
  requestQuestion,
  type Asked,
} from './requestText';

export type AskDeps = Pick<
  Services,
  | 'accounts'
  | 'agentDesk'
  | 'agentJobs'
  | 'agentLimits'
  | 'agentTools'
  | 'clock'
  | 'commands'
  | 'fleet'
  | 'hub'
  | 'schedules'
  | 'log'
  | 'oneWindow'
  | 'openFolders'
  | 'rentals'
  | 'report'
  | 'settings'
  | 'storageDir'
  | 'chat'
>;

/** A key press meant for the editor may hit the button of a dialog that has just opened (ms). */
const tooSoonMs = 500;

/** Asks the user about requests of agents, one at a time, and carries out what was approved. */
export class AskUser implements Disposable {
  private readonly owned = new DisposableStore();
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly deps: AskDeps) {
    const desk = deps.agentDesk();
    this.owned.add(desk.onDidChange(() => this.askNext()));
    this.askNext();
  }

  /** Asks about raised limits in one window, once; without an answer they are not in force. */
  async confirmLimits(): Promise<void> {
    const { agentLimits, oneWindow, clock } = this.deps;
    const { set, isRaised, isDeclined, revision } = await agentLimits.read();
    if (!isRaised || isDeclined) {
      return;
    }
    // Asked once per change: the same settings may be raised again later.
    const key = `agents.limits.${JSON.stringify(set)}.${revision}.${Math.floor(clock.now() / answerWithinMs)}`;
    oneWindow.offer(key, () =>
      this.enqueue(async () => {
        if (!(await agentLimits.read()).isDeclined) {
          await this.askLimits();
        }
      }),
    );
  }

  /** Asks again about declined limits, and about spending after its record became unreadable. */
  async reviewLimits(): Promise<void> {
    const { agentDesk, agentLimits } = this.deps;
    const { inForce, isRaised } = await agentLimits.read();
    const isClosed = await agentDesk().isClosed();
    if (!isRaised && !isClosed) {
      message('info', limitsText(inForce));
      return;
    }
    await this.enqueue(async () => {
      if (isClosed && (await this.isYes(reopenQuestion()))) {
        await agentDesk().reopen();
      }
      await this.askLimits();
    });
  }

  /** Asks here about the oldest request: its dialog may be in another window, or a reload may have closed it. */
  async openRequest(): Promise<void> {
    const { requests, accountKey } = this.deps.agentDesk();
    const waiting = requests.find((one) => this.isWaiting(one));
    if (waiting && accountKey !== undefined) {
      await this.enqueue(() => this.ask(waiting.id, accountKey));
    } else {
      message('info', t('No agent request is waiting for you.'));
    }
  }

  private async askLimits(): Promise<void> {
    const { agentLimits } = this.deps;
    const { set, isRaised } = await agentLimits.read();
    if (isRaised) {
      const isYes = await this.isYes(limitsQuestion(set));
      await (isYes ? agentLimits.confirm(set) : agentLimits.decline(set));
    }
  }

  dispose(): void {
    this.owned.dispose();
  }

  private askNext(): void {
    const desk = this.deps.agentDesk();
    const { accountKey } = desk;
    for (const request of desk.requests) {
      if (accountKey !== undefined && this.isWaiting(request)) {
        // The claim outlives the window: a question that a reload closed is over and never asked again silently.
        this.deps.oneWindow.offer(
          `agents.ask.${request.id}`,
          () => this.enqueue(() => this.ask(request.id, accountKey)),
          { isStillSo: () => this.isWaiting(request) },
        );
      }
    }
  }

  private isWaiting(request: AgentRequest): boolean {
    return isPending(request, this.deps.clock.now());
  }

  private enqueue(action: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(action).catch((error: unknown) => {
      this.deps.report.error(error);
    });
    return this.queue;
  }

  private async ask(id: string, accountKey: string): Promise<void> {
    const { agentDesk, accounts } = this.deps;
    const desk = agentDesk();
    const request = (await desk.read()).requests.find((one) => one.id === id);
    const { active } = accounts;
    if (!request || !this.isWaiting(request) || active?.key !== accountKey) {
      return;
    }
    const loss = await this.lossOf(request);
    const asked = {
      request,
      account: active.name,
      instance: this.nameOf(request),
      ...(loss === undefined ? {} : { loss }),
      now: this.deps.clock.now(),
    };
    const question = await this.questionOf(asked, accountKey);
    const isPossible = question !== undefined && (await canLogIn(request));
    if (isPossible && !this.isWaiting(request)) {
      message('info', t('The request has expired or a limit is reached, so nothing was done.'));
      return;
    }
    // The dialog is last: a program may have picked an item of an earlier list.
    const yes = isPossible && (await this.isYes(question));
    if (accounts.active?.key !== accountKey) {
      message(
        'info',
        t('Nothing was done because the account was switched. Check the active account and try again.'),
      );
      return;
    }
    const answered = await desk.answer(id, yes);
    if (yes && (answered === undefined || answered.state === 'overLimit')) {
      message('warning', t('The request has expired or a limit is reached, so nothing was done.'));
    } else if (yes && answered) {
      // The next question does not wait for this action.
      void this.carryOut(answered, accountKey);
    }
  }

  private async questionOf(asked: Asked, accountKey: string): Promise<Question | undefined> {
    const { request } = asked;
    const { job, jobId, instanceId } = request;
    if (job) {
      return this.questionOfJob(asked, accountKey);
    }
    if (request.tool !== 'stop_job' && request.tool !== 'extend_job') {
      return requestQuestion(asked);
    }
    const { agentJobs, schedules } = this.deps;
    await agentJobs.jobs.ready;
    const row = jobId === undefined ? undefined : agentJobs.jobs.find(jobId);
    const term = instanceId === undefined ? undefined : schedules.find(instanceId)?.schedule.term;
    return jobChangeQuestion(asked, row?.job, term?.kind === 'at' ? term.at : undefined);
  }

  /** Reads the job again; one that is not what the agent planned is refused without a question. */
  private async questionOfJob(asked: Asked, accountKey: string): Promise<Question | undefined> {
    const { request } = asked;
    const { quote, instanceId } = request;
    const desk = this.deps.agentDesk();
    try {
      const planned = await samePlan(this.deps, request, accountKey);
      const instance = instanceId === undefined ? undefined : this.deps.fleet.find(instanceId);
      const price = instance && runningRateOf(instance);
      const dollars = quote?.perHour ?? (price && perHour(price));
      const draft = await draftOf(
        this.deps,
        planned,
        quote ? 'offer' : { image: instance?.image },
        request.at,
      );
      return dollars === undefined ? undefined : jobQuestion(asked, { draft, perHour: dollars });
    } catch (error) {
      this.deps.log.warn(`A job of an agent could not be asked about: ${String(error)}`);
      const state = quote ? 'notRented' : 'failed';
      await desk.move(request.id, ['pending'], { state, problem: textForModel(error) }, accountKey);
      return undefined;
    }
  }

  /** Shows a failed request: the agent may be gone, and the user would rely on what was approved. */
  private async carryOut(request: AgentRequest, accountKey: string): Promise<void> {
    const desk = this.deps.agentDesk();
    const name = this.nameOf(request) ?? '';
    await doAgreed({ ...this.deps, desk }, request, accountKey);
    try {
      const done = await desk.find(request.id, accountKey);
      const failure = done && failureText(done, name);
      if (failure !== undefined) {
        message('warning', failure, showInstances(), titledAction('gpuRental.showLog'));
      }
    } catch (error) {
      this.deps.report.error(error);
    }
  }

  /** Names the instance so that the user can't confuse it with another one. */
  private nameOf({ instanceId }: AgentRequest): string | undefined {
    if (instanceId === undefined) {
      return undefined;
    }
    const { fleet } = this.deps;
    const instance = fleet.find(instanceId);
    const all = fleet.state.kind === 'ready' ? fleet.state.value.instances : [];
    return instance ? nameAmong(instance, all) : `#${instanceId}`;
  }

  /** Describes the loss like the user's own question: unsaved work, jobs, and remaining costs. */
  private async lossOf({ tool, instanceId }: AgentRequest): Promise<string | undefined> {
    return tool === 'destroy_instance' && instanceId !== undefined
      ? runCommand('gpuRental.instance.lossByDestroy', { instanceId })
      : undefined;
  }

  private async isYes(question: Question): Promise<boolean> {
    const { clock } = this.deps;
    for (;;) {
      const shownAt = clock.elapsed();
      const yes = await confirm(question);
      if (!yes || clock.elapsed() - shownAt >= tooSoonMs) {
        return yes;
      }
    }
  }
}

/** Returns false if the user cancelled the question for a key, which precedes every rental. */
async function canLogIn(request: AgentRequest): Promise<boolean> {
  // The user does not wait for this check, and its progress would show beneath the question.
  return !isForRental(request) || (await runCommand('gpuRental.ensureSshKey', { isQuiet: true })) === true;
}
