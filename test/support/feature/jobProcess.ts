import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prepareProduct } from '../fakeEditor/product';
import type { TestSimulator } from '../startSimulator';
import { Computer } from './computer';
import { areJobsOver, playOrder, type PlayedJob } from './jobDriver';
import { jobRows } from './jobJudge';
import { atPlaces } from './jobPlaces';
import { bytesUnderWay, playParked, startInVain, type ParkedWay } from './parkedDriver';
import { WallClock } from './wallClock';

/** What another process needs to know of the computer, and of the job or the folder that goes to another instance. */
export interface JobProcessOrder {
  readonly root: string;
  readonly url: string;
  readonly apiKey: string;
  readonly pace: number;
  readonly sinceMs: number;
  readonly job?: Omit<PlayedJob, 'payload'> & { readonly payload: string };
  readonly parked?: { readonly folder: string; readonly way: ParkedWay };
  /** It begins the life and kills itself there; without one it carries on what it finds. */
  readonly place?: string;
}

/** The secret store of the system, which outlives the editor. */
class KeptSecrets extends Map<string, string> {
  constructor(private readonly file: string) {
    super(
      existsSync(file)
        ? Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>)
        : [],
    );
  }

  override set(key: string, value: string): this {
    super.set(key, value);
    // The constructor of a map calls this before there is a file.
    if (this.file) {
      writeFileSync(this.file, JSON.stringify(Object.fromEntries(this)));
    }
    return this;
  }
}

/** A window in a process of its own. It prints the rows of its views once all is over. */
async function main(order: JobProcessOrder): Promise<void> {
  const { root, url, apiKey, place, job, parked } = order;
  process.env['HOME'] = path.join(root, 'home');
  prepareProduct();
  // What windows and drivers use of the marketplace; its world is in the process that started this one.
  const simulator = {
    url,
    apiKey,
    heldBack: () => 0,
    requests: () => [],
    world: { options: { sshServer: true } },
  } as unknown as TestSimulator;
  const clock = new WallClock(order.pace, order.sinceMs);
  const computer = Computer.attach(root, clock, simulator, new KeptSecrets(path.join(root, 'secrets.json')));
  const window = await computer.openWindow();
  await jobRows(window);
  if (place !== undefined) {
    await window.signIn();
    if (parked?.way === 'rescue') {
      await startInVain(window, parked.folder);
    }
    atPlaces(window.fate, (seen) => {
      if (seen === place) {
        kill();
      } else if (parked && seen === place.replace('during', 'before')) {
        killUnderWay(computer, parked.folder);
      }
    });
  }
  if (parked) {
    await playParked(window, parked);
  } else if (place !== undefined && job) {
    await playOrder(window, { ...job, payload: Buffer.from(job.payload, 'base64') });
  }
  await computer.until('the end of the job', () => areJobsOver(computer), { withinMs: 60 * 60_000 });
  await computer.pass(90_000);
  process.stdout.write(`${JSON.stringify(await jobRows(window))}\n`);
  process.exit(0);
}

function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Between two pieces of what arrives or leaves. */
function killUnderWay(computer: Computer, folder: string): void {
  if (bytesUnderWay(computer, folder) > 1_000_000) {
    kill();
  }
  setImmediate(() => killUnderWay(computer, folder));
}

void main(JSON.parse(process.argv[2] ?? '') as JobProcessOrder).catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
});
