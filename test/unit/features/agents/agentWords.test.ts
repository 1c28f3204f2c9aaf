import assert from 'node:assert/strict';
import type * as product from '../../../../src/features/agents/agentWords';
import { loadSource } from '../../../support/fakeEditor/product';

describe('The question about a command of an agent', () => {
  const { requestQuestion } = loadSource('src/features/agents/agentWords.ts', {
    vscode: { l10n: { t: (words: string) => words } },
  }) as typeof product;

  const commandShown = (command: string) => {
    const request = { tool: 'run_command', command, caller: { name: 'the chat', door: 'chat' } };
    const question = requestQuestion({
      request: request as never,
      account: 'me',
      instance: 'trainer',
      now: 0,
    });
    return (question?.detail ?? '').split('\n').slice(1, -2);
  };

  it('counts what it leaves out of a command with many lines, whose end would be off the screen', () => {
    const begin = Array.from({ length: 12 }, (_, at) => `echo ${at}`);
    assert.deepEqual(commandShown(begin.join('\n')), begin);
    const end = `${'\n'.repeat(400)}rm -rf /`;
    assert.deepEqual(commandShown(begin.join('\n') + end), [
      ...begin,
      '… and 408 more characters that are not shown here.',
    ]);
  });
});
