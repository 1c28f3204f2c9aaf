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

describe('The question about a rental of an agent', () => {
  const { requestQuestion } = loadSource('src/features/agents/agentWords.ts', {
    vscode: { env: {}, l10n: { t: (words: string) => words } },
  }) as typeof product;

  const asked = (quote: object) => {
    const commitment = { perHour: 400_000, stoppedPerHour: 0, from: 0, until: 3_600_000 };
    const common = { offer: { gpuCount: 1, gpuName: 'RTX 4090' }, hours: 1, then: 'destroy', diskGb: 16 };
    const question = requestQuestion({
      request: {
        ...{ tool: 'request_rental', caller: { name: 'claude', door: 'mcp' }, commitment },
        quote: { ...common, perHour: 400_000, total: 400_000, ...quote },
      } as never,
      account: 'me',
      instance: undefined,
      now: 0,
    });
    return (question?.detail ?? '').split('\n');
  };

  it('names the image of a template, and says that a stranger wrote it and what runs by itself', () => {
    const template = { image: 'evil/pytorch:latest', isOfStranger: true, hasStartScript: true };
    const lines = asked({ what: 'PyTorch', template });
    assert.ok(lines.includes('Template: “PyTorch”, image “evil/pytorch:latest”'), lines.join('\n'));
    assert.ok(lines.includes('The template is from another user.'));
    assert.ok(lines.includes('Its on-start script runs on the instance.'));
    const own = asked({ what: 'PyTorch', template: { ...template, isOfStranger: false } });
    assert.ok(!own.some((line) => /another user|on-start/.test(line)));
  });
});
