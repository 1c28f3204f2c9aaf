import assert from 'node:assert/strict';
import { Forwards } from '../../../../src/features/ports/forwards';

function aForward(remotePort: number, remoteHost = 'localhost') {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const forward = {
    localPort: remotePort,
    remotePort,
    remoteHost,
    ended,
    isClosed: false,
    close: () => {
      forward.isClosed = true;
      end();
    },
  };
  return forward;
}

describe('The forwarded ports of a window', () => {
  it('are those of one machine, also where another account has an instance of the same number', () => {
    const forwards = new Forwards();
    const [own, demo] = [aForward(8888), aForward(8888)];
    forwards.add({ alias: 'gpu-7', accountKey: 'a' }, own, () => undefined);
    forwards.add({ alias: 'gpu-demo-7', accountKey: 'b' }, demo, () => undefined);
    assert.deepEqual([own.isClosed, demo.isClosed], [false, false]);
    assert.equal(forwards.find('gpu-7', 8888), own);
    assert.equal(forwards.find('gpu-demo-7', 8888), demo);
    assert.deepEqual(forwards.aliases, ['gpu-7', 'gpu-demo-7']);
    forwards.dispose();
  });

  it('are one for each port, where it was forwarded twice at the same time', () => {
    const forwards = new Forwards();
    const lost: string[] = [];
    const [first, second] = [aForward(8888), aForward(8888)];
    forwards.add({ alias: 'gpu-7', accountKey: 'a' }, first, () => lost.push('first'));
    forwards.add({ alias: 'gpu-7', accountKey: 'a' }, second, () => lost.push('second'));
    assert.deepEqual([first.isClosed, second.isClosed, lost], [false, true, []]);
    assert.deepEqual(forwards.of('gpu-7'), [first]);
    forwards.dispose();
  });

  it('are one for each address, where several programs have the same number', () => {
    const forwards = new Forwards();
    const [own, bridged] = [aForward(8888), aForward(8888, '172.17.0.2')];
    forwards.add({ alias: 'gpu-7', accountKey: 'a' }, own, () => undefined);
    forwards.add({ alias: 'gpu-7', accountKey: 'a' }, bridged, () => undefined);
    assert.deepEqual(forwards.of('gpu-7'), [own, bridged]);
    assert.equal(forwards.find('gpu-7', 8888, '172.17.0.2'), bridged);
    forwards.close('gpu-7', 8888);
    assert.deepEqual([own.isClosed, bridged.isClosed], [true, false]);
    forwards.dispose();
  });

  it('end with their account, without a word of a lost connection', async () => {
    const forwards = new Forwards();
    const lost: string[] = [];
    const [own, other] = [aForward(8888), aForward(6006)];
    forwards.add({ alias: 'gpu-7', accountKey: 'a' }, own, () => lost.push('own'));
    forwards.add({ alias: 'gpu-demo-7', accountKey: 'b' }, other, () => lost.push('other'));
    forwards.closeAccount('a');
    await own.ended;
    assert.deepEqual([own.isClosed, other.isClosed, lost], [true, false, []]);
    assert.deepEqual(forwards.aliases, ['gpu-demo-7']);
    forwards.dispose();
    assert.equal(other.isClosed, true);
  });
});
