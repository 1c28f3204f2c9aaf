import assert from 'node:assert/strict';
import { isAbsolute } from 'node:path';
import fc from 'fast-check';
import { accountHome, homeFolder, hostName, userName, type SystemFacts } from '../../../src/util/thisUser';
import { sized, testSeed } from '../../support/seeded';

const account: ReturnType<SystemFacts['userInfo']> = {
  username: 'ada',
  uid: 1000,
  gid: 1000,
  shell: '/bin/sh',
  homedir: '/srv/ada',
};

/** A system in which each of these facts is there, empty, or refused as for a user without an entry. */
const systems = fc
  .record({
    entry: fc.constantFrom('there', 'empty', 'refused'),
    home: fc.constantFrom('/home/ada', '', 'relative', undefined),
    host: fc.constantFrom('laptop', '', undefined),
  })
  .map(({ entry, home, host }): SystemFacts => {
    const refused = (): never => {
      throw Object.assign(new Error('uv_os_get_passwd returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' });
    };
    return {
      userInfo: (() =>
        entry === 'refused'
          ? refused()
          : entry === 'empty'
            ? { ...account, username: '', homedir: '' }
            : account) as SystemFacts['userInfo'],
      homedir: () => home ?? refused(),
      hostname: () => host ?? refused(),
    };
  });

const variables = fc.record(
  Object.fromEntries(
    ['HOME', 'USERPROFILE', 'USER', 'LOGNAME', 'USERNAME', 'HOSTNAME', 'COMPUTERNAME'].map((name) => [
      name,
      fc.constantFrom('', /HOME|PROFILE/.test(name) ? '/home/of-variable' : 'of-variable'),
    ]),
  ),
  { requiredKeys: [] },
);

describe('the user of this computer', () => {
  it('has folders and names if the system refuses some of them, the first that is known', () => {
    fc.assert(
      fc.property(systems, variables, (system, env) => {
        assert.ok(isAbsolute(homeFolder(system, env)));
        assert.ok(isAbsolute(accountHome(system, env)));
        assert.notEqual(hostName(system, env), '');
        const knowsName = [env['USER'], env['LOGNAME'], env['USERNAME']].includes('of-variable');
        const name = userName(system, env);
        assert.ok(name === 'ada' || name === (knowsName ? 'of-variable' : undefined), name);
      }),
      { seed: testSeed, numRuns: sized(500, 5000) },
    );
  });

  it('has the home of the account where it is known, and that of the environment where it is not', () => {
    const known: SystemFacts = {
      userInfo: (() => account) as SystemFacts['userInfo'],
      homedir: () => '/home/ada',
      hostname: () => 'laptop',
    };
    const unknown: SystemFacts = {
      ...known,
      userInfo: () => {
        throw new Error('ENOENT');
      },
    };
    assert.deepEqual(
      [known, unknown].map((system) => [accountHome(system, {}), homeFolder(system, {})]),
      [
        ['/srv/ada', '/home/ada'],
        ['/home/ada', '/home/ada'],
      ],
    );
  });

  it('is on a computer without a name like no other', () => {
    const nameless: SystemFacts = {
      userInfo: (() => account) as SystemFacts['userInfo'],
      homedir: () => '/home/ada',
      hostname: () => '',
    };
    assert.notEqual(hostName(nameless, {}), hostName(nameless, {}));
  });
});
