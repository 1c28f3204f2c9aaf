import assert from 'node:assert/strict';
import { actAs, asCaller, currentActor, type Actor } from '../../../src/util/acting';

const command: Actor = { kind: 'command', name: 'gpuRental.instance.destroy' };
const agent: Actor = { kind: 'agent', name: 'claude-code' };

describe('who acts', () => {
  it('is known to everything that is awaited, and to nothing else', async () => {
    const seen: (Actor | undefined)[] = [];
    const look = async () => {
      await Promise.resolve();
      seen.push(currentActor());
    };
    await Promise.all([actAs(command, look), look(), actAs({ kind: 'schedule' }, look)]);
    assert.deepEqual(seen, [command, undefined, { kind: 'schedule' }]);
    await assert.rejects(
      actAs(command, () => {
        throw new Error('at once');
      }),
      /at once/,
    );
    assert.equal(currentActor(), undefined);
  });

  it('is unknown to a timer or a listener that outlives it', async () => {
    let later: Promise<Actor | undefined> | undefined;
    await actAs(command, () => {
      later = new Promise((resolve) => setImmediate(() => resolve(currentActor())));
    });
    assert.equal(await later, undefined);
  });

  it('is the agent or the schedule that runs a command, and the innermost command otherwise', async () => {
    const inner = (outer: Actor, of: Actor) => actAs(outer, () => actAs(of, currentActor));
    assert.deepEqual(await inner(agent, command), agent);
    assert.deepEqual(await inner({ kind: 'command', name: 'gpuRental.open' }, command), command);
    assert.deepEqual(await inner(command, { kind: 'budget' }), { kind: 'budget' });
  });

  it('is kept for what is called back during the act, and not after it', async () => {
    let callBack: (() => Actor | undefined) | undefined;
    let open: (() => void) | undefined;
    const act = actAs(command, () => {
      const forCaller = asCaller();
      callBack = () => forCaller(currentActor);
      return new Promise<void>((resolve) => (open = resolve));
    });
    assert.equal(currentActor(), undefined);
    assert.deepEqual(callBack?.(), command);
    open?.();
    await act;
    assert.equal(callBack(), undefined);
  });
});
