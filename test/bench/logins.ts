import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prepareProduct } from '../support/fakeEditor/product';
import { Computer } from '../support/feature/computer';
import { watchPrograms } from '../support/feature/programsRun';
import { reachableInstance } from '../support/feature/reachable';
import type { Figure } from './figure';

/** The rarest login comes once a day. */
const hours = 24;

/**
 * Counts the logins to an instance that nothing runs on while no window shows it: one that is left alone, and one whose own
 * timer ends it. Product and service run by one clock that is set forward, so the figures are the same on every machine.
 */
export async function measureLogins(): Promise<Figure[]> {
  prepareProduct();
  const computer = await Computer.start({ simulator: { sshServer: true } });
  const programs = watchPrograms();
  try {
    const id = await reachableInstance(computer, 'trainer');
    // The server of the simulator names no processes of its logins, which the timer counts.
    const login = path.join(computer.root, 'instances', `${id}.machine`, 'proc', '900');
    mkdirSync(login, { recursive: true });
    writeFileSync(path.join(login, 'cmdline'), 'sshd: root@notty');
    const window = await computer.openSignedIn();
    await window.view('instances').row('trainer');
    // An entry, as after any work on it.
    await window.view('instances').inline('trainer', 'Open Terminal');
    const terminal = await computer.until('a terminal', () => window.screen.terminals.all[0]);
    window.screen.terminals.close(terminal, undefined, 3);
    const added = async (name: string): Promise<Figure> => {
      window.screen.focus(false);
      // What came before has its last look.
      await computer.pass(3_600_000);
      const before = programs.lines.filter(isLogin).length;
      await computer.pass(hours * 3_600_000);
      const logins = programs.lines.filter(isLogin).length - before;
      window.screen.focus(true);
      return {
        name: `logins to ${name} in a day`,
        value: String(logins),
        aim: '≤ 1',
        // The gate compares with none, so it fails at the second.
        ratio: Math.max(0, logins - 1),
      };
    };
    assert.ok(programs.lines.some(isLogin), 'logins are seen');
    const alone = await added('an idle instance that no window shows');
    await window.view('instances').menu('trainer', 'End Later…');
    await window.quick.title('Stop or Destroy trainer Later');
    await window.quick.pick(/Stop When Idle/);
    await window.quick.title(/When/);
    await window.quick.type('72h', { enter: false });
    await window.quick.pick(/^Idle for/);
    await window.toastButton(/trainer will be stopped once/, 'Let the Instance Do It…');
    await window.dialogButton('Let It Stop Itself');
    await window.toast(/its own timer runs, and its key was accepted/);
    return [alone, await added('one that its own timer stops')];
  } finally {
    programs.end();
    await computer.close();
  }
}

/** `ssh -G` and `ssh -V` ask this computer alone. */
function isLogin(line: string): boolean {
  return /^\S*ssh .*\bgpu-/.test(line) && !/ -[GV] /.test(line);
}
