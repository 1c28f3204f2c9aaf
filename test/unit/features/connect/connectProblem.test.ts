import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { ConnectProblem } from '../../../../src/features/connect/connectProblem';
import type { ConnectFix } from '../../../../src/ssh/problemText';
import { text } from '../../../../src/util/text';
import { textsOn, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

const fixes: readonly ConnectFix[] = [
  ...(['retry', 'waitLonger', 'openTerminal', 'attachKey', 'forgetHostKey'] as const),
  ...(['openConfig', 'unlockKey', 'protectKey', 'connectAnyway', 'showLog'] as const),
];

describe('A connection that fails', () => {
  const screen = useScreen();
  const done: string[] = [];
  let agent: object;
  let verification: object;
  let refusal: Error | undefined;
  const note = (what: string) => (subject?: unknown) => {
    done.push(typeof subject === 'string' ? `${what} ${subject}` : what);
    return refusal ? Promise.reject(refusal) : Promise.resolve();
  };
  const flush = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await setImmediate();
    }
  };

  /** Shows the failure, and presses these buttons one after the other. */
  const fix = async (...buttons: readonly string[]) => {
    const problem = new ConnectProblem(
      only({
        log: { show: note('log') },
        report: {
          error: (error: unknown, { retry }: { retry: () => Promise<void> }) => {
            done.push(String(error));
            refusal = undefined;
            void retry();
          },
        },
        ssh: { agent: () => Promise.resolve(agent), forgetHostKey: note('forget'), tighten: note('tighten') },
        patience: {},
      }),
      only({
        machine: {},
        host: {
          ...{ alias: 'gpu-7', userConfig: '/home/me/.ssh/config', verification },
          identity: { lockedFile: '/home/me/.ssh/id' },
        },
        explained: { text: text('It does not answer.'), fixes },
      }),
    );
    const end = problem.show({
      ...{ retry: note('retry'), waitLonger: note('wait') },
      ...{ openTerminal: note('terminal'), connectAnyway: note('connect') },
    });
    for (const button of buttons) {
      await flush();
      screen.messages.shown.at(-1)?.press(button);
    }
    await flush();
    for (const one of [...screen.messages.shown]) {
      one.close();
    }
    await end;
    return done.splice(0);
  };

  beforeEach(() => {
    agent = { isRunning: true, asked: 'environment' };
    verification = { kind: 'checked' };
    refusal = undefined;
    textsOn(screen);
  });

  it('is shown with each way to continue', async () => {
    await fix();
    assert.deepEqual(textsOn(screen), [
      'error It does not answer. [Retry, Wait up to 60 s, Open Terminal, Attach SSH Key…, Forget the Old Key, ' +
        'Open SSH Config, Add to Agent, Make Private, Connect Anyway, Show Log]',
    ]);
  });

  it('continues as chosen', async () => {
    assert.deepEqual(await fix('Retry'), ['retry']);
    assert.deepEqual(await fix('Wait up to 60 s'), ['wait']);
    assert.deepEqual(await fix('Open Terminal'), ['terminal']);
    assert.deepEqual(await fix('Connect Anyway'), ['connect']);
    assert.deepEqual(await fix('Show Log'), ['log']);
    assert.deepEqual(await fix('Make Private'), ['tighten', 'retry']);
  });

  it('forgets the old key of the host once that is confirmed', async () => {
    assert.deepEqual(await fix('Forget the Old Key', 'Forget and Retry'), ['forget gpu-7', 'retry']);
    assert.deepEqual(await fix('Forget the Old Key', 'Cancel'), []);
  });

  it('opens the line of the config that is in the way, else the config', async () => {
    const opened = async () => {
      await fix('Open SSH Config');
      const { active } = screen.documents;
      return `${active?.document.uri.path ?? ''}:${active?.selection.start.line ?? ''}`;
    };
    screen.documents.files.contents.set('file', { provideTextDocumentContent: () => 'Host *\n' });
    assert.equal(await opened(), '/home/me/.ssh/config:0');
    const place = { file: '/etc/ssh/other', line: 7 };
    verification = { kind: 'overridden', overrides: [{}, { place }] };
    assert.equal(await opened(), '/etc/ssh/other:6');
    verification = { kind: 'overridden', overrides: [{}] };
    assert.equal(await opened(), '/home/me/.ssh/config:0');
  });

  it('adds the key to the agent in a terminal, and retries once the agent has it', async () => {
    for (const [code, wanted] of [
      [0, ['retry']],
      [1, []],
    ] as const) {
      const end = fix('Add to Agent');
      await flush();
      const terminal = screen.terminals.all.at(-1);
      assert.equal(terminal?.name, 'ssh-add');
      screen.terminals.close(terminal, code);
      assert.deepEqual(await end, wanted);
    }
  });

  it('explains that no agent runs, with the command that starts one', async () => {
    agent = { isRunning: false, asked: 'environment' };
    assert.deepEqual(await fix('Add to Agent', 'Open Terminal'), ['terminal']);
    assert.match(
      textsOn(screen).at(-1) ?? '',
      /^error No SSH agent.*\[Copy Command, Open Terminal, Retry\]$/,
    );
    agent = { isRunning: false, asked: 'none' };
    assert.deepEqual(await fix('Add to Agent'), []);
    assert.match(textsOn(screen).at(-1) ?? '', /^error ssh uses no SSH agent.*\[Open Terminal, Retry\]$/);
  });

  it('shows what went wrong, and the connection can be tried again', async () => {
    refusal = new Error('The disk is full.');
    assert.deepEqual(await fix('Make Private'), ['tighten', 'Error: The disk is full.', 'retry']);
  });
});
