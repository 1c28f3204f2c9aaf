import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { kernelsOf } from '../../../src/notebooks/machine/kernels';
import { ForwardingForbiddenError } from '../../../src/ssh/forward';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { SshMachine } from '../../support/sshMachine';

describe('A machine and its ports', () => {
  let home: SshHome;
  let machine: SshMachine;
  let key: string;
  let server: Server;
  let asked = 0;
  const port = () => (server.address() as AddressInfo).port;

  before(async () => {
    server = createServer((_, answer) => {
      asked += 1;
      answer.end('[]');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    home = new SshHome();
    key = home.key();
    machine = new SshMachine();
    machine.authorize(key);
  });
  afterEach(async () => {
    await machine.dispose();
    home.dispose();
  });
  after(() => void server.close());

  for (const [line, isForbidden] of [
    ['AllowTcpForwarding no', true],
    ['AllowTcpForwarding remote', true],
    ['DisableForwarding yes', true],
    ['PermitOpen 127.0.0.1:1', true],
    ['PermitOpen any', false],
  ] as const) {
    it(`are ${isForbidden ? 'never ' : ''}reported as forwarded with ${line}`, async () => {
      await machine.start({ extra: [line] });
      const ssh = home.service();
      const instance = sshInstance(machine.port);
      await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
      const opened = ssh.forward('gpu-7', { remotePort: port() });
      if (isForbidden) {
        await assert.rejects(opened, ForwardingForbiddenError);
        return;
      }
      const forward = await opened;
      assert.deepEqual(await kernelsOf({ localPort: forward.localPort, token: 'x' }), []);
      forward.close();
      await forward.ended;
    });
  }

  it('get no token while no ssh has the port', async () => {
    asked = 0;
    const closed = { localPort: port(), token: 'x', isOpen: () => false };
    await assert.rejects(kernelsOf(closed), /interrupted/);
    assert.equal(asked, 0);
    assert.deepEqual(await kernelsOf({ ...closed, isOpen: () => true }), []);
  });
});
