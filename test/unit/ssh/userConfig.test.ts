import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../src/ssh/fileSystem';
import { CrashingFileSystem } from '../../support/crashingFileSystem';
import { attributeOf, setAttribute } from '../../support/extendedAttribute';
import type { SshHome } from '../../support/sshHome';
import { block, line, user, useUserConfig } from '../../support/userConfig';
import { configCorpus } from './configCorpus';

describe("The user's SSH config", () => {
  const { home: homeOfTest, config, refusal } = useUserConfig();
  let home: SshHome;
  beforeEach(() => {
    home = homeOfTest();
  });

  it('gets the block in front and everything else stays', async () => {
    home.write(user, undefined, 0o640);
    assert.equal(await config().ensure(), 'written');
    assert.equal(home.read(), block + user);
    assert.equal(home.mode(home.configFile), '640');
    assert.deepEqual(readdirSync(home.sshDir).sort(), ['config', 'gpu-rental.d']);
  });

  it('is not written, nor locked, if the block is first', async () => {
    home.write(block + user);
    const inode = statSync(home.configFile).ino;
    const crashing = new CrashingFileSystem(0, 'before');
    assert.equal(await config(crashing.fs).ensure(), 'same');
    assert.deepEqual(crashing.operations, ['facts', 'facts', 'read']);
    assert.equal(statSync(home.configFile).ino, inode);
  });

  it('is made for this user alone if there is none, and removed again', async () => {
    rmSync(home.sshDir, { recursive: true });
    await config().ensure();
    assert.equal(home.mode(home.configFile), '600');
    assert.equal(home.mode(home.sshDir), '700');
    assert.equal(await config().remove(), 'written');
    assert.equal(existsSync(home.configFile), false);
  });

  it('is the same byte for byte after the block was added and removed, with any content', async () => {
    for (const [name, content] of Object.entries(configCorpus)) {
      const bytes = Buffer.from(content, 'latin1');
      home.write(bytes);
      await config().ensure();
      assert.notEqual(home.read(), content, name);
      await config().remove();
      assert.equal(home.read(), content, name);
    }
  });

  it('is left as it is byte for byte if it is read-only, with any content', async () => {
    for (const [name, content] of Object.entries(configCorpus)) {
      rmSync(home.configFile, { force: true });
      home.write(Buffer.from(content, 'latin1'), undefined, 0o400);
      const inode = statSync(home.configFile).ino;
      assert.equal((await refusal()).line, line, name);
      assert.equal(home.read(), content, name);
      assert.equal(statSync(home.configFile).ino, inode, name);
    }
  });

  it('is the same behind a link, which stays, after the block was added and removed, with any content', async () => {
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

  it('means the same to ssh for all other hosts, with any content', async () => {
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

  it('never counts as empty because it can’t be read', async () => {
    home.write(user);
    for (const code of ['EACCES', 'EIO', 'EBUSY', 'EMFILE']) {
      const fs = {
        ...nodeFileSystem,
        read: () => Promise.reject(Object.assign(new Error(code), { code })),
      };
      assert.match((await refusal(fs)).message, /can't be read/);
    }
    assert.equal(home.read(), user);
  });

  it('is left alone if its folder accepts no new file', async () => {
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

  it('keeps its extended attributes after each change of the block', async () => {
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
