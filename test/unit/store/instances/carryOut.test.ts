import assert from 'node:assert/strict';
import { NotReachableError } from '../../../../src/api/errors';
import { carryOut } from '../../../../src/store/instances/carryOut';
import { anInstance } from '../../../support/builders';
import { windowScene, type WindowScene } from '../../../support/computerScene';

const instanceId = 5001;

describe('A stop that is carried out', () => {
  let { service, computer, window, pass, through } = {} as WindowScene;
  beforeEach(async () => {
    ({ service, computer, window, pass, through } = await windowScene({ instances: [anInstance()] }));
  });
  afterEach(() => computer.dispose());

  function carry(action: 'stop' | 'destroy' = 'stop', isStillWanted = () => Promise.resolve(true)) {
    const account = window.accounts.active ?? assert.fail();
    const { clock, log } = computer;
    const { signal } = new AbortController();
    return carryOut({ ...window, clock, log }, account, { instanceId, action }, { signal, isStillWanted });
  }
  /** The service takes the request, and nothing happens. */
  const ignoreStops = () => {
    service.after = (call) => {
      if (call === 'instances.stop') {
        service.instances = [anInstance()];
      }
    };
  };

  it('is looked for over forty seconds, then reported as not seen', async () => {
    ignoreStops();
    const checks: number[] = [];
    const began = computer.clock.elapsed();
    service.before = (call) => {
      if (call === 'instances.get') {
        checks.push(computer.clock.elapsed() - began);
      }
    };
    assert.equal(await through(carry()), 'notConfirmed');
    // The first one comes before the request.
    assert.deepEqual(checks, [0, 0, 3000, 8000, 20_000, 40_000]);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('is done as soon as a look shows it, after which the list is read', async () => {
    ignoreStops();
    const stopping = carry();
    await pass(7999);
    service.instances = [anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' })];
    const lists = service.count('instances.list');
    await pass(1);
    assert.equal(await stopping, 'stopped');
    assert.equal(service.count('instances.list'), lists + 1);
    assert.equal(window.fleet.find(instanceId)?.actualStatus, 'exited');
  });

  it('is not sent where the instance is stopped or gone already', async () => {
    service.instances = [anInstance({ actualStatus: 'running', intendedStatus: 'stopped' })];
    assert.equal(await through(carry()), 'stopped');
    service.instances = [];
    assert.deepEqual([await through(carry()), await through(carry('destroy'))], ['gone', 'destroyed']);
    assert.deepEqual([service.count('instances.stop'), service.count('instances.destroy')], [0, 0]);
  });

  it('ends with an instance that is removed, and is not sent if that can’t be read', async () => {
    ignoreStops();
    const stopping = carry();
    await pass(1000);
    service.instances = [];
    assert.equal(await through(stopping), 'gone');
    service.instances = [anInstance()];
    service.failsBefore('instances.get', () => new NotReachableError());
    await assert.rejects(through(carry()), NotReachableError);
    assert.equal(service.count('instances.stop'), 1);
  });

  it('is not sent where it is no longer wanted', async () => {
    await assert.rejects(through(carry('stop', () => Promise.resolve(false))), { name: 'CancelledError' });
    await assert.rejects(through(carry('destroy', () => Promise.resolve(false))), { name: 'CancelledError' });
    assert.deepEqual([service.count('instances.stop'), service.count('instances.destroy')], [0, 0]);
  });
});
