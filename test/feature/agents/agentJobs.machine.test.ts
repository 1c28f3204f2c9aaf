import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { letAgentsIn } from '../../support/feature/agentDriver';
import { openForJobs, writeJob } from '../../support/feature/jobDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { buildMcpServer } from '../../support/mcpServer';
import { connectOfficialClient, type OfficialClient } from '../../support/officialMcpClient';

type Answer = Readonly<Record<string, unknown>>;

const repository = path.join(__dirname, '..', '..', '..');
const program = path.join(repository, 'dist', 'mcp.js');

describe('an agent with a job of a repository', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let client: OfficialClient;

  /** Calls a tool by the official client, which lives in the time of this computer. */
  async function call(name: string, input: object): Promise<Answer> {
    const called = client.callTool({ name, arguments: input });
    const answered = called.then(() => true);
    // What a tool waits for in the window needs its time.
    while (
      !(await Promise.race([
        answered,
        computer()
          .rest()
          .then(() => false),
      ]))
    ) {
      await computer().pass(100);
    }
    const { isError, content, structuredContent } = await called;
    assert.notEqual(isError, true, content[0]?.text);
    return structuredContent ?? {};
  }

  /** Calls a tool again and again while time passes for the windows. */
  async function until(name: string, input: object, is: (answer: Answer) => boolean): Promise<Answer> {
    for (let passedMs = 0; passedMs < 900_000; passedMs += 3000) {
      const answer = await call(name, input);
      if (is(answer)) {
        return answer;
      }
      await computer().pass(3000);
      await computer().rest();
    }
    throw new Error(`${name} never answered as wanted.`);
  }

  before(async () => {
    buildMcpServer();
    window = await openForJobs(computer());
    await letAgentsIn(window);
    client = await connectOfficialClient([program, computer().storage], 'auto');
  });
  after(() => client.close());

  it('brings its outputs and ends its machine, after one yes', async () => {
    const whenDone = { success: 'destroy', failure: 'destroy' };
    await writeJob(window, { run: 'sh train.sh', outputs: ['outputs/**'], whenDone });
    const plan = await call('check_job', { job: 'train' });
    assert.deepEqual([plan['allowed'], plan['files']], [true, 1], JSON.stringify(plan));
    const asked = await call('run_job', { plan: plan['plan'], requestId: 'train-it-once' });
    assert.equal(asked['state'], 'pending');
    const dialog = await window.dialog(/^Rent 1× “RTX 3090” and run “train” on it for “official-client”/);
    assert.match(dialog.detail ?? '', /Sent: 1 file.*│ sh train\.sh/s);
    await computer().pass(600);
    dialog.press(dialog.buttons.find((one) => one.endsWith('/h and Run')) ?? '');
    const { request } = asked;
    const rented = await until('get_request', { request }, ({ job }) => job !== undefined);
    const over = await until('get_job', { job: rented['job'] }, ({ isOver }) => isOver === true);
    assert.deepEqual([over['exitCode'], over['outcome'], over['byAgent']], [0, 'destroyed', true]);
    const { log, outputs } = over['untrusted'] as Record<string, string>;
    assert.match(log ?? '', /epoch 1/);
    assert.equal(outputs, 'outputs/model.bin 5');
    const file = path.join(String(over['outputsFolder']), 'outputs', 'model.bin');
    assert.equal(readFileSync(file, 'utf8'), 'model');
    const { instances } = await call('list_instances', {});
    assert.deepEqual(instances, []);
  });
});
