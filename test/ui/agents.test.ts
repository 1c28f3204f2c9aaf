import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { toolSpecs } from '../../src/agents/model/tools';
import { ChatDriver } from '../support/chatDriver';
import { InspectorCli } from '../support/inspectorCli';
import { signIn } from '../support/journey';
import { connectOfficialClient, type OfficialClient } from '../support/officialMcpClient';
import { press } from '../support/press';
import { registerOwnKey } from '../support/reachableInstance';
import { useUiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';

type Json = Readonly<Record<string, unknown>>;
type Call = (tool: string, input: Json) => Promise<Json>;

/** Commands of the editor that press what has the focus, or what is offered first. */
const acceptCommands = [
  'workbench.action.chat.acceptTool',
  'workbench.action.chat.acceptElicitation',
  'notification.acceptPrimaryAction',
  'notifications.focusToasts',
  'workbench.action.acceptSelectedQuickOpenItem',
  'quickInput.accept',
  'quickInput.acceptInBackground',
  'list.select',
  'acceptSelectedSuggestion',
  'workbench.action.terminal.chat.runCommand',
  'workbench.action.chat.submit',
  'workbench.action.focusNextPart',
];

const file = {
  image: 'pytorch/pytorch:latest',
  diskGb: 16,
  maxPricePerHour: 0.9,
  filters: { num_gpus: { eq: 1 } },
  jobs: {
    train: {
      run: 'sh train.sh',
      outputs: ['outputs/**'],
      machine: 'new',
      limits: { hours: 1, costDollars: 3 },
      whenDone: { success: 'destroy', failure: 'destroy' },
    },
  },
};
const address = path.join(tmpdir(), `gr-chat-${process.pid}.sock`);

describe('agents in the real editor', function () {
  this.bail(true);
  this.timeout(300_000);
  const session = useUiSession('agents', {
    simulator: { speed: 20 },
    settings: { 'gpuRental.agents.maxQuestionsPerHour': 30, 'chat.disableAIFeatures': false },
    env: { GPU_RENTAL_TEST_CHAT: address },
    extensions: ['ui/chatDriver'],
  });
  const chat = new ChatDriver(address);
  let workbench: Workbench;
  let client: OfficialClient | undefined;
  /** The script of the server and its arguments, as they were copied. */
  let server: readonly string[];

  const rentals = () => session().simulator.received('PUT', /^\/api\/v0\/asks\//).length;
  const destroyed = () => session().simulator.received('DELETE', /^\/api\/v0\/instances\/\d+\/$/).length;
  const dialog = (text: string | RegExp) => workbench.dialog.filter({ hasText: text });
  after(async () => {
    await client?.close();
    rmSync(address, { force: true });
  });

  async function settled(call: Call, request: unknown, isIt: (answer: Json) => boolean): Promise<Json> {
    return until(
      'what came of a request',
      async () => {
        const answer = await call('get_request', { request });
        return isIt(answer) ? answer : undefined;
      },
      { timeoutMs: 120_000 },
    );
  }

  async function quote(call: Call): Promise<string> {
    const { offers } = (await call('search_offers', { gpuCount: 1, maxPriceUsdPerHour: 0.9 })) as {
      readonly offers: readonly { readonly offer: string }[];
    };
    const made = await call('quote_rental', {
      offer: offers[0]?.offer,
      image: 'pytorch/pytorch:latest',
      diskGb: 16,
      hours: 2,
      then: 'destroy',
    });
    return String(made['quote']);
  }

  /** A machine from the search to its end; `atQuestion` is run while the price is asked about. */
  async function journey(call: Call, name: string, atQuestion: () => Promise<void>): Promise<void> {
    const before = { rentals: rentals(), destroyed: destroyed() };
    const asked = await call('request_rental', { quote: await quote(call), requestId: `${name}-rental` });
    assert.equal(asked['state'], 'pending');
    await dialog(/Rent 1×/).waitFor();
    await atQuestion();
    assert.equal(rentals(), before.rentals, 'a question alone rents nothing');
    await workbench.dialogButton('Rent for');
    const { instance } = await settled(call, asked['request'], ({ ready }) => ready === true);
    assert.equal(rentals(), before.rentals + 1);

    const run = { instance, command: 'echo from the machine', requestId: `${name}-command` };
    assert.equal((await call('run_command', run))['state'], 'pending');
    await dialog('Let').waitFor();
    await workbench.shot(`${name}-run`);
    await workbench.dialogButton('Run');
    const output = await until('the command to be allowed', async () => {
      const answer = await call('run_command', run);
      return answer['exitCode'] === undefined ? undefined : answer;
    });
    assert.match(JSON.stringify(output['untrusted']), /from the machine/);

    const { instances } = (await call('list_instances', {})) as {
      readonly instances: readonly { readonly untrusted: { readonly label: string } }[];
    };
    const end = await call('destroy_instance', {
      instance,
      label: instances[0]?.untrusted.label,
      requestId: `${name}-destroy`,
    });
    await dialog('Destroy').waitFor();
    await workbench.shot(`${name}-destroy`);
    assert.equal(destroyed(), before.destroyed);
    await workbench.dialogButton('Destroy');
    await settled(call, end['request'], ({ state }) => state === 'done');
    assert.equal(destroyed(), before.destroyed + 1);
  }

  /** A job of the open folder to its outputs and the end of its machine, with one yes. */
  async function jobJourney(call: Call, name: string): Promise<void> {
    const before = { rentals: rentals(), destroyed: destroyed() };
    const plan = await call('check_job', { job: 'train' });
    assert.equal(plan['allowed'], true, JSON.stringify(plan));
    const asked = await call('run_job', { plan: plan['plan'], requestId: `${name}-train-it` });
    await dialog(/Rent 1×.*run “train”/).waitFor();
    await workbench.shot(`${name}-job`);
    assert.equal(rentals(), before.rentals);
    await workbench.dialogButton('and Run');
    const { job } = await settled(call, asked['request'], (answer) => answer['job'] !== undefined);
    const over = await until(
      'the end of the job',
      async () => {
        const answer = await call('get_job', { job, waitSeconds: 5 });
        return answer['isOver'] === true ? answer : undefined;
      },
      { timeoutMs: 180_000 },
    );
    assert.deepEqual([over['exitCode'], over['outcome']], [0, 'destroyed'], JSON.stringify(over));
    const model = path.join(String(over['outputsFolder']), 'outputs', 'model.bin');
    assert.equal(readFileSync(model, 'utf8'), 'weights');
    assert.deepEqual([rentals(), destroyed()], [before.rentals + 1, before.destroyed + 1]);
  }

  it('let the chat in after a dialog that names the limits', async () => {
    const workspace = path.join(session().root, 'workspace');
    mkdirSync(path.join(workspace, '.vscode'));
    writeFileSync(path.join(workspace, '.vscode', 'gpu-rental.json'), JSON.stringify(file));
    writeFileSync(path.join(workspace, 'train.sh'), 'mkdir -p outputs; printf weights >outputs/model.bin\n');
    await registerOwnKey(session());
    workbench = await session().window();
    await signIn(session(), workbench);
    await workbench.clearNotifications();
    await chat.set('gpuRental.agents.access', 'ask');
    await dialog('ask to rent').waitFor();
    await workbench.shot('01-let-in');
    await workbench.dialogButton('Allow');
    await until(
      'the tools',
      async () =>
        (await chat.toolNames()).filter((name) => name.startsWith('gpuRental_')).length === toolSpecs.length,
    );
  });

  it('rents, runs and destroys by prompts in the chat, once per yes that a person presses', async () => {
    await journey(
      (tool, input) => chat.tool(tool, input),
      'chat',
      async () => {
        await workbench.shot('02-rent');
        for (let round = 0; round < 20; round += 1) {
          for (const command of acceptCommands) {
            await chat.command(command);
          }
        }
        assert.ok(await dialog(/Rent 1×/).isVisible());
      },
    );
  });

  it('trains by a job of the open folder from a prompt in the chat, once per yes', async () => {
    await jobJourney((tool, input) => chat.tool(tool, input), 'chat');
  });

  it('does the same for the official client over MCP', async () => {
    await workbench.clearNotifications();
    const own = path.join(session().root, 'home', '.cursor', 'mcp.json');
    mkdirSync(path.dirname(own));
    writeFileSync(own, '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n');
    await workbench.run('Set Up Agents…');
    await workbench.shot('03-clients');
    await workbench.quick.pick('Cursor');
    await dialog('Add GPU Rental to Cursor?').waitFor();
    await workbench.shot('03-difference');
    await workbench.dialogButton('Write');
    await workbench.toast(/Cursor is set up/);
    await workbench.shot('03-written');
    const { mcpServers } = JSON.parse(readFileSync(own, 'utf8')) as {
      readonly mcpServers: Readonly<Record<string, { readonly args: readonly string[] }>>;
    };
    assert.deepEqual(Object.keys(mcpServers), ['other', 'gpu-rental']);
    server = mcpServers['gpu-rental']?.args ?? [];
    const connected = await connectOfficialClient(server, 'auto');
    client = connected;
    // From here on it holds each answer against the schema of its tool.
    assert.equal((await connected.listTools()).tools.length, toolSpecs.length);
    await journey(
      async (name, input) => {
        const { structuredContent, isError } = await connected.callTool({ name, arguments: input });
        assert.ok(structuredContent && isError !== true, JSON.stringify(structuredContent));
        return structuredContent;
      },
      'mcp',
      () => workbench.shot('04-rent-mcp'),
    );
  });

  it('does the same for the command line of the Inspector', async () => {
    const home = path.join(session().root, 'inspector');
    mkdirSync(home);
    const inspector = new InspectorCli(server, home);
    const { code, out } = await inspector.list();
    assert.equal(code, 0);
    const { result } = JSON.parse(out) as { readonly result: { readonly tools: readonly unknown[] } };
    assert.equal(result.tools.length, toolSpecs.length);
    const call: Call = async (tool, input) => {
      const called = await inspector.call(tool, input);
      assert.equal(called.code, 0, called.out);
      const answer = JSON.parse(called.out) as { readonly result: { readonly structuredContent: Json } };
      return answer.result.structuredContent;
    };
    await journey(call, 'inspector', () => workbench.shot('05-rent-inspector'));
    await jobJourney(call, 'inspector');
  });

  it('answers the Inspector that nothing was done if no editor is open', async () => {
    const empty = path.join(session().root, 'no-editor');
    mkdirSync(empty);
    const [script = ''] = server;
    const inspector = new InspectorCli([script, empty], session().root);
    assert.equal((await inspector.list()).code, 0);
    const { code, out } = await inspector.call('search_offers', { gpuCount: 1 });
    assert.equal(code, 5, 'the error of a tool');
    assert.match(out, /no window with it is open\. Nothing was done\./);
  });

  it('shows who is signed in in the accounts menu', async () => {
    await press(workbench.page.getByLabel('Accounts', { exact: true }).first());
    await workbench.page.locator('.monaco-menu').getByText('(GPU Rental)').waitFor();
    await workbench.shot('06-accounts-menu');
    await workbench.page.keyboard.press('Escape');
  });

  it('shows limits, use and calls in the account view', async () => {
    // With these open, the group would be below what is shown.
    for (const view of ['Instances', 'Jobs']) {
      await workbench.view(view).close();
    }
    const account = workbench.view('Account');
    await account.open();
    await account.expand(account.row('Agents'));
    await account.row('Access').waitFor();
    await workbench.shot('07-group');
    assert.deepEqual(workbench.errors, []);
  });
});
