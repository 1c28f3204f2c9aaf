import assert from 'node:assert/strict';
import { ForbiddenError, NotFoundError, TimedOutError } from '../../../../src/api/errors';
import { destroyAndVerify } from '../../../../src/store/instances/destruction';
import { anInstance } from '../../../support/builders';
import { windowScene, type WindowScene } from '../../../support/computerScene';

describe('destroying', () => {
  let { service, computer, window } = {} as WindowScene;

  beforeEach(async () => {
    ({ service, computer, window } = await windowScene({ instances: [anInstance()] }));
  });
  afterEach(() => computer.dispose());

  const account = () => window.accounts.active ?? assert.fail();

  async function destroy() {
    const deps = { fleet: window.fleet, clock: computer.clock, log: computer.log };
    return computer.clock.through(destroyAndVerify(deps, account(), 5001), 2000);
  }

  it('is confirmed by reading back', async () => {
    assert.equal(await destroy(), 'destroyed');
    assert.equal(service.count('instances.destroy'), 1);
    assert.equal(service.count('instances.get'), 1);
  });

  it('counts as done where it was gone already', async () => {
    service.instances = [];
    service.failsBefore('instances.destroy', () => new NotFoundError());
    assert.equal(await destroy(), 'destroyed');
  });

  it('is sent once and judged by what is there, when the answer is lost', async () => {
    service.failsAfter('instances.destroy', () => new TimedOutError());
    assert.equal(await destroy(), 'destroyed');
    assert.equal(service.count('instances.destroy'), 1);
    assert.equal(computer.log.count('warn The answer to destroying 5001 is not known'), 1);
  });

  it('is done though the list can’t be read after it, which is only logged', async () => {
    service.before = (call) => {
      if (call === 'instances.list' && window.fleet.facts(5001).lastRequest?.tookEffect === true) {
        throw new TimedOutError();
      }
    };
    assert.equal(await destroy(), 'destroyed');
    await computer.clock.advance(0);
    assert.equal(computer.log.count('warn The list could not be read after destroying'), 1);
  });

  it('is read back in time when the clock is set back during it', async () => {
    Object.assign(service.client.instances, { destroy: () => Promise.resolve() });
    const deps = { fleet: window.fleet, clock: computer.clock, log: computer.log };
    const verdict = destroyAndVerify(deps, account(), 5001);
    await computer.clock.advance(0);
    assert.equal(service.count('instances.get'), 1);
    computer.clock.jump(-3_600_000);
    await computer.clock.advance(3 * 60_000);
    assert.equal(await verdict, 'notConfirmed');
    assert.equal(service.count('instances.get'), 5);
  });

  it('is not confirmed while the machine exists or can’t be read', async () => {
    Object.assign(service.client.instances, { destroy: () => Promise.resolve() });
    assert.equal(await destroy(), 'notConfirmed');
    assert.equal(window.fleet.facts(5001).lastRequest?.kind, 'destroy');
    service.failsBefore('instances.get', () => new TimedOutError());
    assert.equal(await destroy(), 'notConfirmed');
    assert.equal(computer.log.count('warn It could not be read back whether 5001 is gone'), 5);
  });

  it('passes a refusal on and leaves the machine as it was', async () => {
    service.failsBefore('instances.destroy', () => new ForbiddenError());
    await assert.rejects(destroy(), ForbiddenError);
    assert.equal(window.fleet.facts(5001).lastRequest, undefined);
  });

  it('is not reported on one reading alone: its record or the list may be wrong', async () => {
    Object.assign(service.client.instances, {
      destroy: () => Promise.resolve(),
      get: () => Promise.resolve(undefined),
    });
    assert.equal(await destroy(), 'notConfirmed');
    assert.ok(window.fleet.state.kind !== 'ready' || window.fleet.find(5001));
  });

  it('leaves the request before it standing where the service refuses', async () => {
    window.fleet.note(5001, { kind: 'start', at: 7 });
    service.failsBefore('instances.destroy', () => new ForbiddenError());
    await assert.rejects(destroy(), ForbiddenError);
    assert.equal(window.fleet.facts(5001).lastRequest?.kind, 'start');
  });
});
