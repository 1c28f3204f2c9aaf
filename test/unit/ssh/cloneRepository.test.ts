import assert from 'node:assert/strict';
import { CloneNotKnownError, cloneRepository } from '../../../src/ssh/cloneRepository';

const repository = {
  url: 'https://example.com/a/b.git',
  name: 'b',
  protocol: 'https',
  hadSecret: false,
} as const;
type Ssh = Parameters<typeof cloneRepository>[0];

/** What comes of a clone that ends so. */
function cloned(code: number, stdout: string, stderr = '') {
  const exec: Ssh['exec'] = (_, __, { onStdout } = {}) => {
    onStdout?.(stdout);
    return Promise.resolve({ code, stdout, stderr, timedOut: false });
  };
  const percents: number[] = [];
  const onProgress = (percent: number) => void percents.push(percent);
  const work = cloneRepository({ exec }, 'gpu-7', repository, { onProgress });
  return { work, percents };
}

describe('a repository that is cloned on a machine', () => {
  const begun = "folder /workspace/b\nCloning into '/workspace/b'...\n";

  for (const said of ['', begun]) {
    it(`may be there if the connection ended${said === '' ? ' without a message' : ' while it was cloned'}`, async () => {
      await assert.rejects(cloned(255, said, 'Connection closed').work, CloneNotKnownError);
    });
  }

  it('reports its progress and its folder', async () => {
    const { work, percents } = cloned(
      0,
      `${begun}Receiving objects:  10% (1/10)\rReceiving objects:  70% (7/10)\r`,
    );
    assert.deepEqual(await work, { kind: 'cloned', folder: '/workspace/b' });
    assert.deepEqual(percents, [70]);
  });

  it('shows git’s reason alone if there is one, otherwise its last lines', async () => {
    const chatter = 'remote: Enumerating\nwarning: something\n';
    await assert.rejects(cloned(128, `${begun}${chatter}fatal: early EOF\n`).work, (error: Error) => {
      assert.match(error.message, /fatal: early EOF/);
      assert.doesNotMatch(error.message, /Enumerating|warning/);
      return true;
    });
    await assert.rejects(cloned(1, `${begun}one\ntwo\nthree\nfour\n`).work, /two three four/);
  });
});
