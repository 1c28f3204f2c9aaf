import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { AgentDriver } from '../../support/feature/agentDriver';
import { haveKey } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('what a person sees and stops of agents', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let agent: AgentDriver;

  const rentals = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//).length;
  const status = () =>
    [...window.screen.status.values()].find((one) => one.isShown && one.text.includes('$(hubot)'));
  const answer = async (button: string | RegExp, text: RegExp) => {
    const dialog = await window.dialog(text);
    await computer().pass(600);
    const found = dialog.buttons.find((one) =>
      typeof button === 'string' ? one === button : button.test(one),
    );
    dialog.press(found ?? String(button));
    await computer().rest();
  };
  const group = async () => {
    const account = window.view('account');
    await account.expand('Agents');
    return account;
  };

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
    agent = new AgentDriver(window);
  });

  it('is asked about declined limits again by a row and a command', async () => {
    computer().settings.set('gpuRental.agents.access', 'ask');
    await answer('Cancel', /Let AI agents ask/);
    await assert.rejects(agent.call('list_instances'), /has not confirmed|answer the dialog/);
    await (await group()).row('Limits need your review');
    window.run('Review Agent Limits…');
    await answer('Allow', /Let AI agents ask/);
    assert.deepEqual((await agent.call('list_instances'))['instances'], []);
    window.run('Review Agent Limits…');
    await window.toast(/Agents can ask\. Limits: \$10\.00\/day and \S+ without traffic/);
    window.clearToasts();
  });

  it('sees in the status bar that a request waits, and answers it from there', async () => {
    await agent.call('request_rental', { quote: await agent.quote(), requestId: 'rental-1' });
    await computer().until('the status', () => /Waiting requests: 1/.test(status()?.text ?? ''));
    assert.equal(status()?.command, 'gpuRental.agents.openRequest');
    await answer(/^Rent for/, /Rent 1×/);
    await computer().until('the rental', () => rentals() === 1);
    await window.statusShows('Agent instances: 1');
  });

  it('sees which instance an agent rented, and what is used of the limits', async () => {
    await window.view('instances').row(/\$\S+ · .* · by agent/);
    const account = await group();
    await account.row(/Today \(UTC\).*\$(?!0\.00)[\d.]+ of \$10\.00/);
    await account.row(/Instances.*1 of 1/);
  });

  it('reads in words what agents called, and that a request asked them', async () => {
    const account = await group();
    await account.row(/^Ask to Rent you were asked · /);
    await account.row(/^Search GPU Offers done · /);
    assert.ok(!(await account.texts()).some((row) => /_|pending/.test(row)));
  });

  it('asks in this window about what a reload of another took away', async () => {
    const { instances } = (await agent.call('list_instances')) as {
      readonly instances: readonly {
        readonly instance: string;
        readonly untrusted: { readonly label: string };
      }[];
    };
    const [row] = instances;
    const input = { instance: row?.instance, label: row?.untrusted.label, requestId: 'destroy-1' };
    await agent.call('destroy_instance', input);
    await window.dialog(/Destroy/);
    window.kill();
    window = await computer().openWindow({ isFocused: true });
    agent = new AgentDriver(window);
    await computer().until('the status', () => /Waiting requests: 1/.test(status()?.text ?? ''));
    window.run('Answer Agent Request');
    await window.dialog(/Destroy .* for the chat/);
    await answer('Cancel', /Destroy .* for the chat/);
    assert.equal((await agent.call('destroy_instance', input))['state'], 'declined');
  });

  it('stops all that agents rented and declines what waits, after one question', async () => {
    const { simulator } = computer();
    const stops = () => simulator.received('PUT', /^\/api\/v0\/instances\/\d+\/$/).length;
    const deleted = () => simulator.received('DELETE', /^\/api\/v0\/instances\//).length;
    const before = stops();
    window.run('Stop All of Agents…');
    await answer('Keep Running', /Stop everything that agents rented/);
    assert.equal(stops(), before);
    window.run('Stop All of Agents…');
    const { detail } = await window.dialog(/Stop everything that agents rented/);
    assert.match(detail ?? '', /no data is destroyed\.\n.*storage costs \$/);
    await answer('Stop All', /Stop everything that agents rented/);
    await computer().until('the stop', () => stops() === before + 1);
    assert.equal(deleted(), 0);
    await computer().until('the status to go', () => status() === undefined);
    window.clearToasts();
  });

  it('lets agents spend nothing after their file broke, also tomorrow, until a person allows it', async () => {
    const [file = ''] = computer().ofAccounts(path.join('agents', 'requests.json'));
    writeFileSync(file, '{broken');
    const left = async () =>
      ((await agent.call('list_instances'))['limitsLeft'] as { usdToday: number }).usdToday;
    assert.equal(await left(), 0);
    await computer().pass(25 * 3_600_000);
    assert.equal(await left(), 0);
    window.run('Review Agent Limits…');
    await answer('Allow', /Let agents spend again/);
    assert.equal(await left(), 10);
    window.clearToasts();
  });
});
