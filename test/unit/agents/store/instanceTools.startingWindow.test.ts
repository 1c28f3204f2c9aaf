import assert from 'node:assert/strict';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { agentScene, type AgentScene } from '../../../support/agentWindows';
import { anInstance } from '../../../support/builders';

const { signal } = new AbortController();
const caller = { id: 'a', name: 'claude', door: 'mcp' } as const;

describe('a call of an agent in a window that has just opened', () => {
  let { service, computer, window: before } = {} as AgentScene;

  beforeEach(async () => {
    ({ service, computer, window: before } = await agentScene());
  });
  afterEach(() => computer.dispose());

  /** The tools in the next window, which has read nothing yet. */
  function opened() {
    const { accounts, fleet } = computer.openWindow();
    return instanceTools({ ...before, accounts, fleet });
  }

  it('waits until its account and its instances are read', async () => {
    service.instances = [...service.instances, anInstance({ id: 5002 })];
    const tools = opened();
    for (const instance of ['inst_5001', 'inst_5002']) {
      assert.equal((await tools.get_instance({ instance }, { caller, signal }))['instance'], instance);
    }
  });

  it('does not report an instance as missing if the list can’t be read', async () => {
    service.failsBefore('instances.list', () => new Error('offline'));
    const tools = opened();
    await assert.rejects(
      tools.get_instance({ instance: 'inst_5002' }, { caller, signal }),
      /list of instances could not be read/,
    );
  });

  it('reports an instance as missing once a current list lacks it', async () => {
    await assert.rejects(
      opened().get_instance({ instance: 'inst_5002' }, { caller, signal }),
      /no such instance on this account/,
    );
  });

  it('reports that a key can’t be read, not that you are signed out', async () => {
    computer.secrets.isLocked = true;
    await assert.rejects(
      opened().list_instances({}, { caller, signal }),
      /key of the account could not be read/,
    );
  });
});
