import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  closeSshJobs,
  filesBelow,
  jobOrder,
  openSshJobs,
  sentFrom,
  type SshJobScene,
} from '../support/jobScene';
import { openedFolder } from '../support/openedFolder';
import { until } from '../support/until';
import { seconds, timeOf, type Figure } from './figure';

const smallFiles = 10_000;
const smallBytes = 2_000;
const largeFiles = 66;
const largeBytes = 30_000_000;

/** A job's files sent and its outputs fetched, beside plain `tar` over the same connection. */
export async function measureJobSync(): Promise<Figure[]> {
  const scene = await openSshJobs(false);
  try {
    fillWorkspace(scene.workspace);
    const names = filesBelow(scene.workspace);
    const tarMs = await timeOf(() => sendByTar(scene));
    const sync = (id: string) => async () => {
      const order = jobOrder('true', { id });
      await scene.job.begin(order);
      await scene.job.sync(order, sentFrom(scene.workspace, names));
    };
    const firstMs = await timeOf(sync('a1'));
    await until('the spare copy', () =>
      existsSync(join(scene.remote, '.gpu-rental', 'mirrors', 'fe01', 'spare')),
    );
    const againMs = await timeOf(sync('a2'));
    const fetchTarMs = await timeOf(() => fetchByTar(scene));
    const outputs = jobOrder('cp -a "$HOME/.gpu-rental/jobs/a1/src" outputs', { id: 'a3' });
    await scene.job.begin(outputs);
    await scene.job.sync(outputs, undefined);
    await scene.job.start(outputs);
    await scene.ended('a3');
    const fetchMs = await timeOf(async () => {
      await scene.job.fetch('a3', await scene.job.outputs('a3', ['outputs/**']), openedFolder(scene.results));
    });
    const what = `${smallFiles.toLocaleString('en')} small files and ${(largeFiles * largeBytes) / 1e6} MB`;
    return [
      { name: `${what} sent by tar over SSH`, value: seconds(tarMs) },
      { name: 'the same sent for a first job', value: seconds(firstMs), aim: `≤ ${seconds(1.5 * tarMs)}` },
      { name: 'the same sent again, unchanged', value: seconds(againMs), aim: '< 2 s' },
      { name: 'the same fetched by tar over SSH', value: seconds(fetchTarMs) },
      { name: 'the same fetched as outputs', value: seconds(fetchMs), aim: `≤ ${seconds(1.5 * fetchTarMs)}` },
    ];
  } finally {
    await closeSshJobs(scene);
  }
}

function fillWorkspace(workspace: string): void {
  for (let index = 0; index < smallFiles; index++) {
    const folder = join(workspace, `package${index % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `module${index}.py`), randomBytes(smallBytes));
  }
  for (let index = 0; index < largeFiles; index++) {
    writeFileSync(join(workspace, `weights${index}.bin`), randomBytes(largeBytes));
  }
}

async function sendByTar({ ssh, workspace }: SshJobScene): Promise<void> {
  const tar = spawn('tar', ['-cf', '-', '-C', workspace, '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const script = `mkdir "$HOME"/plain && cd "$HOME"/plain && tar -xof -`;
  const { code, stderr } = await ssh.exec('gpu-7', script, { input: tar.stdout });
  if (code !== 0) {
    throw new Error(stderr);
  }
}

async function fetchByTar({ ssh, home }: SshJobScene): Promise<void> {
  const into = join(home.root, 'by-tar');
  mkdirSync(into);
  const tar = spawn('tar', ['-xof', '-', '-C', into], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => tar.once('close', resolve));
  await ssh.exec('gpu-7', 'cd "$HOME"/plain && tar -cf - .', {
    output: async (bytes) => {
      for await (const piece of bytes) {
        if (!tar.stdin.write(piece)) {
          await new Promise((resolve) => tar.stdin.once('drain', resolve));
        }
      }
      tar.stdin.end();
    },
  });
  await ended;
}
