import assert from 'node:assert/strict';
import { register } from '../../../../src/features/warnings/index';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import { anInstance, aUser } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeEventEmitter } from '../../../support/fakeEditor/events';
import { textsOn, useScreen } from '../../../support/onScreen';

type Deps = Parameters<typeof register>[0];

describe('The warnings about instances and credit', () => {
  const screen = useScreen();
  const now = new Date(2026, 0, 15, 12).getTime();
  const hour = 3_600_000;
  const second = now / 1000;
  const clock = new FakeClock(now);

  interface Scene {
    readonly instances?: readonly Instance[];
    readonly credit?: number;
    readonly error?: Error;
    readonly volumes?: readonly object[];
    readonly serviceUrl?: string;
    readonly facts?: object;
    readonly posted?: object;
  }
  /** The messages where the lists are read once. */
  const said = ({ instances = [], credit = 100, error, volumes = [], facts = {}, ...scene }: Scene) => {
    const { serviceUrl = 'https://console.vast.ai', posted } = scene;
    const changed = new FakeEventEmitter<unknown>();
    const notices = new FakeEventEmitter<object>();
    const active = { key: 'mine', serviceUrl, user: aUser({ credit: fromDollars(credit) }) };
    const none = { dispose: () => undefined };
    const own = register({
      accounts: { active, onDidChange: () => none },
      clock,
      commands: { register: () => none },
      fleet: {
        find: (id: number) => instances.find((one) => one.id === id),
        facts: () => facts,
        onDidChange: changed.event,
        state: {
          kind: 'ready',
          value: { instances, skipped: 0 },
          fetchedAt: now,
          ...(error ? { error } : {}),
        },
      },
      idle: { onDidCheck: () => none },
      instanceGroups: { addInstanceNotes: () => none },
      notices: { onDidPost: notices.event },
      oneWindow: { offer: (_: string, run: () => unknown) => run() },
      settings: { get: () => 7 },
      volumes: { onDidChange: () => none, state: { kind: 'ready', value: volumes, fetchedAt: now } },
    } as unknown as Deps);
    changed.fire(undefined);
    if (posted) {
      notices.fire({ key: 'k', accountKey: 'mine', ...posted });
    }
    own.dispose();
    return textsOn(screen);
  };
  const trainer = (more: Partial<Instance> = {}) => anInstance({ id: 7, label: 'trainer', ...more });
  const stopped = { actualStatus: 'exited', intendedStatus: 'stopped' };

  it('name little credit and what to give up, and lead to the page of the service that adds some', () => {
    assert.deepEqual(said({ instances: [trainer()] }), []);
    assert.deepEqual(said({ instances: [trainer()], credit: 0.3 }), [
      'warning At the current cost, your credit lasts 45 min. [Add Credit, Stop Instances…]',
    ]);
    assert.deepEqual(said({ volumes: [{ id: 1, perHour: fromDollars(1) }], credit: 0.3 }), [
      'warning At the current cost, your credit lasts 18 min. [Add Credit, Delete Volume…]',
    ]);
    assert.deepEqual(said({ instances: [trainer()], credit: 0.3, serviceUrl: 'http://127.0.0.1:8787' }), [
      'warning At the current cost, your credit lasts 45 min. [Stop Instances…]',
    ]);
    assert.deepEqual(said({ instances: [trainer()], credit: 0 }), [
      'warning Your credit is used up. The service stops your instances and can delete their data. [Add Credit]',
    ]);
    assert.deepEqual(said({ volumes: [{ id: 1, perHour: fromDollars(1) }], credit: 0 }), [
      'warning Your credit is used up, and your volumes still cost money. Their data can be lost. [Add Credit]',
    ]);
  });

  it('name a GPU that another user has, in the words of the service, and what can be done', () => {
    const request = { kind: 'start', at: now - 30_000 };
    const waits = (statusMessage?: string) =>
      said({
        instances: [trainer({ actualStatus: 'scheduling', ...(statusMessage ? { statusMessage } : {}) })],
        facts: { lastRequest: request },
      });
    const buttons = '[Wait, Move…, Download…, Stop Waiting]';
    const [text = ''] = waits();
    assert.match(
      text,
      /^warning trainer is waiting for its GPU, which another user has\. It starts when the GPU is free and costs \S+ until then\. \[/,
    );
    assert.ok(text.endsWith(buttons), text);
    const [more = ''] = waits('Required resources are currently unavailable, state change queued.\n');
    assert.ok(
      more.endsWith(
        `until then. The service says: Required resources are currently unavailable, state change queued. ${buttons}`,
      ),
      more,
    );
    assert.doesNotMatch(waits('A message of the last run').join(), /last run/);
  });

  it('name the end of a rental and what can still be done with it', () => {
    const soon = { endsAt: second + 3 * 3600 };
    assert.deepEqual(said({ instances: [trainer(soon)] }), [
      'warning The host ends the rental of trainer in 3 h, at 3:00 PM. Save what you need before then; its data may be deleted 48 h later. [Download…, Connect, Rent Another Like This…]',
    ]);
    assert.deepEqual(said({ instances: [trainer({ ...soon, ...stopped })] }), [
      'warning The host ends the rental of trainer in 3 h, at 3:00 PM. Save what you need before then; its data may be deleted 48 h later. [Download…, Start…, Copy Data…, Rent Another Like This…]',
    ]);
    assert.deepEqual(said({ instances: [trainer({ endsAt: second - 3600, ...stopped })] }), [
      'warning The rental of trainer ended at 11:00 AM. Its data may be deleted in 1 d 23 h, at Sat, Jan 17, 11:00 AM. [Download…, Copy Data…, Rent Another Like This…, Destroy…]',
    ]);
  });

  it('are not made of a list that is out of date', () => {
    assert.deepEqual(said({ instances: [trainer()], credit: 0.3, error: new Error('x') }), []);
  });

  it('name a forgotten instance, by what is known of its use', () => {
    const posted = (knowsGpu: boolean) => ({
      kind: 'forgotten',
      data: { instanceId: 7, since: now - 4 * hour, knowsGpu },
    });
    assert.deepEqual(said({ instances: [trainer()], posted: posted(true) }), [
      'warning trainer has been idle for 4 h: no connection from GPU Rental on this computer, and GPU use under 5 % at each check. It costs $0.400/h. [Stop…, End Later…, Destroy…]',
    ]);
    assert.deepEqual(said({ instances: [trainer()], posted: posted(false) }), [
      'warning trainer has had no connection from GPU Rental on this computer for 4 h, and its GPU use is not reported. It costs $0.400/h. [Stop…, End Later…, Destroy…]',
    ]);
    assert.deepEqual(said({ instances: [trainer(stopped)], posted: posted(true) }), []);
    assert.deepEqual(said({ instances: [trainer()], posted: { ...posted(true), accountKey: 'other' } }), []);
    assert.deepEqual(said({ instances: [trainer()], posted: { ...posted(true), kind: 'odd' } }), []);
  });
});
