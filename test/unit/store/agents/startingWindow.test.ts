import assert from 'node:assert/strict';
import { instanceTools } from '../../../../src/store/agents/instanceTools';
import { openAgentWindow, wideLimits, type AgentWindow } from '../../../support/agentWindows';
import { anInstance } from '../../../support/builders';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { FakeLeaseDisk } from '../../../support/leaseWindows';

const { signal } = new AbortController();
const caller = { id: 'a', name: 'claude', door: 'mcp' } as const;

describe('a call of an agent in a window that has just opened', () => {
  let service: FakeService;
  let computer: FakeComputer;
  let before: AgentWindow;

  beforeEach(async () => {
    service = new FakeService();
    service.instances = [anInstance({ id: 5001 })];
    computer = await FakeComputer.make(service.client);
    before = await openAgentWindow(computer, new FakeLeaseDisk(), { limits: wideLimits });
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

  it('is told of no missing instance where the list can’t be read', async () => {
    service.before = (call) => {
      if (call === 'instances.list') throw new Error('offline');
    };
    const tools = opened();
    await assert.rejects(
      tools.get_instance({ instance: 'inst_5002' }, { caller, signal }),
      /list of instances could not be read/,
    );
  });

  it('is told of an instance that is not there once a list of now lacks it', async () => {
    await assert.rejects(
      opened().get_instance({ instance: 'inst_5002' }, { caller, signal }),
      /no such instance on this account/,
    );
  });

  it('is told of a key that can’t be read, and not that nobody is signed in', async () => {
    computer.secrets.isLocked = true;
    await assert.rejects(
      opened().list_instances({}, { caller, signal }),
      /key of the account could not be read/,
    );
  });
});
