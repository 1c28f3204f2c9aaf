import assert from 'node:assert/strict';
import { letAgentsIn, type AgentDriver } from '../../support/feature/agentDriver';
import { generateKey } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('an act that a person approved for an agent, and the service refuses', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let agent: AgentDriver;
  let instance: string;

  before(async () => {
    instance = `inst_${await computer().rentRunning({ label: 'trainer' })}`;
    window = await computer().openSignedIn();
    agent = await letAgentsIn(window);
    window.clearToasts();
  });

  it('is reported to that person, who would otherwise believe the instance destroyed', async () => {
    computer().simulator.fail({
      ...{ kind: 'error', status: 403, error: 'not_allowed' },
      ...{ method: 'DELETE', path: '/api/v0/instances/*' },
    });
    const asked = { instance, label: 'trainer', requestId: 'destroy-trainer' };
    assert.equal((await agent.call('destroy_instance', asked))['state'], 'pending');
    const dialog = await window.dialog('Destroy “trainer” for the chat?');
    await computer().pass(600);
    dialog.press('Destroy');
    const { buttons } = await window.toast('Could not confirm this for “trainer”. You may still be charged.');
    assert.deepEqual([...buttons], ['Show Instances', 'Show Log']);
    assert.equal((await agent.call('destroy_instance', asked))['state'], 'failed');
  });
});

describe('a request of an agent that expires while a person chooses a key for it', () => {
  const computer = useComputer();

  it('is not asked about any more, since no yes would count', async () => {
    const window = await computer().openSignedIn();
    window.clearToasts();
    const agent = await letAgentsIn(window);
    await agent.call('request_rental', { quote: await agent.quote(), requestId: 'rental-1' });
    await window.quick.title('Choose an SSH Key to Log In With');
    await computer().pass(11 * 60_000);
    await generateKey(window);
    await window.toast('The request has expired or a limit is reached, so nothing was done.');
    assert.ok(!window.screen.messages.shown.some(({ text }) => text.startsWith('Rent 1×')));
  });
});
