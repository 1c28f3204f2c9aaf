import assert from 'node:assert/strict';
import fc from 'fast-check';
import { overHttps, parseRepositoryUrl } from '../../../src/ssh/repositoryUrl';

describe('The address of a git remote', () => {
  const good: readonly (readonly [string, string, string, boolean])[] = [
    ['https://github.com/team/model.git', 'https://github.com/team/model.git', 'model', false],
    ['https://github.com/team/model', 'https://github.com/team/model', 'model', false],
    ['https://me:tok@git.example:8443/a/b/c.git', 'https://git.example:8443/a/b/c.git', 'c', true],
    ['https://ghp_secret@github.com/team/model.git', 'https://github.com/team/model.git', 'model', true],
    [
      'https://git.example/team/model.git?private_token=x#y',
      'https://git.example/team/model.git',
      'model',
      true,
    ],
    [
      'ssh://git@git.example:2222/team/model.git',
      'ssh://git@git.example:2222/team/model.git',
      'model',
      false,
    ],
    ['ssh://git:secret@git.example/team/model.git', 'ssh://git@git.example/team/model.git', 'model', true],
    ['git@github.com:team/model.git', 'ssh://git@github.com/team/model.git', 'model', false],
    ['git.example:team/model.git', 'ssh://git.example/team/model.git', 'model', false],
  ];
  for (const [remote, url, name, hadSecret] of good) {
    it(`${remote} is cloned from ${url}`, () => {
      const parsed = parseRepositoryUrl(remote);
      assert.deepEqual([parsed?.url, parsed?.name, parsed?.hadSecret], [url, name, hadSecret]);
    });
  }

  for (const bad of [
    '',
    '/srv/git/model.git',
    '../model',
    'file:///srv/git/model.git',
    'http://git.example/team/model.git',
    'git://git.example/team/model.git',
    'ext::sh -c touch% /tmp/x',
    '--upload-pack=touch /tmp/x',
    '-oProxyCommand=x:y',
    'ssh://-oProxyCommand=x/y',
    'ssh://git@git.example/-x',
    'ssh://-x@git.example/team/model',
    'https://git.example/team/$(touch x)',
    "https://git.example/team/a'b",
    'https://git.example/team/a b',
    'https://git.example/../..',
    'https://git.example/',
    'https://git.example/team/.git',
    'git@host:a\nb',
    `https://git.example/${'a'.repeat(2000)}`,
  ]) {
    it(`${JSON.stringify(bad.slice(0, 50))} is not`, () => {
      assert.equal(parseRepositoryUrl(bad), undefined);
    });
  }

  it('is over HTTPS too, where the host is known to serve it so', () => {
    const ssh = parseRepositoryUrl('git@github.com:team/model.git');
    assert.ok(ssh);
    assert.equal(overHttps(ssh)?.url, 'https://github.com/team/model.git');
    const other = parseRepositoryUrl('git@git.example:team/model.git');
    assert.ok(other);
    assert.equal(overHttps(other), undefined);
  });

  it('is made of plain parts, for any text of the config', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((part) => `git@h.example:${part}`),
        ),
        (remote) => {
          const parsed = parseRepositoryUrl(remote);
          if (parsed) {
            assert.match(
              parsed.url,
              /^(?:https:\/\/|ssh:\/\/(?:[A-Za-z0-9][\w.-]*@)?)[A-Za-z0-9.:[\]-]+\/[\w./~+@-]+$/,
            );
            assert.match(parsed.name, /^\w[\w.+-]*$/);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
