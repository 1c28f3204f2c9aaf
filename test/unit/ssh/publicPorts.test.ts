import assert from 'node:assert/strict';
import { isJupyterPort, publicPortsOf, withJupyterToken } from '../../../src/ssh/publicPorts';

const mapped = (containerPort: number, hostPort: number, protocol = 'tcp') => ({
  containerPort,
  hostPort,
  protocol,
});

describe('The public ports of an instance', () => {
  it('are all that are mapped but that of SSH, with their addresses', () => {
    const ports = publicPortsOf({
      publicIp: '192.0.2.7',
      runtype: 'ssh ssh_direc',
      ports: [mapped(22, 40_022), mapped(8080, 40_080), mapped(443, 40_443), mapped(5000, 40_500, 'udp')],
    });
    assert.deepEqual(
      ports.map(({ containerPort, protocol, host, hostPort, url }) => [
        `${containerPort}/${protocol}`,
        `${host}:${hostPort}`,
        url,
      ]),
      [
        ['8080/tcp', '192.0.2.7:40080', 'http://192.0.2.7:40080/'],
        ['443/tcp', '192.0.2.7:40443', 'https://192.0.2.7:40443/'],
        ['5000/udp', '192.0.2.7:40500', undefined],
      ],
    );
  });

  it('have brackets around an address of the newer kind', () => {
    const [port] = publicPortsOf({ publicIp: '2001:db8::7', ports: [mapped(7860, 40_000)] });
    assert.equal(port?.url, 'http://[2001:db8::7]:40000/');
  });

  it('are Jupyter’s if the run type includes it, by TLS and with the token', () => {
    const instance = {
      publicIp: '192.0.2.7',
      runtype: 'jupyter_direc ssh_proxy',
      ports: [mapped(8080, 40_080)],
    };
    const [port] = publicPortsOf(instance);
    assert.equal(port?.url, 'https://192.0.2.7:40080/');
    assert.equal(isJupyterPort(instance, 8080), true);
    assert.equal(isJupyterPort(instance, 8081), false);
    assert.equal(isJupyterPort({ runtype: 'ssh' }, 8080), false);
    assert.equal(withJupyterToken('https://h/', 'abcDEF12_-'), 'https://h/?token=abcDEF12_-');
  });

  it('have no token that would mean something else in an address', () => {
    for (const token of [undefined, '', 'short', 'a&b=c12345', 'x'.repeat(300), 'abcd efgh', 'abcdefgh#']) {
      assert.equal(withJupyterToken('https://h/', token), 'https://h/');
    }
  });

  it('are none if the address or the port can’t be used', () => {
    for (const publicIp of [undefined, '', '-oProxyCommand=x', 'a b', '192.0.2.7/x']) {
      assert.deepEqual(
        publicPortsOf({ ...(publicIp === undefined ? {} : { publicIp }), ports: [mapped(1, 2)] }),
        [],
      );
    }
    assert.deepEqual(
      publicPortsOf({ publicIp: '192.0.2.7', ports: [mapped(80, 70_000), mapped(0, 80)] }),
      [],
    );
    assert.deepEqual(publicPortsOf({ publicIp: '192.0.2.7', ports: [mapped(80, 80, 'tcp;x')] }), []);
  });
});
