import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { systemClock } from '../../src/util/clock';
import { silentLog } from '../../src/util/log';
import type { SftpClient } from '../../src/workspaces/machine/client';
import { SftpConnections } from '../../src/workspaces/machine/connections';
import { rawOf } from '../../src/workspaces/machine/rawPath';
import { ifThere } from '../../src/workspaces/machine/replaceRemote';
import { closeSshJobs, openSshJobs } from '../support/jobScene';
import { seconds, timeOf, type Figure } from './figure';

const run = promisify(execFile);
const names = 10_000;
const bytes = 200_000_000;

/** Files of a machine listed, written and read, beside `sftp` to the same server, each with a login of its own. */
export async function measureFiles(): Promise<Figure[]> {
  const scene = await openSshJobs(false);
  const { home, remote } = scene;
  const ssh = home.service();
  try {
    const folder = join(remote, 'many');
    mkdirSync(folder);
    for (let one = 0; one < names; one++) {
      writeFileSync(join(folder, `part ${one}.txt`), '');
    }
    const local = join(home.root, 'large');
    writeFileSync(local, Buffer.alloc(bytes, 7));
    const [, ...args] = ssh.command('gpu-7');
    const bySftp = (line: string) => {
      const batch = join(home.root, 'batch');
      writeFileSync(batch, `${line}\n`);
      return timeOf(() => run('sftp', ['-q', '-f', '-b', batch, ...args], { maxBuffer: 100_000_000 }));
    };
    const ours = async (action: (client: SftpClient) => Promise<unknown>) => {
      const connections = new SftpConnections({ ssh, clock: systemClock, log: silentLog });
      try {
        return await timeOf(() => connections.use('gpu-7', action));
      } finally {
        connections.dispose();
      }
    };
    const list = async (client: SftpClient) => client.list(rawOf(folder), 100_000);
    let openMs = 0;
    const listMs = await ours(async (client) => {
      await list(client);
      openMs = await timeOf(() => list(client));
    });
    const place = (name: string) => join(remote, name);
    const here = (name: string) => join(home.root, name);
    const write = await sideBySide(
      () => bySftp(`put "${local}" "${place('by-sftp')}"`),
      () =>
        ours(async (client) => {
          await ifThere(client.remove(rawOf(place('by-us'))));
          await client.write(rawOf(place('by-us')), createReadStream(local, { highWaterMark: 1_000_000 }), {
            mode: 0o644,
          });
        }),
    );
    const read = await sideBySide(
      () => bySftp(`get "${place('by-sftp')}" "${here('back-by-sftp')}"`),
      () =>
        ours((client) =>
          pipeline(Readable.from(client.read(rawOf(place('by-us')))), createWriteStream(here('back'))),
        ),
    );
    for (const file of [place('by-us'), here('back')]) {
      if (statSync(file).size !== bytes) {
        throw new Error(`${file} is not whole.`);
      }
    }
    const listSftpMs = await bySftp(`ls -ln "${folder}"`);
    const what = `${bytes / 1e6} MB`;
    return [
      {
        name: `${names.toLocaleString('en')} names listed by sftp, with its login`,
        value: seconds(listSftpMs),
      },
      { name: 'the same listed below Files, with the login', value: seconds(listMs - openMs) },
      { name: 'the same listed over an open connection', value: seconds(openMs), aim: '≤ 0.3 s' },
      { name: `${what} written by sftp`, value: seconds(write.sftpMs) },
      beside('the same written by the client of Files', write),
      { name: `${what} read by sftp`, value: seconds(read.sftpMs) },
      beside('the same read by the client of Files', read),
    ];
  } finally {
    await closeSshJobs(scene);
  }
}

interface Both {
  readonly sftpMs: number;
  readonly ms: number;
}

/** In turn, and the best of each: another program may have the processor during one of them. */
async function sideBySide(bySftp: () => Promise<number>, ours: () => Promise<number>): Promise<Both> {
  const both: Both[] = [];
  for (let time = 0; time < 3; time++) {
    both.push({ sftpMs: await bySftp(), ms: await ours() });
  }
  return { sftpMs: Math.min(...both.map(({ sftpMs }) => sftpMs)), ms: Math.min(...both.map(({ ms }) => ms)) };
}

function beside(name: string, { sftpMs, ms }: Both): Figure {
  return { name, value: `${seconds(ms)}, ${(ms / sftpMs).toFixed(2)} × sftp`, aim: '≤ 1.3 × sftp' };
}
