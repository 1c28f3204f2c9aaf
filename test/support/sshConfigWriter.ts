import { closeSync, existsSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem } from '../../src/ssh/fileSystem';
import { OwnFolder } from '../../src/ssh/ownFolder';
import { sshPaths } from '../../src/ssh/paths';
import { UserConfig } from '../../src/ssh/userConfig';
import { systemClock } from '../../src/util/clock';
import { thisProcess } from '../../src/util/fileLock';
import { pause } from './until';

function pathsIn(home: string) {
  return sshPaths({
    platform: process.platform,
    home,
    accountHome: home,
    configFile: join(home, '.ssh', 'config'),
    sshPath: undefined,
  });
}

/** Entries of instances, and the block where it is missing. */
async function write(home: string, number: number, rounds: number): Promise<void> {
  const paths = pathsIn(home);
  const deps = {
    // What a crash leaves is another test's matter; syncing thousands of files would only test the disk.
    fs: { ...nodeFileSystem, createSynced: nodeFileSystem.create, syncDir: () => Promise.resolve() },
    clock: systemClock,
    identity: thisProcess,
    platform: process.platform,
  };
  const folder = new OwnFolder(deps, paths, () => Promise.resolve());
  const config = new UserConfig(deps, paths);
  for (let round = 1; round <= rounds; round += 1) {
    // All write the same eight files in turn, so that they meet.
    await folder.write({
      alias: `gpu-${((number + round) % 8) + 1}`,
      endpoint: { kind: 'direct', host: `${number}.example.com`, port: round },
      identityFile: undefined,
      forwardAgent: false,
      account: '0123456789abcdef',
    });
    await config.ensure();
  }
}

/** The user's own editor: it keeps our block, writes beside the file and renames, while the others write. */
async function edit(home: string, rounds: number): Promise<void> {
  const file = join(home, '.ssh', 'config');
  const watched = join(home, '.ssh', 'gpu-rental.d', 'gpu-1.conf');
  for (let round = 1; round <= rounds; round += 1) {
    // Spreads the edits over the time in which the others write; patience ends when they have.
    const seen = readFileSync(watched, 'latin1');
    for (let check = 0; check < 200 && readFileSync(watched, 'latin1') === seen; check += 1) {
      await nodeFileSystem.facts(watched);
    }
    const content = readFileSync(file, 'latin1');
    writeFileSync(`${file}.edit`, `${content}Host own${round}\n  Port ${round}\n`, 'latin1');
    renameSync(`${file}.edit`, file);
  }
}

/** Puts the block in and takes it out again. One that finds the file always changed leaves it alone, which is no loss. */
async function switchBlock(home: string, rounds: number): Promise<void> {
  const deps = { fs: nodeFileSystem, clock: systemClock, identity: thisProcess, platform: process.platform };
  const config = new UserConfig(deps, pathsIn(home));
  for (let round = 0; round < rounds; round += 1) {
    await config.ensure().catch(() => undefined);
    await config.remove().catch(() => undefined);
  }
}

/** Another tool that adds its lines; it may have the file open for a moment. It ends once `mark` is there. */
async function append(home: string, mark: string): Promise<void> {
  let count = 0;
  while (!existsSync(mark)) {
    const file = openSync(join(home, '.ssh', 'config'), 'a');
    await pause(count % 3);
    count += 1;
    writeSync(file, `Host own${count}\n`);
    closeSync(file);
    await pause(20);
  }
  writeFileSync(`${mark}.count`, String(count));
}

/**
 * One of several processes of the stress test: `writer <home> <number> <rounds>`, `editor <home> <rounds>`,
 * `switcher <home> <rounds>` or `appender <home> <mark>`.
 */
const [role = '', home = '', ...rest] = process.argv.slice(2);
const [first = '', second = ''] = rest;
switch (role) {
  case 'editor':
    void edit(home, Number(first));
    break;
  case 'switcher':
    void switchBlock(home, Number(first));
    break;
  case 'appender':
    void append(home, first);
    break;
  default:
    void write(home, Number(first), Number(second));
}
