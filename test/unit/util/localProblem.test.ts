import assert from 'node:assert/strict';
import { isLocalProblem, localProblem } from '../../../src/util/localProblem';
import { formatText, text } from '../../../src/util/text';

function problemOf(fields: Readonly<Record<string, string>>): string | undefined {
  const problem = localProblem(Object.assign(new Error('refused'), fields));
  assert.equal(isLocalProblem(problem), problem !== undefined);
  return problem && formatText(problem);
}

describe('What the files of this computer refuse', () => {
  it('is named with its remedy', () => {
    for (const code of ['ENOSPC', 'EDQUOT']) {
      assert.equal(problemOf({ code }), 'The disk of this computer is full. Free some space on it.');
    }
    assert.equal(problemOf({ code: 'EROFS' }), 'The disk of this computer is read-only. Make it writable.');
    for (const code of ['EACCES', 'EPERM']) {
      assert.equal(
        problemOf({ code, syscall: 'open', path: '/a/log' }),
        'This computer denies access to /a/log. Check its permissions.',
      );
    }
  });

  it('is not what a program or a connection is refused', () => {
    for (const syscall of ['spawn ssh', 'connect', 'listen', 'bind']) {
      assert.equal(problemOf({ code: 'EACCES', syscall, path: '/usr/bin/ssh' }), undefined);
    }
    assert.equal(problemOf({ code: 'EPERM', syscall: 'kill' }), undefined);
    assert.equal(problemOf({ code: 'ECONNRESET' }), undefined);
    assert.equal(isLocalProblem(text('The connection was cut.')), false);
  });
});
