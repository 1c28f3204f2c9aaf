import path from 'node:path';
import { letAgentsIn } from '../../support/feature/agentDriver';
import { registerKey } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';

describe('an agent whose rental is cut short in an account that is switched', () => {
  const computer = useComputer();

  it('gives the machine its end while another account is active', async () => {
    const { simulator } = computer();
    await registerKey(computer());
    const first = await computer().openSignedIn();
    first.clearToasts();
    const agent = await letAgentsIn(first);
    const quote = await agent.quote();
    const other = await simulator.call('POST', '/__sim/accounts/', { email: 'other@example.com' });
    const lists = { kind: 'html500', method: 'GET', path: '/api/v1/instances/', times: 0 } as const;
    simulator.fail({ kind: 'dropAfter', method: 'PUT', path: '/api/v0/asks/{id}/' });
    simulator.fail(lists);
    await agent.call('request_rental', { quote, requestId: 'rental-1' });
    const dialog = await first.dialog('Rent 1×');
    await computer().pass(600);
    dialog.press(dialog.buttons[1] ?? '');
    await computer().until('the rental', () => simulator.world.instances.length === 1);
    await first.signIn(String(other.json.key));
    first.kill();
    simulator.faults.clear();

    const second = await computer().openWindow({ isFocused: true });
    const { id } = simulator.world.instances[0] ?? {};
    const scheduled = () => computer().ofAccounts(path.join('schedules', `${id}.json`)).length > 0;
    await computer().until('its schedule', scheduled, { withinMs: 10 * 60_000 });
    second.clearToasts();
  });
});
