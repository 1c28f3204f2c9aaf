import assert from 'node:assert/strict';
import { ServiceFailedError } from '../../../../src/api/errors';
import { NotSignedInError } from '../../../../src/shared/notSignedIn';
import { listedInstances } from '../../../../src/store/instances/listed';
import { anInstance } from '../../../support/builders';
import { computerScene, type ComputerScene } from '../../../support/computerScene';

describe('the instances that a command can be for', () => {
  let { service, computer } = {} as ComputerScene;

  beforeEach(async () => {
    ({ service, computer } = await computerScene({ instances: [anInstance()] }));
  });
  afterEach(() => computer.dispose());

  it('are read where nothing is known of them yet, and not again where they are', async () => {
    const { fleet } = await computer.openSignedIn();
    assert.notEqual(fleet.state.kind, 'ready');
    let isShown = false;
    const found = await listedInstances(fleet, (work) => {
      isShown = true;
      return work;
    });
    assert.deepEqual(
      found.map(({ id }) => id),
      [5001],
    );
    assert.ok(isShown);
    assert.equal((await listedInstances(fleet)).length, 1);
    assert.equal(service.count('instances.list'), 1);
  });

  it('are never reported as none because they could not be read', async () => {
    const { fleet } = await computer.openSignedIn();
    service.failsBefore('instances.list', () => new ServiceFailedError());
    await assert.rejects(listedInstances(fleet), ServiceFailedError);
    assert.equal(fleet.state.kind, 'failed');
    await assert.rejects(listedInstances(fleet), ServiceFailedError);
  });

  it('are the last good ones where the list fails now, but an empty one is read again', async () => {
    const { fleet } = await computer.openSignedIn();
    await fleet.refresh();
    service.failsBefore('instances.list', () => new ServiceFailedError());
    await assert.rejects(fleet.refresh());
    assert.equal((await listedInstances(fleet)).length, 1);
    service.before = () => undefined;
    service.instances = [];
    await fleet.refresh();
    await computer.clock.advance(5000);
    assert.deepEqual(await listedInstances(fleet), []);
    service.failsBefore('instances.list', () => new ServiceFailedError());
    await assert.rejects(fleet.refresh());
    await assert.rejects(listedInstances(fleet), ServiceFailedError);
  });

  it('are read again where the last list is empty, because it may be old', async () => {
    service.instances = [];
    const { fleet } = await computer.openSignedIn();
    await fleet.refresh();
    service.instances = [anInstance()];
    await computer.clock.advance(8 * 3_600_000);
    assert.equal((await listedInstances(fleet)).length, 1);
  });

  it('need an account that is signed in', async () => {
    await assert.rejects(listedInstances(computer.openWindow().fleet), NotSignedInError);
  });
});
