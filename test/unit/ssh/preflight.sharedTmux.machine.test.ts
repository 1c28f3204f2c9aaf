import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownTerminalLine } from '../../../src/model/rentals/birthGuard';
import { explainFailure } from '../../../src/ssh/problemText';
import { formatText } from '../../../src/util/text';
import { useRealSsh } from '../../support/realSsh';

/** What the service's launcher puts into the file, and what most files have before their own lines. */
const hook = '[ -n "$TMUX" ] || [ -e ~/.no_auto_tmux ] || exec tmux -L shared new-session -A -s ssh_tmux';
const interactiveTest = 'case $- in *i*) ;; *) return ;; esac';
const places = {
  'before the interactive test of .bashrc': [hook, interactiveTest],
  'after the interactive test of .bashrc': [interactiveTest, hook],
};

describe('a machine that puts each login into one shared tmux', () => {
  const scene = useRealSsh();
  const prepare = (lines: readonly string[], keepsSharedTmux = false) => {
    const { home, machine } = scene();
    const key = home.key();
    const folder = join(machine.dir, 'home');
    writeFileSync(join(folder, '.bashrc'), `${lines.join('\n')}\n`);
    // The login shell of the one who runs the tests may be another.
    machine.authorize(
      `command="exec env SHLVL=0 SSH_CLIENT=\\"$SSH_CLIENT\\" bash -c \\"$SSH_ORIGINAL_COMMAND\\"" ${key}`,
    );
    const ssh = home.service({ keepsSharedTmux });
    return { ssh, request: scene().request({}, [key]), file: join(folder, '.no_auto_tmux'), folder };
  };

  for (const [place, lines] of Object.entries(places)) {
    it(`lets every background login in with the line of a rental, where it does so ${place}`, async () => {
      const { ssh, request, file, folder } = prepare(lines);
      execFileSync('/bin/sh', ['-c', ownTerminalLine], { env: { ...process.env, HOME: folder } });
      assert.ok(existsSync(file));
      const { preflight } = await ssh.connect(request);
      assert.ok(preflight.ok, JSON.stringify(preflight));
      const { code, stdout } = await ssh.exec('gpu-7', 'cat', { input: 'all of it' });
      assert.deepEqual([code, stdout], [0, 'all of it']);
    });
  }

  it('no longer does after a login of ours', async () => {
    const { ssh, request, file } = prepare(places['after the interactive test of .bashrc']);
    assert.ok((await ssh.connect(request)).preflight.ok);
    assert.ok(existsSync(file));
    // What the user removes is made by the next one.
    rmSync(file);
    assert.ok((await ssh.connect(request)).preflight.ok);
    assert.ok(existsSync(file));
  });

  it('still does where the user wants that', async () => {
    const { ssh, request, file } = prepare(places['after the interactive test of .bashrc'], true);
    assert.ok((await ssh.connect(request)).preflight.ok);
    assert.ok(!existsSync(file));
  });

  it('is explained with the command that helps, where it lets no login of ours through', async () => {
    const { ssh, request, file } = prepare(places['before the interactive test of .bashrc']);
    const { preflight } = await ssh.connect(request);
    assert.ok(!preflight.ok);
    assert.equal(preflight.problem, 'startupScript');
    assert.match(formatText(explainFailure(preflight).text), /run touch ~\/\.no_auto_tmux in a terminal/);
    assert.ok(!existsSync(file));
  });
});
