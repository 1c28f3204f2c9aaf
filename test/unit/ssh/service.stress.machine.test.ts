import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHost } from '../../../src/ssh/hostConfig';
import { bundled } from '../../support/bundled';
import { sized } from '../../support/seeded';
import { SshHome } from '../../support/sshHome';
import { pause } from '../../support/until';

const writers = 8;
const rounds = sized(60, 500);

describe('Many processes at once', () => {
  let home: SshHome;
  let script: string;
  before(() => {
    script = bundled(join(__dirname, '../../support/sshConfigWriter.ts'));
  });
  beforeEach(() => {
    home = new SshHome();
  });
  afterEach(() => home.dispose());

  async function run(...args: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
    const [code] = await once(child, 'exit');
    assert.equal(code, 0);
  }

  it(`write ${rounds} times each beside an editor, and no byte of the user is lost and no file is torn`, async () => {
    const user = 'Host first\n  Port 1\n';
    home.write(user);
    // The first contact puts the block in; from then on the user's file is theirs alone.
    await run('writer', home.home, '0', '8');
    const torn: string[] = [];
    const state = { done: false, checks: 0, endings: new Set<number>() };
    const watcher = (async () => {
      while (!state.done) {
        state.checks += 1;
        state.endings.add(home.read().length);
        for (const name of readdirSync(home.ownDir)) {
          if (name.endsWith('.conf')) {
            const alias = name.slice(0, -'.conf'.length);
            const content = home.read(join(home.ownDir, name));
            if (!parseHost(alias, content) || !content.endsWith('ServerAliveCountMax 3\n')) {
              torn.push(`${name}: ${content}`);
            }
          }
        }
        const config = home.read();
        if (!config.startsWith('# >>> GPU Rental >>>\n') || !config.includes(user)) {
          torn.push(`config: ${config}`);
        }
        await pause(5);
      }
    })();
    await Promise.all([
      ...Array.from({ length: writers }, (_, number) =>
        run('writer', home.home, String(number), String(rounds)),
      ),
      run('editor', home.home, String(rounds)),
    ]);
    state.done = true;
    await watcher;
    assert.deepEqual(torn, []);
    // The edits were spread over the time in which the others wrote, and somebody looked all the while.
    assert.ok(state.checks > rounds / 5, `only ${state.checks} looks`);
    assert.ok(state.endings.size > rounds / 10, `only ${state.endings.size} lengths of the config were seen`);
    const expected = Array.from({ length: rounds }, (_, n) => `Host own${n + 1}\n  Port ${n + 1}\n`).join('');
    const block = `# >>> GPU Rental >>>\nInclude ~/.ssh/gpu-rental.d/*.conf\n# <<< GPU Rental <<<\n`;
    assert.equal(home.read(), block + user + expected);
    assert.deepEqual(
      readdirSync(home.ownDir).sort(),
      Array.from({ length: 8 }, (_, n) => `gpu-${n + 1}.conf`),
    );
  });

  it('add and remove the block beside a program that adds lines, and none of these is lost', async function () {
    this.timeout(sized(240_000, 1_200_000));
    home.write('Host first\n');
    const mark = join(home.root, 'over');
    const appender = run('appender', home.home, mark);
    await Promise.all(
      Array.from({ length: writers }, () => run('switcher', home.home, String(sized(1, 12)))),
    );
    writeFileSync(mark, '');
    await appender;
    const count = Number(home.read(`${mark}.count`));
    assert.ok(count > 50, `only ${count} lines were added`);
    // The block may be there at the end: who finds the file always changed leaves it alone.
    const hosts = home
      .read()
      .split('\n')
      .filter((line) => line.startsWith('Host '));
    const expected = ['Host first', ...Array.from({ length: count }, (_, n) => `Host own${n + 1}`)];
    assert.deepEqual(hosts.sort(), expected.sort(), 'each is there, and once');
  });

  it('meet at a config without the block, and it is there once', async () => {
    const user = 'Host first\n  Port 1\n';
    home.write(user);
    await Promise.all(Array.from({ length: writers }, (_, n) => run('writer', home.home, String(n), '3')));
    assert.equal(home.read().split('# >>> GPU Rental >>>').length, 2);
    assert.ok(home.read().endsWith(user));
  });
});
