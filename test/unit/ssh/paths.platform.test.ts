import assert from 'node:assert/strict';
import { nodeFileSystem } from '../../../src/ssh/fileSystem';
import { chooseIdentity } from '../../../src/ssh/identity';
import { configPath, sshPaths, tokenPath, UnusablePathError } from '../../../src/ssh/paths';
import type { Run } from '../../../src/ssh/run';
import { aclArguments, createAclRepair, parseSid } from '../../../src/ssh/windowsAcl';

const windows = {
  platform: 'win32' as const,
  home: 'C:\\Users\\Jo Doe',
  accountHome: 'C:\\Users\\Jo Doe',
  configFile: undefined,
  sshPath: undefined,
};
const linux = { ...windows, platform: 'linux' as const, home: '/home/jo', accountHome: '/home/jo' };

describe('Paths for SSH', () => {
  it('are the usual ones, with an Include that every ssh understands', () => {
    assert.deepEqual(sshPaths(linux), {
      ownDir: '/home/jo/.ssh/gpu-rental.d',
      knownHosts: '/home/jo/.ssh/gpu-rental.d/known_hosts',
      lock: '/home/jo/.ssh/gpu-rental.d/.lock',
      userConfig: '/home/jo/.ssh/config',
      passedConfig: undefined,
      includePattern: '~/.ssh/gpu-rental.d/*.conf',
    });
    const paths = sshPaths(windows);
    assert.equal(paths.userConfig, 'C:\\Users\\Jo Doe\\.ssh\\config');
    assert.equal(paths.includePattern, '~/.ssh/gpu-rental.d/*.conf');
  });

  it('are absolute where HOME and the account have different homes', () => {
    const paths = sshPaths({ ...linux, home: '/tmp/h' });
    assert.equal(paths.userConfig, '/home/jo/.ssh/config');
    assert.equal(paths.ownDir, '/tmp/h/.ssh/gpu-rental.d');
    assert.equal(paths.includePattern, '/tmp/h/.ssh/gpu-rental.d/*.conf');
  });

  it('follow the file that the setting names, and pass it on', () => {
    const paths = sshPaths({ ...linux, configFile: ' ~/dotfiles/ssh config ' });
    assert.equal(paths.userConfig, '/home/jo/dotfiles/ssh config');
    assert.equal(paths.passedConfig, paths.userConfig);
    assert.equal(sshPaths({ ...linux, configFile: '  ' }).passedConfig, undefined);
    const named = sshPaths({ ...windows, configFile: 'D:\\ssh\\config' });
    assert.equal(named.passedConfig, 'D:\\ssh\\config');
  });

  it('are written with forward slashes, quotes and doubled percent signs', () => {
    assert.equal(configPath('C:\\Users\\Jo Doe\\id'), '"C:/Users/Jo Doe/id"');
    assert.equal(configPath('\\\\server\\jo\\id'), '//server/jo/id');
    assert.equal(tokenPath('/home/100%/id'), '/home/100%%/id');
    assert.throws(() => configPath('/home/a"b'), UnusablePathError);
    assert.throws(() => configPath('/home/a\\b'), UnusablePathError);
    assert.throws(() => configPath('/home/${x}'), UnusablePathError);
    assert.throws(() => sshPaths({ ...linux, home: '/home/[a]' }), UnusablePathError);
  });
});

describe('The key of an entry on Windows', () => {
  it('is found by paths with either slash, and not in our own files', async () => {
    const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEsDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAh';
    const ownDir = 'C:\\Users\\Jo\\.ssh\\gpu-rental.d';
    const read: string[] = [];
    const deps = {
      fs: {
        ...nodeFileSystem,
        read: (file: string) => {
          read.push(file);
          return Promise.resolve(Buffer.alloc(0));
        },
        readUpTo: (file: string) => {
          read.push(file);
          return Promise.resolve(Buffer.alloc(0));
        },
        list: () => Promise.resolve([]),
      },
      run: () => Promise.resolve({ code: 0, stdout: line, stderr: '', timedOut: false }),
      ask: () => {
        const file = String.raw`C:\\Users\\Jo/.ssh/gpu-rental.d/gpu-8.conf`;
        const stderr = `debug1: Reading configuration data ${file}\r\n`;
        return Promise.resolve({ code: 0, stdout: '', stderr, timedOut: false });
      },
      sshDir: 'C:\\Users\\Jo\\.ssh',
      accountHome: windows.home,
      agentSocket: undefined,
      ownDir,
      platform: windows.platform,
      derived: new Map(),
    };
    const agentKey = { file: `${ownDir}\\gpu-7.pub`, line };
    const last = 'C:/Users/Jo/.ssh/gpu-rental.d/gpu-7.pub';
    assert.equal((await chooseIdentity(deps, undefined, last, agentKey)).key?.line, line);
    assert.deepEqual(read, []);
  });
});

describe('Rights on Windows', () => {
  const answer = '"desktop-1\\jo","S-1-5-21-1004336348-1177238915-682003330-1001"\r\n';

  it('are given to one user by security id', async () => {
    const calls: string[] = [];
    const run: Run = (program, args) => {
      calls.push([program, ...args].join(' '));
      return Promise.resolve({ code: 0, stdout: answer, stderr: '', timedOut: false });
    };
    await createAclRepair('win32', run)('C:\\x.conf');
    assert.deepEqual(calls, [
      'whoami.exe /user /fo csv /nh',
      'icacls.exe C:\\x.conf /inheritance:r /grant:r *S-1-5-21-1004336348-1177238915-682003330-1001:F',
    ]);
    await createAclRepair('linux', run)('/x.conf');
    assert.equal(calls.length, 2);
  });

  it('are left as they are if the id can’t be read', async () => {
    assert.equal(parseSid('"a","Everyone"'), undefined);
    assert.equal(parseSid(''), undefined);
    assert.deepEqual(aclArguments('f', 'S-1-1-0'), ['f', '/inheritance:r', '/grant:r', '*S-1-1-0:F']);
    const calls: string[] = [];
    const run: Run = (program) => {
      calls.push(program);
      return Promise.resolve({ code: 1, stdout: 'no', stderr: '', timedOut: false });
    };
    await createAclRepair('win32', run)('f');
    assert.deepEqual(calls, ['whoami.exe']);
  });
});
