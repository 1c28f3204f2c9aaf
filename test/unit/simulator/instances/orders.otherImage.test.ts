import assert from 'node:assert/strict';
import { rentRunning } from '../../../support/rentRunning';
import { useSimulators, type TestSimulator } from '../../../support/startSimulator';

describe('An instance that gets another image', () => {
  const simulators = useSimulators();
  let simulator: TestSimulator;
  let id = 0;
  beforeEach(async () => {
    simulator = await simulators.start({ fakeClock: true });
    id = await rentRunning(simulator, { image: 'a/first' });
  });
  const update = (body: Readonly<Record<string, unknown>>) =>
    simulator.call('PUT', `/api/v0/instances/update_template/${id}/`, body);

  it('keeps its own where none is named, or a template that is not there', async () => {
    for (const body of [{}, { image: ' ' }, { template_hash_id: 'feed', image: 'a/second' }]) {
      const { status, json } = await update(body);
      assert.deepEqual([status, json.msg], [400, 'Give an image or a template that exists.']);
      simulator.advance(10);
    }
    const instance = simulator.world.instance(id);
    assert.deepEqual([instance?.image, instance?.actualStatus], ['a/first', 'running']);
  });

  it('starts again with that of a template, with its variables and script', async () => {
    const { json } = await simulator.call('POST', '/api/v0/template/', {
      name: 'mine',
      image: 'a/second',
      env: '-e LEVEL=2',
      onstart: 'echo up',
    });
    const { hash_id: hash, id: templateId } = json.template as Readonly<Record<string, unknown>>;
    assert.equal((await update({ template_hash_id: hash })).status, 200);
    const instance = simulator.world.instance(id);
    assert.deepEqual(
      [instance?.image, instance?.templateHash, instance?.templateId, instance?.templateName],
      ['a/second:latest', hash, templateId, 'mine'],
    );
    assert.deepEqual([instance?.env, instance?.onstart], [{ LEVEL: '2' }, 'echo up']);
    assert.notEqual(instance?.actualStatus, 'running');
  });
});
