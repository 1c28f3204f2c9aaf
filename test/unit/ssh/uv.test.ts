import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runScript, sendFile } from '../../../src/ssh/runFile';
import type { SshService } from '../../../src/ssh/service';
import { byUv, findForScript, installUv } from '../../../src/ssh/uv';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

/** Stands in for uv: says what it was given. */
const uvStandIn = `#!/bin/sh
echo "no cache: \${UV_NO_CACHE-unset}"
echo "cache: $UV_CACHE_DIR, links: $UV_LINK_MODE, torch: \${UV_TORCH_BACKEND-unset}"
shift $(($# - 1))
cat "$1" "$1.lock"
`;

describe('A script that carries its needs, on a machine', () => {
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;
  const there = (...path: readonly string[]) => join(machine.dir, 'home', ...path);
  const uvOfHome = () => there('.local', 'bin', 'uv');

  before(async () => {
    home = new SshHome();
    const key = home.key();
    machine = await new SshMachine().start({ env: { UV_NO_CACHE: '1' } });
    machine.authorize(key);
    ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    mkdirSync(there('bin'));
    mkdirSync(there('lib', 'there-1.0.dist-info'), { recursive: true });
    writeFileSync(there('lib', 'there-1.0.dist-info', 'METADATA'), 'Name: there\nVersion: 1.0\n');
    const profile =
      'echo uv\necho end\nexport PATH="$HOME/bin:$PATH" PYTHONPATH="$HOME/lib" WORKSPACE="$HOME/work"\n';
    writeFileSync(there('.profile'), profile);
  });
  after(async () => {
    await machine.dispose();
    home.dispose();
  });

  it('is compared with the packages of its Python, and with where uv is installed', async () => {
    const packages = ['there', 'no-such-package'];
    const found = { hasUv: false, missing: ['no-such-package'] };
    assert.deepEqual(await findForScript(ssh, 'gpu-7', packages), found);
    assert.deepEqual(await findForScript(ssh, 'gpu-7', []), { hasUv: false, missing: [] });
    writeFileSync(there('bin', 'python3'), '#!/bin/sh\nexit 127\n', { mode: 0o755 });
    assert.deepEqual(await findForScript(ssh, 'gpu-7', packages), { hasUv: false, missing: undefined });
    writeFileSync(there('bin', 'uv'), uvStandIn, { mode: 0o755 });
    assert.equal((await findForScript(ssh, 'gpu-7', packages)).hasUv, true);
    rmSync(there('bin', 'uv'));
  });

  it('gets uv by pip, and otherwise by its installer, which may fail', async () => {
    const pip =
      '[ "$*" = "-m pip install uv" ] && printf "#!/bin/sh\\n" >"$HOME/bin/uv" && chmod +x "$HOME/bin/uv"';
    writeFileSync(there('bin', 'python3'), `#!/bin/sh\n${pip}\n`, { mode: 0o755 });
    await installUv(ssh, 'gpu-7');
    assert.ok(existsSync(there('bin', 'uv')));
    rmSync(there('bin', 'uv'));
    writeFileSync(there('bin', 'python3'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    writeFileSync(there('bin', 'curl'), '#!/bin/sh\nexit 22\n', { mode: 0o755 });
    const installer = 'mkdir -p "$HOME/.local/bin"; cp "$HOME/uv" "$HOME/.local/bin/uv"';
    writeFileSync(there('bin', 'wget'), `#!/bin/sh\necho '${installer}'\n`, { mode: 0o755 });
    await assert.rejects(installUv(ssh, 'gpu-7'), /Could not install uv: /);
    writeFileSync(there('uv'), uvStandIn, { mode: 0o755 });
    await installUv(ssh, 'gpu-7');
    assert.ok(existsSync(uvOfHome()));
  });

  it('is run by uv with a cache that stays in the work folder, and with its lock', async () => {
    const run = async (choosesTorch: boolean) => {
      const source = { name: "it's.py", content: 'print(1)\r\n', lock: 'version = 1\n' };
      const folder = await sendFile(ssh, 'gpu-7', source);
      assert.equal(readFileSync(join(folder, "it's.py.lock"), 'utf8'), source.lock);
      const script = runScript(folder, source.name, byUv({ choosesTorch }), { ended: 'ended' });
      return (await ssh.exec('gpu-7', script, { input: '\n' })).stdout;
    };
    const cache = there('work', '.cache', 'uv');
    const answer = (torch: string) =>
      `no cache: unset\ncache: ${cache}, links: hardlink, torch: ${torch}\nprint(1)\nversion = 1\n\nended 0\n`;
    const auto = await run(false);
    assert.ok(auto.endsWith(answer('auto')), auto);
    const chosen = await run(true);
    assert.ok(chosen.endsWith(answer('unset')), chosen);
  });
});
