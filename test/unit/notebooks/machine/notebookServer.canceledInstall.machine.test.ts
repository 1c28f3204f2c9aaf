import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installServer, startServer } from '../../../../src/notebooks/machine/notebookServer';
import type { SshService } from '../../../../src/ssh/service';
import { hideJupyter } from '../../../support/hiddenJupyter';
import { SshHome } from '../../../support/sshHome';
import { sshTo } from '../../../support/sshInstance';
import { SshMachine } from '../../../support/sshMachine';
import { until } from '../../../support/until';

const alias = 'gpu-7';

describe('An installation of Jupyter that is canceled', function () {
  this.timeout(60_000);
  let home: SshHome;
  let machine: SshMachine;
  let machineHome: string;
  let ssh: SshService;

  before(async () => {
    home = new SshHome();
    machineHome = path.join(home.root, 'machine');
    mkdirSync(machineHome);
    machine = await new SshMachine().start({ env: { HOME: machineHome } });
    ssh = await sshTo(home, machine);
    hideJupyter(machineHome);
    const [pip = ''] = readdirSync(machineHome, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('pip/__main__.py'),
    );
    const pid = JSON.stringify(path.join(machineHome, 'pip.pid'));
    writeFileSync(
      path.join(machineHome, pip),
      `import os, time\nopen(${pid}, "w").write(str(os.getpid()))\nprint("Collecting", flush=True)\nwhile True:\n    time.sleep(0.05)\n`,
    );
  });
  after(async () => {
    await machine.dispose();
    home.dispose();
  });

  it('ends on the machine as well, and the next attempt finds it free', async () => {
    const stop = new AbortController();
    const steps: string[] = [];
    const install = installServer(ssh, alias, (step) => steps.push(step), stop.signal);
    install.catch(() => undefined);
    const pidFile = path.join(machineHome, 'pip.pid');
    await until('pip to run', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    await until('its steps', () => steps.includes('Collecting'));
    const pid = readFileSync(pidFile, 'utf8');
    stop.abort();
    await assert.rejects(install, { name: 'CancelledError' });
    await until('pip to end', () => !existsSync(`/proc/${pid}`));
    assert.equal((await startServer(ssh, alias, 'project')).kind, 'missing');
  });
});
