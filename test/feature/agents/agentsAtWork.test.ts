import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AgentDriver, letAgentsIn } from '../../support/feature/agentDriver';
import { registerKey } from '../../support/feature/reachable';
import { generateKey } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

type Row = Readonly<Record<string, unknown>>;

/** Presses a button of the dialog once it can be no key meant for the editor. */
async function answer(window: FeatureWindow, button: string | RegExp, text?: string | RegExp): Promise<void> {
  const dialog = await window.dialog(text);
  await window.computer.pass(600);
  const found = dialog.buttons.find((one) =>
    typeof button === 'string' ? one === button : button.test(one),
  );
  dialog.press(found ?? String(button));
  await window.computer.rest();
}

async function rowOf(agent: AgentDriver): Promise<Row> {
  const { instances } = (await agent.call('list_instances')) as { readonly instances: readonly Row[] };
  return instances[0] ?? {};
}

describe('an agent at work on an instance of the user', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let agent: AgentDriver;
  let instance: string;

  const state = async (request: unknown) => (await agent.call('get_request', { request }))['state'];
  const settled = (request: unknown, wanted: string) =>
    computer().until(`${wanted} for a request`, async () => (await state(request)) === wanted);

  before(async () => {
    await registerKey(computer());
    const id = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    instance = `inst_${id}`;
    window = await computer().openSignedIn();
    window.clearToasts();
    agent = await letAgentsIn(window);
  });

  it('reads templates', async () => {
    const { templates } = (await agent.call('list_templates', { scope: 'public' })) as {
      readonly templates: readonly Row[];
    };
    assert.match(String(templates[0]?.['template']), /^template_\d+$/);
  });

  it('gets the age of the list', async () => {
    const ages: number[] = [];
    for (const ms of [0, 7000]) {
      await computer().pass(ms);
      ages.push(Number((await agent.call('list_instances'))['ageSeconds']));
    }
    assert.ok(Math.max(...ages) > 0, `ages ${ages.join()}`);
  });

  it('gets an alias to connect with', async () => {
    const { sshAlias, sshCommand } = await agent.call('connect_instance', { instance });
    assert.match(String(sshAlias), /^gpu-/);
    assert.ok(String(sshCommand).includes(String(sshAlias)));
  });

  it('runs a command after a yes to that command, once', async () => {
    const input = { instance, command: 'seq 1 300000; echo from the machine', requestId: 'command-1' };
    assert.equal((await agent.call('run_command', input))['state'], 'pending');
    await answer(window, 'Run', /Let the chat run commands on “trainer”/);
    const { exitCode, untrusted } = await agent.call('run_command', input);
    assert.equal(exitCode, 0);
    // The end of an output, however long it is.
    assert.match(JSON.stringify(untrusted), /299999\\n300000\\nfrom the machine/);
    const again = await agent.call('run_command', input);
    assert.deepEqual([again['exitCode'], again['untrusted']], [0, untrusted]);
    const folders = computer().ofAccounts('agents');
    const files = folders.flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)));
    const kept = files.filter((name) => name.endsWith('.json'));
    assert.equal(kept.length, 1);
    // It may hold secrets, and is needed for its question alone.
    for (const file of kept) {
      assert.doesNotMatch(readFileSync(file, 'utf8'), /echo/);
    }
  });

  it('hides no end of a command, and keeps its lines', async () => {
    const command = `cd data\u202e\necho ${'x'.repeat(986)}\nrm -rf /`;
    await agent.call('run_command', { instance, command, requestId: 'command-2' });
    const { detail } = await window.dialog('run commands');
    const shown =
      /First command:\n│ cd data\\u\{202e\}\n│ echo x{55}\n(?:┊ x{60}\n){14}… and more characters that are not shown here: 100/;
    assert.match(detail ?? '', shown);
    await answer(window, 'Cancel', /run commands/);
  });

  it('sets when it ends after a yes', async () => {
    const input = { instance, hoursFromNow: 2, then: 'stop', requestId: 'schedule-1' };
    const { request } = await agent.call('set_schedule', input);
    await answer(window, 'Change Schedule', /Change the schedule of “trainer”/);
    await settled(request, 'done');
    assert.equal((await rowOf(agent))['scheduledAction'], 'stop');
  });

  it('stops it after a yes, and commits to its price once it starts it', async () => {
    const stop = await agent.call('change_state', { instance, to: 'stopped', requestId: 'stop-no-1' });
    await answer(window, 'Stop', /Stop “trainer”/);
    await settled(stop['request'], 'done');
    await computer().until('it to be stopped', async () => (await rowOf(agent))['state'] === 'stopped');
    const start = await agent.call('change_state', { instance, to: 'running', requestId: 'start-no-1' });
    await answer(window, /^Start for/, /Start “trainer”/);
    await settled(start['request'], 'done');
    const { limitsLeft } = await agent.call('list_instances');
    assert.equal((limitsLeft as Row)['instances'], 0);
    assert.ok(Number((limitsLeft as Row)['usdToday']) < 9.9, 'the hours to come are committed');
    await computer().until(
      'its check to pass',
      async () => (await agent.call('get_instance', { instance }))['ready'] === true,
    );
  });

  it('learns from the list what became of a stop whose answer was lost', async () => {
    const { simulator } = computer();
    await computer().until('it to run', async () => (await rowOf(agent))['state'] === 'running');
    const one = '/api/v0/instances/{id}/';
    simulator.fail({ kind: 'dropAfter', method: 'PUT', path: one });
    simulator.fail({ kind: 'html500', method: 'GET', path: one, times: 0 });
    const lists = { kind: 'html500', method: 'GET', path: '/api/v1/instances/', times: 0 } as const;
    simulator.fail(lists);
    const input = { instance, to: 'stopped', requestId: 'stop-no-2' };
    const { request } = await agent.call('change_state', input);
    await answer(window, 'Stop', /Stop “trainer”/);
    await settled(request, 'unknown');
    simulator.faults.clear();
    await settled(request, 'done');
    window.clearToasts();
  });
});

describe('an agent at work on one of two instances of the same name', () => {
  const computer = useComputer();

  it('has the user asked with its number', async () => {
    const [, twin] = [
      await computer().rentRunning({ label: 'trainer' }),
      await computer().rentRunning({ label: 'trainer' }),
    ];
    const window = await computer().openSignedIn();
    window.clearToasts();
    const agent = await letAgentsIn(window);
    await agent.call('change_state', { instance: `inst_${twin}`, to: 'stopped', requestId: 'stop-a-twin' });
    await answer(window, 'Cancel', `Stop “trainer #${twin}”`);
  });
});

describe('an agent that rents a machine which fails its check', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('gets no answer that it is ready', async () => {
    await registerKey(computer());
    const window = await computer().openSignedIn();
    window.clearToasts();
    const agent = await letAgentsIn(window);
    computer().simulator.orders.behave('fullDisk', 1);
    const { request } = await agent.call('request_rental', {
      quote: await agent.quote(),
      requestId: 'rental-1',
    });
    await answer(window, /^Rent for/, /Rent 1×/);
    await window.toast(/it is not what was rented/);
    assert.equal((await agent.call('get_request', { request }))['ready'], false);
    window.clearToasts();
  });
});

describe('an agent that rents where no login is checked', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.checkLogin': false } });

  it('gets the answer that it is ready once the service lists it as running, and not before', async () => {
    await registerKey(computer());
    const window = await computer().openSignedIn();
    window.clearToasts();
    const agent = await letAgentsIn(window);
    const { request } = await agent.call('request_rental', {
      quote: await agent.quote(),
      requestId: 'rental-1',
    });
    await answer(window, /^Rent for/, /Rent 1×/);
    const seen: string[] = [];
    await computer().until('it to be ready', async () => {
      const { instanceState, ready } = await agent.call('get_request', { request });
      if (instanceState !== undefined) {
        seen.push(JSON.stringify([instanceState, ready]));
      }
      await computer().pass(5000);
      return ready === true;
    });
    assert.ok(seen.length > 1, 'it was asked about before it ran');
    assert.equal(seen.pop(), '["running",true]');
    assert.ok(!seen.join().includes('true'), seen.join());
  });
});

describe('an agent that rents while the service is slow', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.checkLogin': true } });

  it('has the user asked with nothing else on the screen', async () => {
    await registerKey(computer());
    const window = await computer().openSignedIn();
    window.clearToasts();
    const agent = await letAgentsIn(window);
    const quote = await agent.quote();
    computer().simulator.fail({ kind: 'delay', method: 'GET', path: '/api/v0/ssh/', delayMs: 5000 });
    await agent.call('request_rental', { quote, requestId: 'rental-1' });
    await computer().pass(2000);
    assert.deepEqual(window.screen.messages.shown, []);
    await answer(window, 'Cancel', /Rent 1×/);
  });
});

describe('an agent whose rental is cut short', () => {
  const computer = useComputer({ settings: { 'gpuRental.ready.checkLogin': true } });
  let window: FeatureWindow;

  it('asks for a key to log in with before the price', async () => {
    window = await computer().openSignedIn();
    window.clearToasts();
    const agent = await letAgentsIn(window);
    await agent.call('request_rental', { quote: await agent.quote(), requestId: 'rental-1' });
    await generateKey(window);
    await window.dialog(/Rent 1×/);
  });

  it('gives the machine its end after a crash, also once agents are off', async () => {
    const { simulator } = computer();
    simulator.fail({ kind: 'dropAfter', method: 'PUT', path: '/api/v0/asks/{id}/' });
    await answer(window, /^Rent for/, /Rent 1×/);
    await computer().until('the rental', () => simulator.world.instances.length === 1);
    window.kill();
    computer().settings.set('gpuRental.agents.access', 'off');
    window = await computer().openWindow({ isFocused: true });
    await window.view('instances').row(/auto-destroy|destroy/i);
    assert.equal(simulator.received('PUT', /^\/api\/v0\/asks\//).length, 1);
    window.clearToasts();
  });

  it('may spend nothing more after the file of requests broke', async () => {
    window.clearToasts();
    computer().settings.set('gpuRental.agents.access', 'ask');
    await computer().rest();
    const [file = ''] = computer().ofAccounts(path.join('agents', 'requests.json'));
    writeFileSync(file, '{broken');
    const agent = new AgentDriver(window);
    for (let call = 0; call < 3; call += 1) {
      const { limitsLeft } = await agent.call('list_instances');
      assert.equal((limitsLeft as Row)['usdToday'], 0);
    }
    const quote = await agent.quote();
    await assert.rejects(agent.call('request_rental', { quote, requestId: 'rental-2' }), /may spend nothing/);
  });
});
