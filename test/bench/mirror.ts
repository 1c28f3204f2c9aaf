import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { SshService } from '../../src/ssh/service';
import { MirrorScene } from '../support/mirrorScene';
import { SshHome } from '../support/sshHome';
import { sshAccount, sshInstance } from '../support/sshInstance';
import { SshMachine } from '../support/sshMachine';
import { pause } from '../support/until';
import { median, seconds, timeOf, type Figure } from './figure';

/** How many small and large files a folder has. */
const folders = [
  [10_000, 10],
  [30_000, 70],
] as const;
const smallBytes = 2_000;
const largeBytes = 28_000_000;
const saves = 5;

/**
 * Folders that are kept on an instance, beside plain `tar` over the same connection. What the mirror calls in step is on
 * the disk of the instance, so that of `tar` is written there as well.
 */
export async function measureMirror(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [smallFiles, largeFiles] of folders) {
    figures.push(...(await measureFolder(smallFiles, largeFiles)));
  }
  return figures;
}

async function measureFolder(smallFiles: number, largeFiles: number): Promise<Figure[]> {
  const scene = new MirrorScene();
  const home = new SshHome();
  const machine = new SshMachine();
  try {
    const key = home.key();
    machine.authorize(key);
    await machine.start({ env: { HOME: scene.home, HOST_ROOT: scene.root } });
    const ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    fill(scene.local, smallFiles, largeFiles);
    const tarMs = await timeOf(() => sendByTar(ssh, scene.local, ['.'], 'plain', 'sync -f .'));
    const mirror = scene.open({ ssh });
    const firstMs = await timeOf(async () => {
      await mirror.settle();
      // Much of it waits for a yes.
      mirror.answer(true);
      await mirror.settle();
    });
    // What was sent in the last two seconds is hashed once more after them.
    await pause(2_500);
    await mirror.settle();
    const unchangedMs = await timeOf(() => mirror.settle());
    const name = 'package1/module1.py';
    const tarSaves: number[] = [];
    const ownSaves: number[] = [];
    for (let save = 0; save < saves; save += 1) {
      writeFileSync(join(scene.local, ...name.split('/')), randomBytes(smallBytes));
      tarSaves.push(await timeOf(() => sendByTar(ssh, scene.local, [name], 'plain')));
      ownSaves.push(
        await timeOf(async () => {
          const sent = new Promise<void>((resolve) => {
            let hasBegun = false;
            mirror.onDidChange(() => {
              hasBegun ||= mirror.status.isWorking;
              if (hasBegun && !mirror.status.isWorking) {
                resolve();
              }
            });
          });
          mirror.touched([name]);
          await sent;
        }),
      );
    }
    const saveMs = median(ownSaves) - pauseMs;
    const what = `${smallFiles.toLocaleString('en')} small files and ${(largeFiles * largeBytes) / 1e6} MB`;
    return [
      { name: `${what} sent by tar over SSH`, value: seconds(tarMs) },
      {
        name: 'the same kept on an instance for the first time',
        value: seconds(firstMs),
        aim: `≤ ${seconds(1.5 * tarMs)}`,
      },
      { name: 'the same compared, unchanged', value: seconds(unchangedMs), aim: '< 2 s' },
      { name: 'one small file of them sent by tar over SSH', value: seconds(median(tarSaves)) },
      {
        name: 'the same after a save, without the pause',
        value: seconds(saveMs),
        aim: `≤ ${seconds(1.5 * median(tarSaves))}`,
      },
    ];
  } finally {
    await scene.dispose();
    await machine.dispose();
    home.dispose();
  }
}

/** A save waits for others that follow it (src/workspaces/machine/mirror/engine.ts). */
const pauseMs = 300;

function fill(folder: string, smallFiles: number, largeFiles: number): void {
  for (let index = 0; index < smallFiles; index++) {
    const path = join(folder, `package${index % 100}`);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `module${index}.py`), randomBytes(smallBytes));
  }
  for (let index = 0; index < largeFiles; index++) {
    writeFileSync(join(folder, `weights${index}.bin`), randomBytes(largeBytes));
  }
}

async function sendByTar(
  ssh: SshService,
  from: string,
  names: readonly string[],
  to: string,
  after = 'true',
): Promise<void> {
  const tar = spawn('tar', ['-cf', '-', '-C', from, ...names], { stdio: ['ignore', 'pipe', 'inherit'] });
  // A program that ends drops what is not read from it yet.
  const input = tar.stdout.pipe(new PassThrough());
  const script = `mkdir -p "$HOME"/${to} && cd "$HOME"/${to} && tar -xof - && ${after}`;
  const { code, stderr } = await ssh.exec('gpu-7', script, { input });
  if (code !== 0) {
    throw new Error(stderr);
  }
}
