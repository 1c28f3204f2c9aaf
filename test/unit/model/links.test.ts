import assert from 'node:assert/strict';
import { linkTo, readLink } from '../../../src/model/links';

/** As the editor takes an address apart. */
function read(address: string) {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)\??([^#]*)#?(.*)$/.exec(address) ?? [];
  return readLink({ path, query: decodeURIComponent(query), fragment });
}

describe('links', () => {
  it('open an instance, an offer, a template or the sign-in', () => {
    assert.deepEqual(read('/instance?id=5001'), { kind: 'instance', id: 5001 });
    assert.deepEqual(read('/offer?id=7'), { kind: 'offer', id: 7 });
    assert.deepEqual(read('/template/?id=42'), { kind: 'template', id: 42 });
    assert.deepEqual(read('/sign-in'), { kind: 'signIn' });
    assert.deepEqual(read('/connect?id=5001'), { kind: 'connect', id: 5001 });
    assert.deepEqual(read('/start?id=5001'), { kind: 'start', id: 5001 });
  });

  const shared = `/shared?id=5&host=192.0.2.4&port=22001&key=${'k'.repeat(43)}`;

  it('lead to a shared instance, with or without its host key', () => {
    const place = { id: 5, host: '192.0.2.4', port: 22001, fingerprint: `SHA256:${'k'.repeat(43)}` };
    assert.deepEqual(read(shared), { kind: 'shared', place });
    const base64 = Buffer.from([0, 0, 0, 11, ...Buffer.from('ssh-ed25519'), ...Buffer.alloc(36, 0xfb)]);
    const pinned = { ...place, hostKey: { type: 'ssh-ed25519', base64: base64.toString('base64') } };
    const link = linkTo('vscode', { kind: 'shared', place: pinned });
    assert.doesNotMatch(link, /[+%]|=$/);
    assert.deepEqual(read(link.replace('vscode://gpu-rental.gpu-rental', '')), {
      kind: 'shared',
      place: pinned,
    });
  });

  const refused = [
    shared.replace('22001', '65536'),
    shared.replace('192.0.2.4', '-oProxyCommand'.replace('-', '$')),
    shared.replace('192.0.2.4', 'a b'),
    shared.replace(/k+$/, 'short'),
    `${shared}&hostkey=ssh-ed25519.AAAA`,
    `${shared}&user=other`,
    `${shared}#x`,
    '',
    '/',
    '/instance',
    '/instance?id=',
    '/instance?id=0',
    '/instance?id=-5',
    '/instance?id=5.5',
    '/instance?id=5e3',
    '/instance?id=0x10',
    '/instance?id= 5',
    '/instance?id=5%0A',
    '/instance?id=٥',
    '/instance?id=99999999999999999999',
    '/instance?id=9007199254740993',
    '/instance?id=5&id=6',
    '/instance?id=5&action=destroy',
    '/instance?id=5&api_key=secret',
    '/instance?ID=5',
    '/instance?id=5#destroy',
    '/instance/5001',
    '/instance/../sign-in',
    '//instance?id=5',
    '/Instance?id=5',
    '/destroy?id=5',
    '/stop?id=5',
    '/recycle?id=5',
    '/connect?id=5&folder=/root',
    '/start',
    '/rent?id=5',
    '/sign-in?key=secret',
    '/sign-in?service=https://evil.example',
    '/sign-in#key',
    '/offer?id=5&rent=true',
    '/command:gpuRental.instance.destroy?id=5',
    '/constructor?id=5',
  ];
  for (const address of refused) {
    it(`refuses ${JSON.stringify(address)}`, () => {
      assert.equal(read(address), undefined);
    });
  }

  it('are read as they are copied', () => {
    const link = linkTo('vscode', { kind: 'template', id: 42 });
    assert.equal(link, 'vscode://gpu-rental.gpu-rental/template?id=42');
    assert.deepEqual(read(link.replace('vscode://gpu-rental.gpu-rental', '')), { kind: 'template', id: 42 });
  });
});
