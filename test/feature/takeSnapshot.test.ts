import assert from 'node:assert/strict';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a snapshot of an instance', () => {
  const computer = useComputer({ secrets: ['push-only-4711'] });
  let window: FeatureWindow;
  let id: number;

  const sent = () => computer().simulator.received('POST', `/api/v0/instances/take_snapshot/${id}/`);
  const registry = () => new URL(computer().simulator.url).host;
  const tags = () => computer().simulator.received('GET', '/v2/ana/warm/tags/list');
  const ask = async (pause: string) => {
    await window.view('instances').menu('trainer', 'Take Snapshot…');
    await window.quick.pick('Use the Saved Login');
    await window.quick.type('ana/warm');
    await window.quick.pick(pause);
  };

  before(async () => {
    id = await computer().rentRunning({ label: 'trainer' });
    window = await computer().openSignedIn();
    await window.view('instances').row('trainer');
    window.clearToasts();
  });

  it('is confirmed with what is in it, who gets the password, the pause and the traffic', async () => {
    await window.view('instances').menu('trainer', 'Take Snapshot…');
    await window.quick.pick('Enter a Login…');
    await window.quick.type(registry());
    await window.quick.type('Ana');
    await window.quick.title(/127\.0\.0\.1/);
    await window.quick.type('push-only-4711');
    await window.quick.title(/Take Snapshot…?$/);
    await window.quick.type('ana/gpu:latest', { enter: false });
    assert.match(await window.quick.message(/lower-case/), /lower-case/);
    await window.quick.type('ana/warm');
    await window.quick.pick('Pause the Instance');
    const question = await window.dialog(/Take a snapshot of trainer/);
    assert.match(
      question.detail ?? '',
      /secrets in its files.*Volumes are not in it.*host of the machine get the password.*paused.*charged as traffic/s,
    );
    question.close();
    await computer().rest();
    assert.deepEqual(sent(), []);
  });

  it('is sent once, followed until the registry has it, and opens as a draft', async () => {
    await ask('Keep It Running');
    await window.dialogButton('Take Snapshot');
    const there = await window.toast('The snapshot of trainer is there', { withinMs: 20 * 60_000 });
    assert.deepEqual(
      sent().map(({ body }) => body),
      [
        {
          container_registry: registry(),
          personal_repo: `${registry()}/ana/warm`,
          docker_login_user: 'Ana',
          docker_login_pass: 'push-only-4711',
          pause: 'false',
        },
      ],
    );
    assert.ok(tags().length > 3);
    there.press('Create Template…');
    const draft = (await window.document(/docker_login_repo/)).getText();
    assert.match(draft, new RegExp(`"image": "${registry()}/ana/warm"`));
    assert.match(draft, new RegExp(`"tag": "instance_${id}_at_`));
    assert.doesNotMatch(draft, /push-only/);
    window.clearToasts();
  });

  it('is not sent again where its answer is lost, and is followed as well', async () => {
    computer().simulator.fail({
      kind: 'dropAfter',
      method: 'POST',
      path: `/api/v0/instances/take_snapshot/${id}/`,
    });
    const before = sent().length;
    await ask('Pause the Instance');
    await window.dialogButton('Take Snapshot');
    await window.toast('may be on its way');
    await window.toast('The snapshot of trainer is there', { withinMs: 20 * 60_000 });
    assert.equal(sent().length, before + 1);
    window.clearToasts();
  });

  it('that never arrives is reported after an hour, with what to check', async () => {
    computer().simulator.fail({
      kind: 'error',
      status: 500,
      error: 'x',
      method: 'GET',
      path: '/v2/ana/warm/tags/list',
      skip: 2,
      times: 0,
    });
    await ask('Pause the Instance');
    await window.dialogButton('Take Snapshot');
    await window.toast(/^No image of trainer appeared in .*check the password/, { withinMs: 2 * 3_600_000 });
    computer().simulator.faults.clear();
    window.clearToasts();
  });

  it('is refused by the service with its reason, and nothing is followed', async () => {
    computer().simulator.fail({
      ...{ kind: 'error', status: 400, error: 'invalid_args', msg: 'personal_repo is odd' },
      ...{ method: 'POST', path: `/api/v0/instances/take_snapshot/${id}/` },
    });
    await ask('Pause the Instance');
    await window.dialogButton('Take Snapshot');
    await window.toast(/did not accept the request/);
    const before = tags().length;
    await computer().pass(10 * 60_000);
    assert.equal(tags().length, before);
  });
});
