import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../src/ssh/fileSystem';
import { thisProcess } from '../../../src/ssh/nodeSsh';
import { sshPaths } from '../../../src/ssh/paths';
import { ManualStepError, UserConfig } from '../../../src/ssh/userConfig';
import { CrashingFileSystem } from '../../support/crashingFileSystem';
import { attributeOf, setAttribute } from '../../support/extendedAttribute';
import { FakeClock } from '../../support/fakeClock';
import { SshHome } from '../../support/sshHome';
import { configCorpus } from './configCorpus';

const line = 'Include ~/.ssh/gpu-rental.d/*.conf';
const block = `# >>> GPU Rental >>>\n${line}\n# <<< GPU Rental <<<\n`;
const user = 'Host a\n  Port 22\n';

describe("The user's SSH config", () => {
  let home: SshHome;
  /** Goes on while a lock whose owner cannot be told is waited for, and stands still while the disk is busy. */
  let clock: FakeClock;

  beforeEach(() => {
    home = new SshHome();
    clock = new FakeClock();
  });
  afterEach(() => home.dispose());

  /** Each change goes through as far as the clock has to go for it. */
  function config(fs: FileSystem = nodeFileSystem, pid = process.pid): Pick<UserConfig, 'ensure' | 'remove'> {
    const own = new UserConfig(
      {
        fs,
        clock,
        // Another pid than ours has died, as far as the lock can see.
        identity: { ...thisProcess, pid, isAlive: (other) => other === process.pid },
        platform: 'linux',
      },
      sshPaths(home.environment),
    );
    return {
      ensure: () => clock.through(own.ensure()),
      remove: () => clock.through(own.remove()),
    };
  }

  async function refusal(fs?: FileSystem): Promise<ManualStepError> {
    try {
      await config(fs).ensure();
    } catch (error) {
      assert.ok(error instanceof ManualStepError, String(error));
      return error;
    }
    return assert.fail('nothing was refused');
  }

  it('gets the block in front and everything else stays', async () => {
    home.write(user, undefined, 0o640);
    assert.equal(await config().ensure(), 'written');
    assert.equal(home.read(), block + user);
    assert.equal(home.mode(home.configFile), '640');
    assert.deepEqual(readdirSync(home.sshDir).sort(), ['config', 'gpu-rental.d']);
  });

  it('is not written, nor locked, where the block stands first', async () => {
    home.write(block + user);
    const inode = statSync(home.configFile).ino;
    const crashing = new CrashingFileSystem(0, 'before');
    assert.equal(await config(crashing.fs).ensure(), 'same');
    assert.deepEqual(crashing.operations, ['facts', 'facts', 'read']);
    assert.equal(statSync(home.configFile).ino, inode);
  });

  it('is made for this user alone where there is none, and goes again', async () => {
    rmSync(home.sshDir, { recursive: true });
    await config().ensure();
    assert.equal(home.mode(home.configFile), '600');
    assert.equal(home.mode(home.sshDir), '700');
    assert.equal(await config().remove(), 'written');
    assert.equal(existsSync(home.configFile), false);
  });

  it('comes out of coming and going byte for byte, whatever is in it', async () => {
    for (const [name, content] of Object.entries(configCorpus)) {
      const bytes = Buffer.from(content, 'latin1');
      home.write(bytes);
      await config().ensure();
      assert.notEqual(home.read(), content, name);
      await config().remove();
      assert.equal(home.read(), content, name);
    }
  });

  it('is left as it is byte for byte where it is read-only, whatever is in it', async () => {
    for (const [name, content] of Object.entries(configCorpus)) {
      rmSync(home.configFile, { force: true });
      home.write(Buffer.from(content, 'latin1'), undefined, 0o400);
      const inode = statSync(home.configFile).ino;
      assert.equal((await refusal()).line, line, name);
      assert.equal(home.read(), content, name);
      assert.equal(statSync(home.configFile).ino, inode, name);
    }
  });

  it('comes out of coming and going behind a link, which stays, whatever is in it', async () => {
    const file = join(home.root, 'dotfiles', 'config');
    mkdirSync(join(home.root, 'dotfiles'));
    symlinkSync(file, home.configFile);
    for (const [name, content] of Object.entries(configCorpus)) {
      home.write(Buffer.from(content, 'latin1'), file);
      assert.equal(await config().ensure(), 'written', name);
      await config().remove();
      assert.equal(home.read(file), content, name);
      assert.equal(readlinkSync(home.configFile), file);
    }
  });

  it('means the same to ssh for all other hosts, whatever is in it', async () => {
    const asked = async () => {
      const { code, stdout } = await home.run('ssh', ['-F', home.configFile, '-G', 'a']);
      return { code, stdout };
    };
    let understood = 0;
    for (const [name, content] of Object.entries(configCorpus)) {
      home.write(Buffer.from(content, 'latin1'));
      const before = await asked();
      await config().ensure();
      assert.deepEqual(await asked(), before, name);
      understood += before.code === 0 ? 1 : 0;
    }
    assert.ok(understood > 50, `ssh understood only ${understood}`);
  });

  it('is found behind a chain of links, which stay', async () => {
    const dotfiles = join(home.root, 'dotfiles');
    const file = home.write(user, join(dotfiles, 'ssh', 'config'));
    symlinkSync('../dotfiles/ssh', join(home.home, 'ssh-link'));
    symlinkSync('config', join(dotfiles, 'ssh', 'alias'));
    symlinkSync('../ssh-link/alias', home.configFile);
    await config().ensure();
    assert.equal(home.read(file), block + user);
    assert.equal(readlinkSync(home.configFile), '../ssh-link/alias');
    assert.ok(lstatSync(join(dotfiles, 'ssh', 'alias')).isSymbolicLink());
  });

  it('follows `..` in a link from where the link really lies', async () => {
    // ~/.ssh is itself a link: `../config` means the folder beside the real one.
    rmSync(home.sshDir, { recursive: true });
    const real = join(home.root, 'store', 'ssh');
    mkdirSync(real, { recursive: true });
    const file = home.write(user, join(home.root, 'store', 'config'));
    symlinkSync(real, home.sshDir);
    symlinkSync('../config', join(real, 'config'));
    await config().ensure();
    assert.equal(home.read(file), block + user);
  });

  it('is made where a link points to nothing yet', async () => {
    const target = join(home.root, 'later');
    symlinkSync(target, home.configFile);
    await config().ensure();
    assert.ok(home.read(target).includes(line));
    assert.equal(readlinkSync(home.configFile), target);
  });

  it('is left alone, with the line to paste, where links lead in a circle', async () => {
    symlinkSync('b', home.configFile);
    symlinkSync('config', join(home.sshDir, 'b'));
    assert.equal((await refusal()).line, line);
  });

  it('is left alone where it is read-only', async () => {
    home.write(user, undefined, 0o400);
    const error = await refusal();
    assert.equal(error.file, home.configFile);
    assert.match(error.message, /read-only.*Include ~\/\.ssh\/gpu-rental\.d\/\*\.conf/);
    assert.equal(home.read(), user);
  });

  it('is left alone where it is a folder, or has a second name', async () => {
    mkdirSync(home.configFile);
    assert.match((await refusal()).message, /not an ordinary file/);
    rmSync(home.configFile, { recursive: true });
    home.write(user);
    linkSync(home.configFile, join(home.root, 'second'));
    assert.match((await refusal()).message, /second name/);
    assert.equal(home.read(), user);
  });

  it('is left alone where the markers are doubled', async () => {
    home.write(block + block + user);
    assert.match((await refusal()).message, /twice \(line 4\)/);
    assert.equal(home.read(), block + block + user);
  });

  it('never counts as empty because it cannot be read', async () => {
    home.write(user);
    for (const code of ['EACCES', 'EIO', 'EBUSY', 'EMFILE']) {
      const fs = {
        ...nodeFileSystem,
        read: () => Promise.reject(Object.assign(new Error(code), { code })),
      };
      assert.match((await refusal(fs)).message, /cannot be read/);
    }
    assert.equal(home.read(), user);
  });

  it('is left alone where its folder takes no new file', async () => {
    home.write(user);
    const fs: FileSystem = {
      ...nodeFileSystem,
      createSynced: () => Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' })),
    };
    assert.equal((await refusal(fs)).line, line);
    assert.equal(home.read(), user);
  });

  it('keeps its owner', async () => {
    home.write(user);
    const owners: string[] = [];
    const fs: FileSystem = {
      ...nodeFileSystem,
      facts: async (path) => ({ ...(await nodeFileSystem.facts(path)), uid: 1234, gid: 5678 }),
      setOwner: (path, uid, gid) => {
        owners.push(`${uid}:${gid}`);
        if (process.getuid?.() === 0) {
          chownSync(path, uid, gid);
        }
        return Promise.resolve();
      },
    };
    await config(fs).ensure();
    assert.deepEqual(owners, ['1234:5678']);
    assert.equal(home.read(), block + user);
  });

  it('keeps its extended attributes, whatever is done to the block', async () => {
    const file = join(home.root, 'dotfiles');
    symlinkSync(file, home.configFile);
    home.write(user, file, 0o640);
    setAttribute(file, 'managed');
    assert.equal(attributeOf(file), 'managed', 'this disk takes no extended attributes');
    await config().ensure();
    assert.equal(home.read(), block + user);
    assert.deepEqual([attributeOf(file), home.mode(file)], ['managed', '640']);
    await config().remove();
    assert.equal(home.read(), user);
    assert.equal(attributeOf(file), 'managed');
  });

  it('is written where there is no program that copies extended attributes', async () => {
    home.write(user);
    const path = process.env['PATH'];
    process.env['PATH'] = '';
    try {
      assert.equal(await config().ensure(), 'written');
    } finally {
      process.env['PATH'] = path;
    }
    assert.equal(home.read(), block + user);
  });

  it('is tried again where a virus scanner holds it for a moment', async () => {
    home.write(user);
    let refusals = 3;
    const fs: FileSystem = {
      ...nodeFileSystem,
      replaceIfSame: (temp, target, expected) => {
        refusals -= 1;
        return refusals >= 0
          ? Promise.reject(Object.assign(new Error('busy'), { code: 'EBUSY' }))
          : nodeFileSystem.replaceIfSame(temp, target, expected);
      },
    };
    assert.equal(await config(fs).ensure(), 'written');
    assert.equal(home.read(), block + user);
  });

  it('keeps the lines that a program adds to the old file, which it opened before the rename', async () => {
    home.write(user);
    const other = openSync(home.configFile, 'a');
    const fs: FileSystem = {
      ...nodeFileSystem,
      replaceIfSame: async (temp, target, expected) => {
        const old = await nodeFileSystem.replaceIfSame(temp, target, expected);
        writeSync(other, 'Host at-once\n');
        return (
          old && {
            ...old,
            late: async () => {
              const late = await old.late();
              writeSync(other, late.length < 20 ? 'Host later\n' : '');
              return late;
            },
          }
        );
      },
    };
    assert.equal(await config(fs).ensure(), 'written');
    closeSync(other);
    assert.equal(home.read(), `${block + user}Host at-once\nHost later\n`);
  });

  it('is read anew where somebody edits it right before the rename', async () => {
    home.write(user);
    let edited = false;
    const fs: FileSystem = {
      ...nodeFileSystem,
      createSynced: async (path, bytes, mode) => {
        await nodeFileSystem.createSynced(path, bytes, mode);
        if (!edited) {
          edited = true;
          home.write(`${user}Host new\n`);
        }
      },
    };
    assert.equal(await config(fs).ensure(), 'written');
    assert.equal(home.read(), `${block}${user}Host new\n`);
  });

  it('is not covered where somebody makes it right before we do', async () => {
    let made = false;
    const fs: FileSystem = {
      ...nodeFileSystem,
      linkNew: (temp, target) => {
        if (!made) {
          made = true;
          home.write(user);
        }
        return nodeFileSystem.linkNew(temp, target);
      },
    };
    await config(fs).ensure();
    assert.equal(home.read(), block + user);
  });

  it('is made on file systems without second names too', async () => {
    const fs: FileSystem = {
      ...nodeFileSystem,
      linkNew: () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM' })),
    };
    assert.equal(await config(fs).ensure(), 'written');
    assert.ok(home.read().includes(line));
  });

  const scenes: Record<string, { readonly before: string | undefined; readonly act: 'ensure' | 'remove' }> = {
    'the block is put in': { before: user, act: 'ensure' },
    'the block moves up': { before: user + block, act: 'ensure' },
    'the file is made': { before: undefined, act: 'ensure' },
    'the block is taken out': { before: block + user, act: 'remove' },
  };
  for (const [scene, { before, act }] of Object.entries(scenes)) {
    it(`is the old or the new one wherever the power fails while ${scene}`, async () => {
      const content = () => (existsSync(home.configFile) ? home.read() : undefined);
      const reset = () => {
        rmSync(home.sshDir, { recursive: true, force: true });
        mkdirSync(home.sshDir, { mode: 0o700 });
        if (before !== undefined) {
          home.write(before);
        }
      };
      reset();
      const whole = new CrashingFileSystem(0, 'before');
      await config(whole.fs)[act]();
      const after = content();
      assert.notEqual(after, before);
      const results = new Set<string | undefined>();
      for (let at = 1; at <= whole.operations.length; at += 1) {
        for (const when of ['before', 'during', 'after'] as const) {
          reset();
          const crashing = new CrashingFileSystem(at, when);
          await assert.rejects(config(crashing.fs, 999_999)[act]());
          const left = content();
          assert.ok(
            left === before || left === after,
            `${when} ${crashing.operations.join()}: ${left ?? ''}`,
          );
          results.add(left);
          // The next one gets through, and whoever writes next clears the wreck away.
          await config()[act]();
          assert.equal(content(), after);
          await config()[act === 'ensure' ? 'remove' : 'ensure']();
          const rest = [...readdirSync(home.sshDir), ...readdirSync(home.ownDir)];
          assert.deepEqual(
            rest.filter((name) => name.startsWith('.')),
            [],
          );
        }
      }
      assert.deepEqual([...results].sort(), [before, after].sort());
    });
  }

  it('keeps a mode that the mask of the process would cut', async () => {
    home.write(user);
    chmodSync(home.configFile, 0o666);
    const mask = process.umask(0o077);
    try {
      await config().ensure();
    } finally {
      process.umask(mask);
    }
    assert.equal(home.mode(home.configFile), '666');
  });
});
