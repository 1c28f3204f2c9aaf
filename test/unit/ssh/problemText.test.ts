import assert from 'node:assert/strict';
import type { PreflightProblem } from '../../../src/ssh/preflight';
import { explainFailure, explainVerification } from '../../../src/ssh/problemText';
import { formatText } from '../../../src/util/text';

const failure = (problem: PreflightProblem, keysTried: readonly string[] = []) =>
  ({ ok: false, problem, detail: 'what it said', keysTried }) as const;

const problems: readonly PreflightProblem[] = [
  ...(['refused', 'timedOut', 'unreachable', 'unresolved', 'authentication', 'hostKeyChanged'] as const),
  ...(['notSigned', 'noGreeting', 'startupScript', 'diskFull', 'config', 'other'] as const),
];

describe('The message of a failed login', () => {
  it('is different for each cause, with a button that helps', () => {
    const texts = problems.map((problem) => {
      const { text, fixes } = explainFailure(failure(problem));
      assert.ok(fixes.length >= 2, problem);
      return formatText(text);
    });
    assert.equal(new Set(texts).size, problems.length);
  });

  it('names the keys that were tried', () => {
    const { text, fixes } = explainFailure(failure('authentication', ['SHA256:abc']));
    assert.match(formatText(text), /SHA256:abc/);
    assert.equal(fixes[0], 'attachKey');
  });

  it('offers the agent for a key that asks for a passphrase', () => {
    const { fixes } = explainFailure(failure('authentication'), { lockedFile: '/k' });
    assert.equal(fixes[0], 'unlockKey');
    assert.equal(explainFailure(failure('notSigned'), { lockedFile: '/k' }).fixes[0], 'unlockKey');
    assert.equal(explainFailure(failure('authentication'), { lockedFile: undefined }).fixes[0], 'attachKey');
    assert.equal(explainFailure(failure('notSigned'), { lockedFile: undefined }).fixes[0], 'retry');
  });

  it('never offers to forget a host key before it was seen to change', () => {
    const offering = problems.filter((problem) =>
      explainFailure(failure(problem)).fixes.includes('forgetHostKey'),
    );
    assert.deepEqual(offering, ['hostKeyChanged']);
  });

  it('names the line of the config that is in the way', () => {
    const override = {
      option: 'port',
      wanted: '1',
      found: '2',
      place: { file: '/c', line: 3, text: 'Port 2' },
    };
    const explained = explainVerification({ kind: 'overridden', overrides: [override] });
    assert.match(formatText(explained?.text ?? ''), /Line 3 of \/c .*"Port 2"/);
    const unknown = explainVerification({
      kind: 'overridden',
      overrides: [{ ...override, place: undefined }],
    });
    assert.match(formatText(unknown?.text ?? ''), /gives port the value 2 instead of 1/);
    assert.equal(explainVerification({ kind: 'equal' }), undefined);
    assert.ok(explainVerification({ kind: 'notIncluded' }));
    assert.ok(explainVerification({ kind: 'broken', message: 'x' }));
    assert.equal(explainVerification({ kind: 'overridden', overrides: [] }), undefined);
  });

  it('offers the safe button first where a host key has changed', () => {
    assert.deepEqual(explainFailure(failure('hostKeyChanged')).fixes, ['retry', 'forgetHostKey']);
  });
});
