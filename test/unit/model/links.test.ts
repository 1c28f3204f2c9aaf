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

  const refused = [
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
