import assert from 'node:assert/strict';
import { CommandAnswers } from '../../../../src/agents/store/commandAnswers';

describe('the answers to commands of agents', () => {
  it('are kept for the last fifty', () => {
    const answers = new CommandAnswers();
    for (let request = 1; request <= 50; request += 1) {
      answers.keep(String(request), { request });
    }
    assert.deepEqual(answers.find('1'), { request: 1 });
    answers.keep('51', { request: 51 });
    assert.equal(answers.find('1'), undefined);
    assert.deepEqual(answers.find('2'), { request: 2 });
    assert.deepEqual(answers.find('51'), { request: 51 });
  });
});
