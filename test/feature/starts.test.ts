import assert from 'node:assert/strict';
import { reachableInstance, remoteSshExtension } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

type State = { readonly state?: string };

describe('starting several instances', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let ids: readonly number[];
  const names = ['trainer', 'helper'];
  const instances = () => window.view('instances');
  const starts = (id: number) =>
    computer()
      .simulator.received('PUT', `/api/v0/instances/${id}/`)
      .filter(({ body }) => (body as State).state === 'running');

  before(async () => {
    ids = [
      await computer().rentRunning({ label: 'trainer' }),
      await computer().rentRunning({ label: 'helper' }),
    ];
    window = await computer().openSignedIn();
  });

  beforeEach(async () => {
    for (const id of ids) {
      await computer().simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    }
    window.run('Refresh');
    for (const name of names) {
      await instances().row(new RegExp(`${name}.*Stopped`));
    }
    window.clearToasts();
  });

  it('starts several at once, after one question with the price of all', async () => {
    const { json } = await computer().simulator.call('GET', '/api/v1/instances/');
    const before = ids.map((id) => starts(id).length);
    await instances().menu('helper', 'Start…', ['trainer']);
    const { text, detail } = await window.dialog(/2 instances/);
    const price = /\$(\d+\.\d+)\/h/.exec(`${text} ${detail ?? ''}`)?.[1];
    const rows = json.instances as readonly { readonly dph_total: number }[];
    const sum = rows.reduce((total, { dph_total }) => total + dph_total, 0);
    assert.ok(Math.abs(Number(price) - sum) < 0.01, `${String(price)} for ${sum}`);
    assert.deepEqual(
      ids.map((id) => starts(id).length),
      before,
    );
    await window.dialogButton('Start');
    for (const name of names) {
      await instances().row(new RegExp(`${name}.*Running`));
    }
    assert.deepEqual(
      ids.map((id) => starts(id).length),
      before.map((count) => count + 1),
    );
    assert.equal(window.screen.messages.history.filter(({ modal }) => modal).length, 1);
  });

  it('shows which of several was not started, and asks once for each', async () => {
    const [, helper] = ids;
    const path = `/api/v0/instances/${String(helper)}/`;
    const before = ids.map((id) => starts(id).length);
    const refusal = { status: 400, error: 'invalid_request', msg: 'Its GPU is taken.' };
    computer().simulator.fail({ kind: 'error', method: 'PUT', path, ...refusal });
    await instances().menu('helper', 'Start…', ['trainer']);
    await window.dialogButton('Start');
    const { text, detail } = await window.dialog(/helper.*Its GPU is taken/s);
    assert.doesNotMatch(`${text} ${detail ?? ''}`, /trainer/);
    await window.dialogButton('OK');
    await instances().row(/trainer.*Running/);
    await instances().row(/helper.*Stopped/);
    assert.deepEqual(
      ids.map((id) => starts(id).length),
      before.map((count) => count + 1),
    );
  });
});

describe('a start that fails in a window that is connected', () => {
  const computer = useComputer({ simulator: { sshServer: true } });

  it('asks once when a start fails, without another message', async () => {
    const { simulator } = computer();
    const extensions = [remoteSshExtension()];
    const id = await reachableInstance(computer(), 'trainer');
    const path = `/api/v0/instances/${id}/`;
    const first = await computer().openWindow({ extensions });
    await first.signIn();
    await first.view('instances').inline('trainer', 'Connect');
    await first.quick.title('Open trainer');
    await first.quick.type(computer().workspace, { enter: false });
    await first.quick.pick(computer().workspace);
    const { address } = await first.opens();
    const remote = { folders: [address], remoteName: 'ssh-remote', extensions };
    const connected = [await computer().openWindow(remote), await computer().openWindow(remote)];
    const windows = [first, ...connected];
    const whoAsks = (question: RegExp) =>
      computer().until(`a question with ${String(question)}`, () =>
        connected.find(({ screen }) =>
          screen.messages.shown.some((one) => one.modal && question.test(one.text)),
        ),
      );

    await simulator.call('PUT', path, { state: 'stopped' });
    first.run('Refresh');
    const stopped = await whoAsks(/trainer is stopped/);
    await simulator.call('POST', '/__sim/next-boot/', { instance_id: id, outcome: 'stuck' });
    // An answer that comes with the question was meant for something else.
    await computer().pass(1100);
    const { buttons } = await stopped.dialog(/trainer is stopped/);
    await stopped.dialogButton(buttons.find((one) => one.startsWith('Start for')) ?? '');
    // The start is seen to begin, then it fails.
    await first.view('instances').row(/trainer.*Loading/);
    await simulator.call('PUT', `/__sim/instances/${id}/`, { actual_status: 'exited' });
    first.run('Refresh');
    const asking = await whoAsks(/trainer has exited/);
    await asking.dialogButton('Keep It Open');
    first.run('Refresh');
    await computer().pass(120_000);
    const said = windows.flatMap(({ screen }) => screen.messages.history);
    assert.equal(said.filter(({ text }) => /trainer has exited/.test(text)).length, 1);
    assert.deepEqual(
      said.filter(({ text }) => text.includes('will not get ready')),
      [],
    );
    const starts = simulator.received('PUT', path).filter(({ body }) => (body as State).state === 'running');
    assert.equal(starts.length, 1);
  });
});
