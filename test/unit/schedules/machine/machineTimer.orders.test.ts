import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { armTimer, timerPrograms, verdictOf } from '../../../../src/schedules/machine/machineTimer';
import { UnsafeValueError } from '../../../../src/ssh/validate';

describe('What a timer on the machine is made of', () => {
  for (const [name, program] of Object.entries(timerPrograms)) {
    it(`has nothing in its ${name} that shellcheck or Python objects to`, () => {
      const isPython = program === timerPrograms.call;
      const { status, stdout, stderr } = isPython
        ? spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], { input: program })
        : spawnSync('shellcheck', ['--shell=sh', '-'], { input: program });
      assert.equal(status, 0, `${String(stdout)}${String(stderr)}`);
      assert.ok(!/^# include/m.test(program), 'all parts are there');
    });
  }

  it('refuses an address that is none before anything is sent', async () => {
    const order = { instanceId: 7, action: 'stop', seconds: 600, mode: 'at', token: 'abc123' } as const;
    const never = { exec: () => Promise.reject(new Error('sent')) };
    const urls = [
      'http://example.com',
      'https://a;b',
      'https://$(id)',
      'https://a\nb',
      'file:///etc',
      'https://a b',
      "https://a'b",
    ];
    for (const serviceUrl of urls) {
      await assert.rejects(armTimer(never, 'gpu-1', { ...order, serviceUrl }), UnsafeValueError, serviceUrl);
    }
  });

  it('reads nothing more into the output of the machine than it has', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (lines) => {
        assert.deepEqual(verdictOf(lines.map((line) => `x${line}`)), { kind: 'notKnown' });
      }),
    );
    assert.deepEqual(verdictOf(['armed rm -rf']), { kind: 'notKnown' });
    assert.deepEqual(verdictOf(['status 000']), { kind: 'noAnswer' });
  });
});
