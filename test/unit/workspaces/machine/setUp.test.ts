import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../../../src/ssh/alias';
import {
  environmentStep,
  identityStep,
  laterProgram,
  logOf,
  parseSetUp,
  scriptStep,
  setUpInput,
  type SetUpOrder,
  type WantedStep,
} from '../../../../src/workspaces/machine/setUp/machineSetUp';
import setUp from '../../../../src/workspaces/machine/setUp/setUp.sh';
import { placeOf } from '../../../support/machinePrograms';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

describe('The set-up of a machine', () => {
  let base = '';
  useFolder((made) => (base = made));
  const folder = () => base;
  const home = () => join(folder(), 'José');
  const at = (...parts: readonly string[]) => join(home(), ...parts);
  const put = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  const read = (...parts: readonly string[]) => readFileSync(at(...parts), 'utf8');

  beforeEach(() => {
    mkdirSync(home());
  });

  const environmentOf = (more: NodeJS.ProcessEnv = {}) => ({
    PATH: process.env['PATH'],
    HOME: home(),
    GIT_CONFIG_NOSYSTEM: '1',
    ...more,
  });
  /** Runs the program as a login does; the states by step. */
  const order = (given: SetUpOrder, more: NodeJS.ProcessEnv = {}) => {
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', setUp], {
      input: setUpInput(given),
      env: environmentOf(more),
      cwd: home(),
      encoding: 'utf8',
    });
    const seen = parseSetUp(stdout);
    assert.ok(seen, stdout + stderr);
    assert.equal(seen.home, home());
    return Object.fromEntries(seen.steps.map(({ step, state }) => [step, state]));
  };
  /** Runs the steps that may take long, as a terminal does. */
  const runLater = (more: NodeJS.ProcessEnv = {}) =>
    spawnSync('/bin/sh', ['-c', laterProgram], {
      input: '',
      env: environmentOf(more),
      encoding: 'utf8',
    }).stdout;
  const want = (...wanted: readonly WantedStep[]) => order({ wanted });
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { env: environmentOf(), encoding: 'utf8', stdio: 'pipe' }).trim();

  /** A repository of dotfiles on this computer, with these files. */
  const repository = (files: Readonly<Record<string, string>>) => {
    const place = join(folder(), 'origin');
    git('init', '-q', place);
    for (const [name, content] of Object.entries(files)) {
      put(join(place, name), content);
      if (name.endsWith('.sh')) {
        chmodSync(join(place, name), 0o755);
      }
    }
    commit(place);
    return place;
  };
  const commit = (place: string) => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    git('-C', place, 'add', '-A');
    git('-C', place, ...who, 'commit', '-q', '-m', 'x');
  };
  const dotfiles = (address: string): WantedStep => ({ step: 'dotfiles', lines: [address] });

  describe('with a git identity', () => {
    it('sets it once, and nothing else of the config', () => {
      assert.deepEqual(want(identityStep('Ada "L" $(touch x)', 'ada@example.com')), { identity: 0 });
      assert.equal(git('config', '--global', 'user.name'), 'Ada "L" $(touch x)');
      assert.equal(git('config', '--global', '--list').split('\n').length, 2);
      assert.ok(!existsSync(at('x')));
    });

    it('keeps a name of the machine, and sets the address that is missing', () => {
      put(at('.gitconfig'), '[user]\n\tname = Image\n[safe]\n\tdirectory = *\n');
      want(identityStep('Ada', 'ada@example.com'));
      assert.equal(git('config', 'user.name'), 'Image');
      assert.equal(git('config', 'user.email'), 'ada@example.com');
      assert.equal(git('config', 'safe.directory'), '*');
    });

    it('changes its own one with the setting', () => {
      want(identityStep('Ada', 'ada@example.com'));
      want(identityStep('Ada', 'new@example.com'));
      assert.equal(git('config', 'user.email'), 'new@example.com');
    });

    it('fails without git, and is tried again at the next login', () => {
      const bin = join(folder(), 'bin');
      mkdirSync(bin);
      for (const tool of ['sh', 'mkdir', 'chmod', 'mv', 'rm', 'head', 'sed', 'date', 'cat', 'grep', 'cp']) {
        symlinkSync(placeOf(tool), join(bin, tool));
      }
      const wanted = [identityStep('Ada', 'ada@example.com')];
      assert.deepEqual(order({ wanted }, { PATH: bin }), { identity: 127 });
      assert.match(read('.gpu-rental', 'setup', 'identity.log'), /git is not installed/);
      assert.deepEqual(order({ wanted }), { identity: 0 });
    });
  });

  describe('with variables', () => {
    const value = 'it\'s "$HOME" `x`\nsecond \\n line';
    const variables = environmentStep(new Map([['HF_TOKEN', value]]));
    const shell = (program: string, ...args: readonly string[]) =>
      spawnSync(program, [...args, 'printf %s "$HF_TOKEN"'], {
        env: environmentOf(),
        cwd: home(),
        encoding: 'utf8',
        input: '',
      }).stdout;

    it('gives them to shells, from a file that others can’t read', () => {
      put(at('.bashrc'), 'case $- in *i*) ;; *) return;; esac\nexec zsh -c "$BASH_EXECUTION_STRING"\n');
      assert.deepEqual(want(variables), { environment: 0 });
      assert.equal(shell('bash', '-lc'), value);
      assert.equal(shell('sh', '-lc'), value);
      assert.equal(shell('zsh', '-c'), value);
      assert.equal(shell('bash', '-ic'), value);
      assert.equal(statSync(at('.gpu-rental', 'setup', 'environment.want')).mode & 0o777, 0o600);
      assert.equal(statSync(at('.gpu-rental', 'setup')).mode & 0o777, 0o700);
    });

    it('keeps the rest of the files of shells, their mode, and adds its line once', () => {
      put(at('.bashrc'), 'alias a=b\r\n');
      chmodSync(at('.bashrc'), 0o640);
      want(variables);
      order({ wanted: [variables], again: ['environment'] });
      const lines = read('.bashrc').split('\n');
      assert.equal(lines.length, 3);
      assert.equal(lines[1], 'alias a=b\r');
      assert.equal(statSync(at('.bashrc')).mode & 0o777, 0o640);
    });

    it('removes all of it again', () => {
      put(at('.bashrc'), 'alias a=b\n');
      want(variables);
      assert.deepEqual(order({ dropped: ['environment'] }), {});
      assert.equal(read('.bashrc'), 'alias a=b\n');
      assert.equal(shell('bash', '-lc'), '');
      assert.ok(!existsSync(at('.gpu-rental', 'setup', 'environment.want')));
    });

    it('uses the files of the system for root, so that dotfiles stay as they are', () => {
      const etc = join(folder(), 'etc');
      put(join(etc, 'profile.d', 'a.sh'), '');
      put(join(etc, 'bash.bashrc'), 'x=1\n');
      put(at('.bashrc'), 'alias a=b\n');
      assert.deepEqual(order({ wanted: [variables] }, { GPU_RENTAL_ETC: etc }), { environment: 0 });
      assert.equal(read('.bashrc'), 'alias a=b\n');
      assert.match(readFileSync(join(etc, 'bash.bashrc'), 'utf8'), /^\[.* # GPU Rental\nx=1\n$/);
      assert.equal(statSync(join(etc, 'profile.d', 'gpu-rental.sh')).mode & 0o777, 0o644);
    });
  });

  describe('with dotfiles', () => {
    it('runs the first of their installers, without questions', () => {
      const place = repository({
        'install.sh': '#!/bin/sh\nread -r x; echo "$DEBIAN_FRONTEND:$GIT_TERMINAL_PROMPT:$x" >"$HOME/ran"\n',
        setup: 'echo no >>"$HOME/ran"\n',
        '.vimrc': '',
      });
      assert.deepEqual(want(dotfiles(place)), { dotfiles: 'waits' });
      assert.match(runLater(), /Running install\.sh/);
      assert.equal(read('ran'), 'noninteractive:0:\n');
      assert.ok(!existsSync(at('.vimrc')));
      assert.deepEqual(order({}), { dotfiles: 0 });
    });

    it('links them into the home folder, and loses nothing that is in the way', () => {
      const names = ['.vimrc', '.a b\n$(touch x)', '.config/nvim', '.gitignore', '.link'];
      const place = repository({ ...Object.fromEntries(names.map((name) => [name, name])), readme: '' });
      put(at('.vimrc'), 'old');
      put(at('.vimrc.bak'), 'older');
      put(at('.config', 'mine'), 'mine');
      symlinkSync('elsewhere', at('.link'));
      want(dotfiles(place));
      const said = runLater();
      assert.match(said, /\.config is a folder and stays/);
      assert.equal(readlinkSync(at('.vimrc')), at('dotfiles', '.vimrc'));
      assert.equal(read('.vimrc.bak'), 'older');
      assert.equal(read('.vimrc.bak-2'), 'old');
      assert.equal(readlinkSync(at('.link.bak')), 'elsewhere');
      assert.equal(read('.config', 'mine'), 'mine');
      assert.equal(read('.a b\n$(touch x)'), '.a b\n$(touch x)');
      assert.ok(!existsSync(at('x')) && !existsSync(at('.gitignore')) && !existsSync(at('readme')));
      assert.ok(!lstatSync(at('.config')).isSymbolicLink());
    });

    it('run once for their address, and again where that changed or the user wants it', () => {
      const place = repository({ 'install.sh': '#!/bin/sh\necho ran >>"$HOME/ran"\n' });
      want(dotfiles(place));
      runLater();
      want(dotfiles(place));
      assert.equal(runLater(), '');
      assert.deepEqual(order({ wanted: [dotfiles(place)], again: ['dotfiles'] }), { dotfiles: 'waits' });
      put(join(place, 'new'), '');
      commit(place);
      runLater();
      assert.equal(read('ran'), 'ran\nran\n');
      assert.ok(existsSync(at('dotfiles', 'new')));
      assert.deepEqual(want(dotfiles(`${place}/`)), { dotfiles: 'waits' });
      assert.match(runLater(), /clone of another repository/);
      assert.deepEqual(order({}), { dotfiles: 1 });
    });

    it('continue with what is there where they can’t be updated', () => {
      const place = repository({ 'install.sh': '#!/bin/sh\necho ran >>"$HOME/ran"\n' });
      want(dotfiles(place));
      runLater();
      rmSync(place, { recursive: true });
      order({ again: ['dotfiles'] });
      assert.match(runLater(), /Could not update/);
      assert.equal(read('ran'), 'ran\nran\n');
      assert.deepEqual(order({}), { dotfiles: 0 });
    });

    it('fail where their folder is something else, which stays', () => {
      put(at('dotfiles', 'mine'), 'mine');
      want(dotfiles(join(folder(), 'origin')));
      assert.match(runLater(), /is no clone/);
      assert.equal(read('dotfiles', 'mine'), 'mine');
      assert.deepEqual(order({}), { dotfiles: 1 });
    });

    it('run again on a machine that was recycled', () => {
      const place = repository({ 'install.sh': '#!/bin/sh\necho ran >>"$HOME/ran"\n' });
      want(dotfiles(place));
      runLater();
      rmSync(home(), { recursive: true });
      mkdirSync(home());
      assert.deepEqual(want(dotfiles(place)), { dotfiles: 'waits' });
      runLater();
      assert.equal(read('ran'), 'ran\n');
    });
  });

  describe('with a long step', () => {
    const script = (content: string) => dotfiles(repository({ 'install.sh': `#!/bin/sh\n${content}\n` }));

    it('gives it the variables, and keeps its code and its log', () => {
      want(environmentStep(new Map([['HF_TOKEN', 'abc']])), script('pwd; echo "$HF_TOKEN" >&2; exit 3'));
      assert.match(runLater(), /GPU Rental: failed: dotfiles/);
      const log = read('.gpu-rental', 'setup', 'dotfiles.log');
      assert.ok(log.endsWith(`Running install.sh\n${at('dotfiles')}\nabc\n`), log);
      assert.deepEqual(order({}), { environment: 0, dotfiles: 3 });
      assert.equal(runLater(), '');
    });

    it('does not wait for what it leaves running', () => {
      want(script('sleep 86399 & echo $! >"$HOME/pid"'));
      runLater();
      process.kill(Number(read('pid')));
      assert.deepEqual(order({}), { dotfiles: 0 });
    });

    it('is waited for, whether it has begun or not', async () => {
      want(script('exit 4'));
      const waiting = spawn('/bin/sh', ['-c', setUp], { env: environmentOf(), stdio: 'pipe' });
      let said = '';
      waiting.stdout.on('data', (piece: Buffer) => (said += piece.toString()));
      waiting.stdin.end(setUpInput({ waits: true }));
      await until('the wait', () => said.includes('.'));
      runLater();
      await once(waiting, 'close');
      assert.deepEqual(parseSetUp(said)?.steps, [{ step: 'dotfiles', state: 4 }]);
    });

    it('runs alone where another one was killed, and its number is that of another process', () => {
      want(script('exit 4'));
      for (const left of [`${process.pid} 1`, `${process.pid}`, '999999 ', '']) {
        put(at('.gpu-rental', 'setup', 'runner'), `${left}\n`);
        assert.deepEqual(order({ again: ['dotfiles'] }), { dotfiles: 'waits' });
        assert.match(runLater(), /failed: dotfiles/);
        assert.ok(!existsSync(at('.gpu-rental', 'setup', 'runner')));
      }
    });

    it('is shown while it runs, and runs once where several start it', () => {
      want(script('sh -c "$INSIDE" </dev/null >"$HOME/seen"; echo ran >>"$HOME/ran"'));
      const INSIDE = `(${laterProgram} >"$HOME/other" 2>&1 &); printf %s "$INPUT" | sh -c "$SETUP"`;
      runLater({ INSIDE, INPUT: setUpInput({}), SETUP: setUp });
      assert.deepEqual(parseSetUp(read('seen'))?.steps, [{ step: 'dotfiles', state: 'running' }]);
      runLater();
      assert.equal(read('ran'), 'ran\n');
    });
  });

  describe('with the script of a workspace file', () => {
    const secret = environmentStep(new Map([['HF_TOKEN', 'abc']]));

    it('runs it after the dotfiles, in the copy of its folder, and ends with what fails', () => {
      put(at('copy', '.vscode', 'gpu-rental.json'), '{}');
      const place = repository({ 'install.sh': '#!/bin/sh\ntouch "$HOME/first"\n' });
      const script = scriptStep(
        'ls "$HOME/first"\npwd; echo "$HF_TOKEN"\nfalse\ntouch "$HOME/last"',
        at('copy'),
      );
      assert.deepEqual(want(secret, script, dotfiles(place)), {
        environment: 0,
        dotfiles: 'waits',
        script: 'waits',
      });
      assert.match(runLater(), /GPU Rental: failed: script/);
      assert.equal(
        read('.gpu-rental', 'setup', 'script.log'),
        `Running in ${at('copy')}\n${at('first')}\n${at('copy')}\nabc\n`,
      );
      assert.ok(!existsSync(at('last')));
      assert.deepEqual(order({}), { environment: 0, dotfiles: 0, script: 1 });
    });

    it('runs it in the home folder where the place is another folder, or has another workspace file', () => {
      const copy = at('copy');
      put(join(copy, '.vscode', 'gpu-rental.json'), '{}');
      mkdirSync(at('other'));
      const others = [[at('other')], [at('nowhere')], [undefined], [copy, sha256('{ }')]] as const;
      for (const [place, hash, ran = home()] of [...others, [copy, sha256('{}'), copy]] as const) {
        want(scriptStep(`pwd; : ${place ?? ''} ${hash ?? ''}`, place, hash));
        runLater();
        assert.equal(read('.gpu-rental', 'setup', 'script.log'), `Running in ${ran}\n${ran}\n`);
      }
    });

    it('runs each version once, in any place and order', () => {
      for (const name of ['a', 'b', 'a', 'b', 'a ']) {
        put(at('copy', '.vscode', 'gpu-rental.json'), '{}');
        want(scriptStep(`echo ${name} >>"$HOME/ran"; exit 3`, name === 'b' ? at('copy') : undefined));
        runLater();
        assert.deepEqual(order({}), { script: 3 });
      }
      assert.equal(read('ran'), 'a\nb\na\n');
      assert.deepEqual(order({ again: ['script'] }), { script: 'waits' });
      runLater();
      assert.equal(read('ran'), 'a\nb\na\na\n');
      assert.deepEqual(order({ dropped: ['script'] }), {});
    });
  });

  it('warns about line ends of Windows in an installer', () => {
    want(dotfiles(repository({ 'install.sh': '#!/bin/sh\r\nexit 0\r\n' })));
    assert.match(runLater(), /install\.sh has line ends of Windows \(CRLF\)/);
    want(dotfiles(repository({ 'install.sh': '#!/bin/sh\nprintf a\\\r\n' })));
    order({ again: ['dotfiles'] });
    assert.doesNotMatch(runLater(), /CRLF/);
  });

  it('knows what the window has done, for the input that it was', () => {
    const [one, two] = ['a.b', 'c.d'].map((id): WantedStep => ({ step: 'extensions', lines: [id] }));
    assert.ok(one && two);
    assert.deepEqual(want(one), { extensions: 'waits' });
    assert.deepEqual(order({ done: { of: two, isOk: true, log: ['x'] } }), { extensions: 'waits' });
    assert.deepEqual(order({ done: { of: one, isOk: false, log: ['a.b: not found'] } }), { extensions: 1 });
    assert.equal(read('.gpu-rental', 'setup', 'extensions.log'), 'a.b: not found\n');
    assert.deepEqual(order({ wanted: [one], done: { of: one, isOk: true, log: [] } }), { extensions: 0 });
    assert.deepEqual(want(two), { extensions: 'waits' });
  });

  it('keeps what two windows send at once', async () => {
    const wanted = [identityStep('Ada', 'ada@example.com'), environmentStep(new Map([['A', 'b']]))];
    const ends = Array.from({ length: 6 }, () => {
      const login = spawn('/bin/sh', ['-c', setUp], {
        env: environmentOf(),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      login.stdin.end(setUpInput({ wanted }));
      return once(login, 'close');
    });
    assert.deepEqual(
      await Promise.all(ends),
      ends.map(() => [0, null]),
    );
    assert.deepEqual(order({}), { identity: 0, environment: 0 });
  });

  it('keeps no input that was cut off', () => {
    want(identityStep('Ada', 'ada@example.com'));
    const whole = setUpInput({ wanted: [environmentStep(new Map([['A', 'b']]))], dropped: ['identity'] });
    for (const cut of [whole.slice(0, -4), whole.slice(0, whole.indexOf('export A') + 12)]) {
      const { status, stdout } = spawnSync('/bin/sh', ['-c', setUp], {
        input: cut,
        env: environmentOf(),
        encoding: 'utf8',
      });
      assert.equal(status, 1);
      assert.equal(parseSetUp(stdout), undefined);
      assert.ok(!readdirSync(at('.gpu-rental', 'setup')).some((name) => name.includes('environment')));
    }
    assert.ok(!('environment' in order({ dropped: ['environment'] })));
  });

  it('is read only where the answer is whole and known', () => {
    assert.equal(parseSetUp('gpu-rental setup\nhome /root\nstep identity 0\n'), undefined);
    assert.equal(parseSetUp('gpu-rental setup\nhome \u202ex\nend\n'), undefined);
    const seen = parseSetUp(
      'Welcome\ngpu-rental setup\nhome /root\nstep identity 999\nstep rm 0\nstep dotfiles [x](command:y)\nend\n',
    );
    assert.deepEqual(seen, { home: '/root', steps: [{ step: 'identity', state: 255 }] });
    assert.equal(logOf(seen, 'identity'), '/root/.gpu-rental/setup/identity.log');
  });
});
