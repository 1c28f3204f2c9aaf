import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startFaults, writeScene, type EngineFault } from '../../../src/simulator/engine/engineScene';
import type { Computer } from '../../support/feature/computer';
import { jobsOnDisk, type PlayedJob } from '../../support/feature/jobDriver';
import { JobJudge, type JobRows } from '../../support/feature/jobJudge';
import { jobPlaces } from '../../support/feature/jobPlaces';
import type { FeatureWindow } from '../../support/feature/window';
import type { Dice } from '../dice';
import { blowsAt, playLife, type Blow } from '../jobs/scene';

const model = 'Qwen3-8B';
/** A window while the model is ready or gets so. */
const duringUse = 'during use';
const usePlaces = Array.from({ length: 24 }, () => duringUse);

/** Plays a model that a machine is rented for, with clients that ask it and blows. It ends by itself once none asks. */
export function playModel(
  seed: number,
  blowsOf: (dice: Dice) => readonly Blow[],
  trace?: (line: string) => void,
): ReturnType<typeof playLife> {
  // No hub answers.
  process.env['HF_ENDPOINT'] = 'http://127.0.0.1:9';
  const settings = { 'gpuRental.models.idleMinutes': 0.15 };
  return playLife({ seed, blowsOf, trace, settings }, (computer, dice) => {
    const clients = new Clients(computer, dice.between(0, 4));
    const fault: EngineFault | undefined = dice.weighted([
      [6, undefined],
      [1, dice.pick(startFaults.filter((one) => one !== 'silentDownload'))],
      [1, 'ends'],
    ]);
    const machines = path.join(computer.root, 'instances');
    mkdirSync(machines, { recursive: true });
    writeScene(path.join(machines, 'engine.json'), {
      answersTo: clients.answersFile,
      ...(fault && { fault }),
    });
    return {
      judge: new ModelJudge(computer, clients),
      order: (window) => order(computer, window),
      use: () => {
        const isRunning = jobsOnDisk(computer).some((state) => state?.phase === 'running');
        if (isRunning) {
          clients.ask();
        }
        return isRunning ? duringUse : undefined;
      },
      // The machine works in its own time, while that of the product jumps.
      patienceMs: 4 * 3_600_000,
    };
  });
}

/** One to four blows on the way, half of them while it is used. */
export function anyModelBlows(dice: Dice): readonly Blow[] {
  return blowsAt(dice, [...jobPlaces, ...usePlaces]).map((blow) =>
    blow.place === duringUse ? { ...blow, visit: dice.between(1, 60) } : blow,
  );
}

async function order(computer: Computer, window: FeatureWindow): Promise<boolean> {
  const { quick } = window;
  window.run('Serve a Model…');
  await quick.title('Serve a Model');
  await quick.pick(/^Qwen3-8B 16 GB/);
  await quick.title(`Search Offers for ${model}`);
  await quick.pick(/1× RTX 3090/);
  await quick.title(`Rent for ${model}: Confirm`);
  await computer.pass(1000);
  await quick.pick(/ and Serve Qwen3-8B/);
  return computer
    .until('the order', () => !window.isOpen || jobsOnDisk(computer).length > 0, { withinMs: 60_000 })
    .catch(() => false);
}

/** Programs of this computer that ask the model, each with words of its own, and never a second time with the same. */
class Clients {
  readonly answered: string[] = [];
  private isAsking = false;
  private asked = 0;

  constructor(
    private readonly computer: Computer,
    /** So many answers are enough. */
    private readonly wanted: number,
  ) {}

  get answersFile(): string {
    return path.join(this.computer.root, 'answers');
  }

  /** What engines answered, as they noted it. */
  get answers(): readonly string[] {
    const { answersFile } = this;
    const lines = existsSync(answersFile) ? readFileSync(answersFile, 'utf8').split('\n') : [];
    return lines.filter((line) => line.startsWith('request '));
  }

  ask(): void {
    if (!this.isAsking && this.answered.length < this.wanted && this.asked < 200) {
      this.isAsking = true;
      void this.askOnce().finally(() => (this.isAsking = false));
    }
  }

  private async askOnce(): Promise<void> {
    const file = path.join(this.computer.storage, 'models', 'gateway.json');
    const key = await this.computer.secretStorage().get('gpuRental.models.key');
    if (!existsSync(file) || key === undefined) {
      return;
    }
    const { port } = JSON.parse(readFileSync(file, 'utf8')) as { port: number };
    this.asked += 1;
    const words = `request ${this.asked}`;
    const messages = [{ role: 'user', content: words }];
    const text = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, stream: true, max_tokens: 8 }),
      signal: AbortSignal.timeout(20_000),
    }).then(
      (response) => response.text(),
      () => '',
    );
    if (text.includes('[DONE]')) {
      this.answered.push(words);
    }
  }
}

/** The books of a job that serves a model: no request is answered twice, and none that no engine answered. */
class ModelJudge extends JobJudge {
  constructor(
    computer: Computer,
    private readonly clients: Clients,
  ) {
    const job: PlayedJob = {
      ...{ name: model, startsFile: '', payload: Buffer.alloc(0), epochs: 0 },
      ...{ code: undefined, ends: {} },
    };
    super(computer, job);
  }

  override check(rows: JobRows): void {
    super.check(rows);
    const { answers, answered } = this.clients;
    if (new Set(answers).size < answers.length) {
      this.report(`answered twice: ${answers.join(', ')}`);
    }
    for (const words of answered) {
      if (!answers.includes(words)) {
        this.report(`no engine answered: ${words}`);
      }
    }
    for (const state of jobsOnDisk(this.computer)) {
      const left = state?.machine && this.computer.simulator.world.instance(state.machine.instanceId);
      if (state?.phase === 'over' && left && state.outcome !== 'kept') {
        this.report(`the model ended (${state.outcome ?? ''}), and #${left.id} is still there`);
      }
    }
  }

  protected override areOutputsHere(): boolean {
    return true;
  }

  protected override checkLog(): void {
    // It prints what its engine does.
  }
}
