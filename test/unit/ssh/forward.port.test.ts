import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Run } from '../../../src/ssh/run';
import type { SshService } from '../../../src/ssh/service';
import { SshHome } from '../../support/sshHome';
import { sshTo } from '../../support/sshInstance';
import { freePort, SshMachine } from '../../support/sshMachine';

describe('A forwarded port', () => {
  let home: SshHome;
  let machine: SshMachine;
  let ssh: SshService;
  let web: Server | undefined;

  beforeEach(async () => {
    home = new SshHome();
    machine = await new SshMachine().start();
    ssh = await sshTo(home, machine);
  });
  afterEach(async () => {
    web?.close();
    web = undefined;
    await machine.dispose();
    home.dispose();
  });

  it('reaches this computer alone until it is closed', async () => {
    web = createServer((_, response) => response.end('from the machine'));
    web.listen(0, '127.0.0.1');
    await new Promise((resolve) => web?.once('listening', resolve));
    const address = web.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const forward = await ssh.forward('gpu-7', { remotePort: port });
    // The same port is taken here, since machine and computer are one.
    assert.notEqual(forward.localPort, port);
    const answer = await fetch(`http://127.0.0.1:${forward.localPort}/`);
    assert.equal(await answer.text(), 'from the machine');
    forward.close();
    await forward.ended;
    await assert.rejects(fetch(`http://127.0.0.1:${forward.localPort}/`));
  });

  for (const [address, remoteHost] of [
    ['127.0.0.2', '127.0.0.2'],
    ['::1', '::1'],
    ['127.0.0.1', 'localhost'],
  ] as const) {
    it(`reaches a program that listens at ${address} alone, as ${remoteHost}`, async () => {
      web = createServer((_, response) => response.end(`from ${address}`));
      web.listen(0, address);
      await new Promise((resolve) => web?.once('listening', resolve));
      const port = (web.address() as AddressInfo).port;
      const forward = await ssh.forward('gpu-7', { remotePort: port, remoteHost });
      try {
        const answer = await fetch(`http://127.0.0.1:${forward.localPort}/`);
        assert.equal(await answer.text(), `from ${address}`);
      } finally {
        forward.close();
        await forward.ended;
      }
    });
  }

  it('is a socket for this user alone where one is wanted, and no port', async () => {
    web = createServer((_, response) => response.end('by the socket'));
    web.listen(0, '127.0.0.1');
    await new Promise((resolve) => web?.once('listening', resolve));
    const localSocket = path.join(home.root, 'engine.sock');
    writeFileSync(localSocket, 'of an earlier window');
    const remotePort = (web.address() as AddressInfo).port;
    const forward = await ssh.forward('gpu-7', { remotePort, localSocket });
    try {
      assert.equal(forward.localPort, 0);
      assert.equal(statSync(localSocket).mode & 0o777, 0o600);
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        get({ socketPath: localSocket, path: '/' }, resolve).once('error', reject);
      });
      assert.equal(await text(answer), 'by the socket');
    } finally {
      forward.close();
      await forward.ended;
    }
  });

  it('does not lead to itself on a machine that is this computer, where nothing listens', async () => {
    const port = await freePort();
    const forward = await ssh.forward('gpu-7', { remotePort: port, remoteHost: 'localhost' });
    try {
      assert.notEqual(forward.localPort, port);
      await assert.rejects(fetch(`http://127.0.0.1:${forward.localPort}/`));
    } finally {
      forward.close();
      await forward.ended;
    }
  });

  it('is not claimed by another program that is first at the port', async () => {
    const thief = createServer((_, response) => response.end('not the machine'));
    const run: Run = async (program, args, options) => {
      const port = /^127\.0\.0\.1:(\d+):/.exec(args[args.indexOf('-L') + 1] ?? '')?.[1];
      if (args.includes('-L')) {
        thief.listen(Number(port), '127.0.0.1');
        await new Promise((resolve) => thief.once('listening', resolve));
      }
      return home.run(program, args, options);
    };
    try {
      await assert.rejects(
        home.service({ run }).forward('gpu-7', { remotePort: 18_888 }),
        /in use|could not be forwarded/i,
      );
    } finally {
      thief.close();
    }
  });

  it('explains why a port could not be forwarded', async () => {
    machine.authorize();
    await assert.rejects(ssh.forward('gpu-7', { remotePort: 8888 }), /Permission denied/);
  });
});
