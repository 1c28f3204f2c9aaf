import assert from 'node:assert/strict';
import { ownKeyId, withOwnKey } from '../../../../src/features/sshKeys/ownKey';

/** A well-formed line whose key is filled with one byte. */
function aKey(byte: number, comment: string): string {
  const type = 'ssh-ed25519';
  const part = (value: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(value.length);
    return Buffer.concat([length, value]);
  };
  const blob = Buffer.concat([part(Buffer.from(type)), part(Buffer.alloc(32, byte))]);
  return `${type} ${blob.toString('base64')} ${comment}`;
}

describe("the user's own SSH key", () => {
  const registered = [{ id: 5, publicKey: aKey(1, 'laptop') }];

  it('counts among the registered ones', () => {
    const own = aKey(2, 'mine');
    assert.deepEqual(withOwnKey(registered, own), [...registered, { id: ownKeyId, publicKey: own }]);
  });

  it('is not counted twice, with any comment', () => {
    assert.deepEqual(withOwnKey(registered, aKey(1, 'another comment')), registered);
  });

  it('is left out where there is none', () => {
    assert.deepEqual(withOwnKey(registered, undefined), registered);
  });
});
