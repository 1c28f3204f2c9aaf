import assert from 'node:assert/strict';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { usageOf } from '../../../../src/agents/model/ledger';
import type { AgentRequest } from '../../../../src/agents/model/request';
import { jobTools } from '../../../../src/agents/store/jobTools';
import { settle } from '../../../../src/agents/store/settle';
import { jobUse } from '../../../../src/model/accounts/keptSecret';
import { fromDollars, times } from '../../../../src/model/money';
import { agentScene, type AgentScene } from '../../../support/agentWindows';
import { anInstance, anOffer } from '../../../support/builders';
import { openRepository, orderRunningJob, type RepositoryParts } from '../../../support/repository';

type Answer = Readonly<Record<string, unknown>>;

const hourMs = 3_600_000;
const caller = { id: 'a', name: 'claude', door: 'mcp' } as const;
const { signal } = new AbortController();
const context = { caller, signal };
const requestId = 'request-no-1';

describe('A job that an agent asks for', () => {
  let scene: AgentScene;
  let folder: string;

  async function open(parts: RepositoryParts = {}): Promise<void> {
    scene = await agentScene({ offers: [anOffer()], instances: [anInstance({ id: 5001, label: 'mine' })] });
    folder = openRepository(scene.window, scene.computer, parts);
  }
  beforeEach(() => open());
  afterEach(() => scene.computer.dispose());

  const tools = () => jobTools(scene.window);
  const check = (more: object = {}) => tools().check_job({ job: 'train', ...more }, context);
  const ask = (plan: Answer, more: object = {}) =>
    tools().run_job({ plan: String(plan['plan']), requestId, ...more }, context);
  const jobs = () => scene.window.agentJobs.jobs.rows;
  const rents = () => scene.service.count('offers.rent');
  const requests = async () => (await scene.window.desk.read()).requests;
  const usage = async (now = scene.computer.clock.now()) => usageOf(await requests(), now, new Set([5001]));

  async function agreed(more: object = {}): Promise<AgentRequest> {
    return scene.carryOut(await scene.confirm(await ask(await check(more))));
  }

  it('is planned without a trace on the disk', async () => {
    const plan = await check();
    assert.deepEqual([plan['allowed'], plan['files'], rents(), jobs().length], [true, 1, 0, 0]);
    assert.deepEqual(await scene.window.desk.read(), { quotes: [], requests: [] });
  });

  it('is ordered for one rental after one yes, with the stop that was agreed', async () => {
    const { state, jobId, commitment } = await agreed();
    assert.deepEqual([state, rents(), jobs().length], ['rented', 1, 1]);
    const [row] = jobs();
    assert.equal(row?.job.id, jobId);
    assert.deepEqual(row?.job.ends, { success: 'destroy', failure: 'stop', limit: 'stop' });
    const [schedule] = [...scene.disk.schedules.values()];
    assert.deepEqual(schedule?.term, { kind: 'at', at: commitment?.until });
  });

  it('is ordered once for each request, however often it is sent', async () => {
    await agreed({ instance: 'inst_5001' });
    const other = tools().run_job({ plan: 'plan_gone', requestId: 'request-no-2' }, context);
    await assert.rejects(other, /no such plan/);
    const plan = { plan: (await requests())[0]?.job?.plan };
    assert.equal((await ask(plan))['state'], 'done');
    assert.equal(jobs().length, 1);
  });

  it('is asked about once, also where two clients have the same plan', async () => {
    const plan = await check();
    const answers = await Promise.allSettled([ask(plan), ask(plan, { requestId: 'request-no-2' })]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    assert.equal((await requests()).length, 1);
  });

  const changes: Readonly<Record<string, () => void>> = {
    'a file more': () => writeFileSync(path.join(folder, 'more.py'), ''),
    'a file that may be a secret': () => {
      writeFileSync(path.join(folder, 'x.pem'), '');
      openRepository(scene.window, scene.computer, { job: { sync: { include: ['x.pem'] } } });
    },
    'a file that grew': () => writeFileSync(path.join(folder, 'train.sh'), 'x'.repeat(2_000_000)),
    'another command': () =>
      openRepository(scene.window, scene.computer, { job: { run: 'sh train.sh more' } }),
    'another image': () => openRepository(scene.window, scene.computer, { machine: { image: 'evil' } }),
    'a start script': () => openRepository(scene.window, scene.computer, { machine: { onStart: 'curl x' } }),
    'a secret': () => openRepository(scene.window, scene.computer, { job: { secrets: ['TOKEN'] } }),
    'no window that has its folder': () => (scene.window.agentJobs.folders.all = []),
    'no file any more': () => rmSync(path.join(folder, '.vscode'), { recursive: true }),
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`is refused with ${what} since the plan, before and after the question`, async () => {
      const plan = await check();
      change();
      await assert.rejects(ask(plan));
      await scene.computer.dispose();
      await open();
      const yes = await scene.confirm(await ask(await check()));
      change();
      const { state, problem = '' } = await scene.carryOut(yes);
      assert.deepEqual([state, rents(), jobs().length], ['notRented', 0, 0], problem);
    });
  }

  it('is refused with a plan of another account, or one that is too old', async () => {
    const plan = await check();
    await scene.computer.clock.advance(601_000);
    await assert.rejects(ask(plan), /expired/);
    const other = await check();
    await scene.window.accounts.signIn({ serviceUrl: 'https://other.example.com', apiKey: 'another-key' });
    await assert.rejects(ask(other), /no such plan on this account/);
  });

  it('is of a folder that the user opened and trusts, and of no other', async () => {
    for (const one of ['/etc', '/', `${folder}/../repository2`, `${folder}/.vscode`, '~', 'repository']) {
      await assert.rejects(check({ folder: one }), /not open in a window/, one);
    }
    assert.equal((await check({ folder: `${folder}/` }))['allowed'], true);
  });

  it('is not read through a link that leads out of the folder', async () => {
    rmSync(path.join(folder, '.vscode'), { recursive: true });
    symlinkSync(scene.computer.storageDir, path.join(folder, '.vscode'));
    writeFileSync(path.join(scene.computer.storageDir, 'gpu-rental.json'), '{"jobs":{"train":{}}}');
    await assert.rejects(check());
  });

  it('gets only secrets that the user gave to this job of this folder', async () => {
    await scene.computer.dispose();
    await open({ job: { secrets: ['TOKEN'] } });
    const { secrets } = scene.window.agentJobs;
    secrets.push({ name: 'TOKEN', value: 'v', uses: [jobUse(folder, 'eval', 'TOKEN')] });
    const plan = await check();
    assert.deepEqual([plan['allowed'], /Run Job/.test(String(plan['next']))], [false, true]);
    await assert.rejects(ask(plan), /all of its secrets/);
    secrets.push({ name: 'OTHER', value: 'v', uses: [jobUse(folder, 'train', 'TOKEN')] });
    assert.equal((await check())['allowed'], true);
  });

  it('counts toward the limits with all that its machine and its retries can cost', async () => {
    const once = await check();
    await scene.computer.dispose();
    await open({ job: { retries: { interrupted: 2 } } });
    const thrice = await check();
    assert.ok(Number(thrice['mostUsd']) > 1.9 * Number(once['mostUsd']), String(thrice['mostUsd']));
    const { commitment, quote } = await agreed();
    assert.ok(commitment && quote);
    const { today } = usageOf(await requests(), scene.computer.clock.now(), new Set());
    assert.ok(today >= times(quote.perHour, 3));
    scene.window.setLimits({ hours: 2 });
    assert.match(String((await check())['problem']), /limit for a rental is 2 h/);
  });

  it('never costs more hours than its dollars pay', async () => {
    await scene.computer.dispose();
    await open({ job: { limits: { hours: 100, costDollars: 0.5 } } });
    const plan = await check();
    assert.ok(Number(plan['machineHours']) < 3, String(plan['machineHours']));
  });

  it('counts on an instance of the user until it is over', async () => {
    const { jobId = '', commitment } = await agreed({ instance: 'inst_5001' });
    assert.ok(commitment && (await usage()).perHour > 0);
    const { jobs: store } = scene.window.agentJobs;
    const row = store.find(jobId);
    assert.ok(row);
    await store.putState({ ...row.state, phase: 'over', outcome: 'kept' });
    await scene.through(settle(scene.window));
    assert.equal((await usage(scene.computer.clock.now() + hourMs)).perHour, 0);
  });

  it('is found by its request where the window closed between the order and its note', async () => {
    const { id, jobId } = await agreed({ instance: 'inst_5001' });
    await scene.window.desk.move(id, ['done'], { state: 'working' });
    await scene.computer.clock.advance(121_000);
    await scene.through(settle(scene.window));
    const [after] = await requests();
    assert.deepEqual([after?.state, after?.jobId], ['done', jobId]);
  });

  it('counts with the machine to which it moved', async () => {
    const { id, jobId = '' } = await agreed();
    const { jobs: store } = scene.window.agentJobs;
    const row = store.find(jobId);
    assert.ok(row);
    const machine = { instanceId: 7777, name: 'next', perHour: fromDollars(0.4) };
    await store.putState({ ...row.state, phase: 'running', machine });
    await scene.through(settle(scene.window));
    const moved = (await requests()).find((one) => one.id === id);
    assert.equal(moved?.instanceId, 7777);
  });

  it('has a log that is read in parts without a gap', async () => {
    const { jobId = '' } = await agreed({ instance: 'inst_5001' });
    const whole = Array.from({ length: 900 }, (_, at) => `"Zeile" ${at} – ü 漢 😀\n`).join('');
    await scene.window.agentJobs.jobs.writeLog(jobId, 0, Buffer.from(whole));
    let read = '';
    for (let from = 0, isMore = true; isMore;) {
      const answer = await tools().get_job({ job: `job_${jobId}`, from }, context);
      assert.ok(Buffer.byteLength(JSON.stringify(answer)) <= 6144);
      read += (answer['untrusted'] as Record<string, string>)['log'] ?? '';
      from = Number(answer['nextFrom']);
      isMore = answer['truncated'] === true;
    }
    assert.equal(read, whole);
  });

  it('has answers that clients read whole, with any file, outputs and log', async () => {
    const long = '漢'.repeat(500);
    await scene.computer.dispose();
    const names = Array.from({ length: 30 }, (_, at) => [`${'漢'.repeat(60)}${at}.pem`, ''] as const);
    await open({
      job: {
        outputs: [`${long}/**`],
        secrets: ['A'.repeat(60), 'B'.repeat(60)],
        sync: { include: ['*.pem'] },
      },
      files: { 'train.sh': '', ...Object.fromEntries(names) },
    });
    assert.ok(Buffer.byteLength(JSON.stringify(await check())) <= 6144);
    const { jobs: store } = scene.window.agentJobs;
    const handle = await orderRunningJob(scene.window, {
      name: long,
      agent: { name: '漢'.repeat(40), request: 'request_a' },
    });
    const row = store.find(handle.slice(4));
    assert.ok(row);
    const numbers = { epoch: long, step: long, loss: long, speed: long };
    const printed = Object.fromEntries(
      Object.entries(numbers).map(([key, value]) => [key, value.slice(0, 60)]),
    );
    await store.putState({ ...row.state, numbers: printed });
    await store.writeLog(row.job.id, 0, Buffer.from('"\n漢'.repeat(5000)));
    for (const from of [undefined, 0, 1, 2, 24_999]) {
      const input = { job: handle, ...(from === undefined ? {} : { from }) };
      const answer = await tools().get_job(input, context);
      assert.ok(Buffer.byteLength(JSON.stringify(answer)) <= 6144, String(from));
      assert.ok(Number(answer['nextFrom']) > (from ?? 0));
    }
  });
});
