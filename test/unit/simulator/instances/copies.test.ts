import assert from 'node:assert/strict';
import { rentRunning } from '../../../support/rentRunning';
import { useSimulators, type TestSimulator } from '../../../support/startSimulator';

describe('A copy', () => {
  const simulators = useSimulators();
  let simulator: TestSimulator;
  let id = 0;
  beforeEach(async () => {
    simulator = await simulators.start({ fakeClock: true });
    id = await rentRunning(simulator);
  });
  const direct = (more: Readonly<Record<string, unknown>>) =>
    simulator.call('PUT', '/api/v0/commands/copy_direct/', {
      ...{ client_id: 'me', src_id: `C.${id}`, src_path: '/root/data' },
      ...{ dst_id: `C.${id}`, dst_path: '/root/copy' },
      ...more,
    });
  const status = () => simulator.world.instance(id)?.statusMessage;

  for (const [what, more, says] of [
    ['a path that is not whole', { src_path: 'data' }, 'Give a whole path.'],
    ['a copy over the home folder', { dst_path: '/root/' }, 'Copying to / and /root is not allowed.'],
  ] as const) {
    it(`is refused for ${what}`, async () => {
      const { json, text } = await direct(more);
      assert.equal(json.msg, says, text);
    });
  }

  it('is refused for the id of an instance without the letter in front of it', async () => {
    const { json, text } = await direct({ src_id: String(id) });
    assert.equal(json.msg, `Instance ${id} not found.`, text);
  });

  it('states in the status of the instance that there is nothing to copy', async () => {
    assert.equal((await direct({})).status, 200);
    simulator.advance(60);
    assert.equal(status(), 'Copy failed: no such file or directory.\n');
  });

  it('to a cloud connection is refused where the connection or its path is missing', async () => {
    for (const more of [{ selected: 1 }, { dst: '' }]) {
      const body = { instance_id: id, src: '/root/data', dst: 'bucket/data', selected: 4411 };
      const { status: code, json } = await simulator.call('POST', '/api/v0/commands/rclone/', {
        ...body,
        transfer: 'Instance To Cloud',
        ...more,
      });
      assert.deepEqual([code, json.msg], [400, 'There is no such cloud connection.']);
      simulator.advance(10);
    }
  });
});
