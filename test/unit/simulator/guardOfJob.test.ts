import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { packOnstart } from '../../../src/api/onstart';
import { guardMark, withGuard, withoutGuard } from '../../../src/model/rentals/birthGuard';
import { birthLine, timerPrograms } from '../../../src/schedules/machine/machineTimer';
import { guardHash, guardLineOf } from '../../../src/simulator/login/guardOfJob';
import { withoutComments } from '../../../src/ssh/shellProgram';

describe('the on-start script of a simulated machine', () => {
  const line = birthLine({ serviceUrl: 'http://127.0.0.1:8787', seconds: 60, fetchSeconds: 9 });

  it('is run as far as it is the guard of a job', () => {
    const program = withoutComments(timerPrograms.birth);
    assert.equal(createHash('sha256').update(program).digest('hex'), guardHash);
    assert.equal(`${guardLineOf(line) ?? ''}\n`, line);
  });

  it('is run in the packed form as well', () => {
    const long = withGuard(Array.from({ length: 50 }, (_, at) => `echo step ${at}`).join('\n'), line) ?? '';
    assert.notEqual(packOnstart(long), long);
    assert.equal(`${guardLineOf(packOnstart(long)) ?? ''}\n`, line);
  });

  for (const [what, script] of [
    [
      'another program in its place',
      line.replace(/echo \S+/, `echo ${Buffer.from('rm -rf /').toString('base64')}`),
    ],
    ['an address elsewhere', line.replace('http://127.0.0.1:8787', 'https://elsewhere.example')],
    ['a command behind the address', line.replace(':8787', ':8787; touch /tmp/x')],
    ['a command in front', `touch /tmp/x; ${line}`],
    ['a command behind', line.replace('\n', '; touch /tmp/x')],
    ['only its mark', `touch /tmp/x ${guardMark}`],
    ['what cannot be unpacked', line.replace(/echo \S+/, 'echo H4sI')],
    ['nothing', ''],
  ] as const) {
    it(`is not run with ${what}`, () => {
      assert.equal(guardLineOf(script), undefined);
    });
  }

  it('is the user’s again without the guard', () => {
    const own = 'echo one\necho two\n';
    assert.equal(withoutGuard(withGuard(own, line) ?? ''), own);
    assert.equal(withoutGuard(line), '');
  });
});
