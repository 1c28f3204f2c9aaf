import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ParkedScene } from '../support/parkedScene';
import { SshHome } from '../support/sshHome';
import { sshAccount, sshInstance } from '../support/sshInstance';
import { SshMachine } from '../support/sshMachine';
import { seconds, timeOf, type Figure } from './figure';

/** A folder has so many GB, unless the variable gives another number. */
const usualGb = 0.2;
const largeBytes = 500_000_000;
const smallFiles = 2_000;

/**
 * A folder that is parked and placed over SSH, beside plain `tar` over the same connection, which proves nothing. It needs
 * three times its size on the disk. `GPU_RENTAL_BENCH_GB=20 npm run bench -- parked` measures 20 GB.
 */
export async function measureParked(): Promise<Figure[]> {
  const gb = Number(process.env['GPU_RENTAL_BENCH_GB'] ?? usualGb);
  const scene = new ParkedScene();
  const home = new SshHome();
  const machine = new SshMachine();
  try {
    const key = home.key();
    machine.authorize(key);
    await machine.start();
    const ssh = home.service();
    await ssh.prepare({
      account: sshAccount,
      instanceId: 7,
      instance: sshInstance(machine.port),
      registeredKeys: [key],
    });
    fill(scene.there, gb * 1e9);
    const archive = join(scene.dir, 'plain.tar');
    const tarMs = await timeOf(async () => {
      const { code, stderr } = await ssh.exec('gpu-7', `tar -cf - -C '${scene.there}' .`, {
        output: (bytes) => writeAll(archive, bytes),
      });
      if (code !== 0) {
        throw new Error(stderr);
      }
    });
    rmSync(archive);
    const pieces = scene.pieces(ssh);
    const listMs = await timeOf(() => pieces.list(scene.root, []));
    const manifest = await pieces.saved();
    if (!manifest) {
      throw new Error('There is no list.');
    }
    const fetchMs = await timeOf(() => pieces.fetch(manifest));
    const proveMs = await timeOf(() => pieces.proveHere(manifest));
    rmSync(scene.there, { recursive: true });
    const placeMs = await timeOf(() => pieces.place(manifest));
    const mb = Math.round(gb * 1000);
    return [
      { name: `${mb} MB fetched by tar over SSH, onto the disk`, value: seconds(tarMs) },
      { name: 'the same listed with hashes', value: seconds(listMs) },
      { name: 'the same fetched and proved', value: seconds(fetchMs), aim: `≤ ${seconds(1.5 * tarMs)}` },
      { name: 'the same read and proved again here', value: seconds(proveMs) },
      { name: 'the same placed and proved there', value: seconds(placeMs) },
    ];
  } finally {
    await machine.dispose();
    home.dispose();
    scene.dispose();
  }
}

function fill(folder: string, bytes: number): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  for (let index = 0; index < smallFiles; index += 1) {
    writeFileSync(join(folder, 'src', `module${index}.py`), randomBytes(2_000));
  }
  const block = randomBytes(10_000_000);
  for (let left = bytes - smallFiles * 2_000, index = 0; left > 0; left -= largeBytes, index += 1) {
    const file = openSync(join(folder, `weights${index}.bin`), 'w');
    for (let written = 0; written < Math.min(left, largeBytes); written += block.length) {
      // No two blocks are the same.
      block.writeUInt32LE(index * 1000 + written / block.length, 0);
      writeSync(file, block, 0, Math.min(block.length, left - written));
    }
    closeSync(file);
  }
  execFileSync('sync', ['-f', folder]);
}

async function writeAll(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const file = openSync(path, 'w');
  for await (const piece of bytes) {
    writeSync(file, piece);
  }
  closeSync(file);
}
