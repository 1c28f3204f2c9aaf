import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  isTerminalName,
  keptNameInArguments,
  keptTerminalScript,
  parseTerminals,
  terminalCommand,
  terminalsScript,
} from '../../../src/ssh/terminals';

describe('the terminals that a machine lists', () => {
  it('are read by a script that shellcheck has no objection to', () => {
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '-'], { input: terminalsScript });
    assert.equal(status, 0, String(stdout));
  });

  it('are read by busybox as well', () => {
    const { stdout } = spawnSync('busybox', ['sh', '-c', terminalsScript], { input: '', encoding: 'utf8' });
    assert.ok(parseTerminals(stdout), stdout);
  });

  it('are known with their programs', () => {
    const seen = parseTerminals('tmux there\nsession a-1 0/9 idle bash\nsession b-2 1/9 busy python3\nend\n');
    assert.deepEqual(seen, {
      tmux: 'there',
      kept: [
        { name: 'a-1', isShown: false, shownSince: 9, isBusy: false, command: 'bash' },
        { name: 'b-2', isShown: true, shownSince: 9, isBusy: true, command: 'python3' },
      ],
    });
  });

  it('are none where it has no tmux, or no server of ours', () => {
    assert.deepEqual(parseTerminals('tmux apt\nend\n'), { tmux: 'installable', kept: [] });
    assert.deepEqual(parseTerminals('tmux none\nend\n'), { tmux: 'missing', kept: [] });
    assert.deepEqual(parseTerminals('tmux there\n\nend\n'), { tmux: 'there', kept: [] });
  });

  for (const answer of ['', 'tmux there\nsession a-1 0/9 idle bash\n', 'session a-1 0/9 idle bash\nend\n']) {
    it(`are unknown after half an answer: ${JSON.stringify(answer)}`, () => {
      assert.equal(parseTerminals(answer), undefined);
    });
  }

  it('have only names and words that are safe, however many parts they have', () => {
    const seen = parseTerminals(
      [
        'tmux there',
        'session ../x 0/9 idle bash',
        "session a';reboot 0/9 idle bash",
        `session a-1 0/9 idle \u001b]0;x\u0007[x](command:y)$(zap) ${'w'.repeat(90)}`,
        'session a-1 0/9 busy sleep',
        'session a-1 0/9 idle bash',
        'session -x 0/9 idle bash',
        'end',
      ].join('\n'),
    );
    assert.deepEqual(seen?.kept, [
      { name: 'a-1', isShown: false, shownSince: 9, isBusy: true, command: 'bash' },
    ]);
    const long = `tmux there\nsession a 0/9 busy \u001b]0;x\u0007$(zap) ${'w'.repeat(90)}\nend`;
    const many = Array.from({ length: 9_000 }, (_, one) => `session a-${one} 0/9 idle bash`);
    assert.equal(parseTerminals(['tmux there', ...many, 'end'].join('\n'))?.kept.length, 100);
    assert.equal(parseTerminals(long)?.kept[0]?.command, `$ (zap) ${'w'.repeat(32)}`);
  });
});

describe('the command of a terminal that keeps running', () => {
  const command = terminalCommand(['ssh', '-F', '/my config', 'gpu-7'], keptTerminalScript('ml-1'));

  it('asks for a terminal, and lets no line of the user run something else in it', () => {
    const [program, ...args] = command;
    assert.equal(program, 'ssh');
    assert.deepEqual(args.slice(0, -1), ['-F', '/my config', '-t', '-o', 'RemoteCommand=none', 'gpu-7']);
  });

  it('uses our own server, without a file that configures it', () => {
    assert.match(keptTerminalScript('ml-1'), /tmux -u -L gpu-rental -f \/dev\/null start-server /);
    assert.match(keptTerminalScript('ml-1'), / new-session -A -D -s ml-1 && exit; /);
  });

  it('is recognized by its name, and no other one is', () => {
    assert.equal(keptNameInArguments(command.slice(1)), 'ml-1');
    assert.equal(keptNameInArguments(['-c', keptTerminalScript('a')]), 'a');
    assert.equal(keptNameInArguments(['-c', keptTerminalScript('a', 'sh "$HOME/b"')]), 'a');
    assert.equal(keptNameInArguments(['gpu-7']), undefined);
    assert.equal(keptNameInArguments(undefined), undefined);
  });

  for (const name of ['', '-x', 'A', 'a b', 'a.b', "a'b", 'a;b', 'a\nb', 'x'.repeat(41)]) {
    it(`refuses the name ${JSON.stringify(name)}`, () => {
      assert.equal(isTerminalName(name), false);
      assert.throws(() => keptTerminalScript(name));
    });
  }
});
