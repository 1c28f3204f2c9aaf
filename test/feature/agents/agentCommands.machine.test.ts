import assert from 'node:assert/strict';
import { AgentDriver, letAgentsIn } from '../../support/feature/agentDriver';
import { writeJobs } from '../../support/feature/jobDriver';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

type Answer = Readonly<Record<string, unknown>>;

describe('an agent with a long command', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let agent: AgentDriver;
  let instance: string;
  let job: unknown;

  const logOf = ({ untrusted }: Answer) => (untrusted as Record<string, string>)['log'] ?? '';

  async function until(is: (answer: Answer) => boolean, of = job): Promise<Answer> {
    let last: Answer = {};
    await computer().until(
      'the job as wanted',
      async () => {
        last = await agent.call('get_job', { job: of, waitSeconds: 5 });
        return is(last);
      },
      { withinMs: 900_000 },
    );
    return last;
  }

  /** Orders a command after a yes to it. */
  async function run(command: string, requestId: string): Promise<unknown> {
    const input = { instance, command, minutes: 30, requestId };
    assert.equal((await agent.call('run_command', input))['state'], 'pending');
    const dialog = await window.dialog(/Let the chat run commands on “trainer”/);
    assert.match(dialog.detail ?? '', /It may run for 30 min, also without the agent\./);
    await computer().pass(600);
    dialog.press('Run');
    await computer().rest();
    const ordered = await agent.call('run_command', input);
    assert.equal(ordered['state'], 'done', JSON.stringify(ordered));
    assert.deepEqual(await agent.call('run_command', input), ordered);
    return ordered['job'];
  }

  before(async () => {
    instance = `inst_${await reachableInstance(computer(), 'trainer')}`;
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
    agent = await letAgentsIn(window);
  });

  it('runs it as a job that the view shows, once for all retries', async () => {
    job = await run('echo begun; sleep 600', 'command-no-1');
    const seen = await until((answer) => logOf(answer).includes('begun'));
    assert.deepEqual([seen['isOver'], seen['byAgent']], [false, true]);
    await window.view('jobs').row(/command.*running.*by agent/);
    const { jobs } = (await agent.call('list_jobs', { state: 'open' })) as {
      readonly jobs: readonly Answer[];
    };
    assert.deepEqual(
      jobs.map((one) => one['job']),
      [job],
    );
  });

  it('extends it after a yes to the price', async () => {
    const asked = await agent.call('extend_job', { job, hours: 1, requestId: 'extend-no-1' });
    assert.equal(asked['state'], 'pending');
    const dialog = await window.dialog(/^Extend “command” for the chat/);
    assert.match(dialog.detail ?? '', /It can then cost up to \$/);
    const before = await agent.call('get_job', { job });
    await computer().pass(600);
    dialog.press(dialog.buttons.find((one) => one.startsWith('Extend')) ?? '');
    await computer().rest();
    const after = await until((answer) => answer['endsBy'] !== before['endsBy']);
    assert.ok(Date.parse(String(after['endsBy'])) - Date.parse(String(before['endsBy'])) >= 3_500_000);
  });

  it('finds it again in another window, and stops it without a question', async () => {
    window.close();
    window = await computer().openWindow({ isFocused: true });
    await window.view('instances').row('trainer');
    agent = new AgentDriver(window);
    await computer().until(
      'the job in the new window',
      async () => ((await agent.call('list_jobs', {})) as { jobs: readonly Answer[] }).jobs.length === 1,
    );
    const stopped = await agent.call('stop_job', { job, requestId: 'stop-no-1' });
    assert.equal(stopped['state'], 'done', JSON.stringify(stopped));
    const over = await until((answer) => answer['isOver'] === true);
    assert.equal(over['outcome'], 'kept');
    window.clearToasts();
  });

  it('gets no job of a folder that the user does not trust', async () => {
    await writeJobs(window, { train: { run: 'true', limits: { hours: 1, costDollars: 1 } } });
    assert.equal((await agent.call('check_job', { job: 'train', instance }))['allowed'], true);
    window.close();
    window = await computer().openWindow({ isTrusted: false, isFocused: true });
    await window.view('instances').row('trainer');
    agent = new AgentDriver(window);
    await assert.rejects(agent.call('check_job', { job: 'train', instance }), /that the user trusts/);
  });
});
