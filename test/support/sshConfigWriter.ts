import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem } from '../../src/ssh/fileSystem';
import { OwnFolder } from '../../src/ssh/ownFolder';
import { thisProcess } from '../../src/ssh/nodeSsh';
import { sshPaths } from '../../src/ssh/paths';
import { UserConfig } from '../../src/ssh/userConfig';
import { systemClock } from '../../src/util/clock';

/** One of several processes of the stress test: `writer <home> <number> <rounds>` or `editor <home> <rounds>`. */
async function write(home: string, number: number, rounds: number): Promise<void> {
  const paths = sshPaths({
    platform: process.platform,
    home,
    accountHome: home,
    configFile: join(home, '.ssh', 'config'),
    sshPath: undefined,
  });
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
    for (let look = 0; look < 200 && readFileSync(watched, 'latin1') === seen; look += 1) {
      await nodeFileSystem.facts(watched);
    }
    const content = readFileSync(file, 'latin1');
    writeFileSync(`${file}.edit`, `${content}Host own${round}\n  Port ${round}\n`, 'latin1');
    renameSync(`${file}.edit`, file);
  }
}

const [role, home = '', ...numbers] = process.argv.slice(2);
if (role === 'editor') {
  void edit(home, Number(numbers[0]));
} else {
  void write(home, Number(numbers[0]), Number(numbers[1]));
}
