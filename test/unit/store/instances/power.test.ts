import assert from 'node:assert/strict';
import {
  NotFoundError,
  NotReachableError,
  NotUnderstoodError,
  RefusedError,
  ServiceFailedError,
  TimedOutError,
} from '../../../../src/api/errors';
import type { Instance } from '../../../../src/model/instances/instance';
import type { OwnRequest } from '../../../../src/model/instances/instanceState';
import { changePower, type PowerRequest } from '../../../../src/store/instances/power';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { FakeService } from '../../../support/fakeService';
import { MemoryLog } from '../../../support/fakeTransport';

const stopped = anInstance({ actualStatus: 'exited', intendedStatus: 'stopped' });
const running = anInstance({ uptimeMinutes: 30 });
const changes = [
  ['start', stopped],
  ['stop', running],
  ['reboot', running],
  ['recycle', running],
] as const;
const lost = () => new TimedOutError();

/** One instance of a service in memory, and what the windows were told of it. */
class Scene {
  readonly service = new FakeService();
  readonly clock = new FakeClock();
  readonly log = new MemoryLog();
  readonly stopReading = new AbortController();
  request: OwnRequest | undefined;

  constructor(readonly instance: Instance) {
    this.service.instances = [instance];
  }

  private readonly fleet = {
    facts: () => (this.request ? { lastRequest: this.request } : {}),
    note: (_id: number, request: Omit<OwnRequest, 'at'> & { readonly at?: number }) => {
      this.request = { at: this.clock.now(), ...request };
    },
    forget: () => {
      this.request = undefined;
    },
  };

  /** The verdict, with the clock moved past the last look. */
  async change(kind: PowerRequest, more: { readonly readsBack?: boolean } = {}) {
    const deps = { fleet: this.fleet, clock: this.clock, log: this.log };
    const account = { key: 'account', client: this.service.client };
    const options = { ...more, signal: this.stopReading.signal };
    const verdict = changePower(deps, account, this.instance, kind, options);
    verdict.catch(() => undefined);
    await this.clock.advance(60_000);
    return verdict;
  }
}

describe('changing the power of an instance', () => {
  it('is done with a good answer, without a look', async () => {
    const scene = new Scene(stopped);
    assert.equal(await scene.change('start'), 'done');
    assert.deepEqual([scene.request?.kind, scene.request?.isAccepted], ['start', true]);
    assert.equal(scene.service.count('instances.get'), 0);
  });

  it('reports that a start waits for a free GPU', async () => {
    const scene = new Scene(stopped);
    Object.assign(scene.service.client.instances, { start: () => Promise.resolve({ queued: true }) });
    assert.equal(await scene.change('start'), 'queued');
    assert.equal(scene.request?.queued, true);
  });

  it('is done only once it is read back, where a start must not begin later', async () => {
    const waiting = anInstance({ actualStatus: 'scheduling' });
    const stop = async (before: OwnRequest, prepare: (scene: Scene) => void) => {
      const scene = new Scene(waiting);
      scene.request = before;
      prepare(scene);
      return [
        await scene.change('stop', { readsBack: true }),
        scene.request,
        scene.service.count('instances.stop'),
      ];
    };
    const start: OwnRequest = { kind: 'start', at: 5, queued: true };
    const [done, request] = await stop(start, () => undefined);
    assert.deepEqual([done, (request as OwnRequest).kind], ['done', 'stop']);
    const unchanged = (scene: Scene) => {
      Object.assign(scene.service.client.instances, { stop: () => Promise.resolve() });
    };
    assert.deepEqual((await stop(start, unchanged)).slice(0, 2), ['ignored', start]);
    const unread = (scene: Scene) => {
      scene.service.failsBefore('instances.get', lost);
    };
    const [verdict, , sent] = await stop(start, unread);
    assert.deepEqual([verdict, sent], ['notKnown', 1]);
  });

  for (const [name, error] of [
    ['does not come in time', lost],
    ['is not understood', () => new NotUnderstoodError()],
    ['is a failure of the service', () => new ServiceFailedError({ status: 502 })],
    ['is cut off', () => new NotReachableError({ wasSent: true })],
  ] as const) {
    it(`is found done where the answer ${name}, and sent once`, async () => {
      for (const [kind, instance] of changes) {
        const scene = new Scene(instance);
        scene.service.failsAfter(`instances.${kind}`, error);
        assert.equal(await scene.change(kind), 'done', kind);
        assert.equal(scene.request?.kind, kind);
        assert.equal(scene.service.count(`instances.${kind}`), 1);
        assert.equal(scene.service.count('instances.get'), 1);
        assert.equal(scene.log.count(`warn The answer to the ${kind} of 5001 was lost`), 1);
      }
    });
  }

  it('is found not done after the last look, and leaves the note as it was', async () => {
    for (const [kind, instance] of changes) {
      const scene = new Scene(instance);
      const earlier = { kind: 'stop', at: 5, tookEffect: true } as const;
      scene.request = earlier;
      scene.service.failsBefore(`instances.${kind}`, lost);
      assert.equal(await scene.change(kind), 'notDone', kind);
      assert.deepEqual(scene.request, earlier);
      assert.equal(scene.service.count(`instances.${kind}`), 1);
      assert.equal(scene.service.count('instances.get'), 3);
    }
  });

  it('shows from the moment a start or a stop is sent, and no more where it is refused', async () => {
    for (const [kind, instance] of [
      ['start', stopped],
      ['stop', running],
    ] as const) {
      const scene = new Scene(instance);
      let whileSent: OwnRequest | undefined;
      scene.service.before = () => {
        whileSent = scene.request;
        throw new RefusedError({ status: 400 });
      };
      await assert.rejects(scene.change(kind));
      assert.equal(whileSent?.kind, kind);
      assert.equal(scene.request, undefined);
    }
  });

  it('is found done where it shows only at a later look', async () => {
    const scene = new Scene(stopped);
    scene.service.failsBefore('instances.start', lost);
    let checks = 0;
    scene.service.after = () => {
      checks += 1;
      scene.service.instances = [{ ...stopped, intendedStatus: 'running' }];
    };
    assert.equal(await scene.change('start'), 'done');
    assert.equal(checks, 2);
  });

  it('stays unconfirmed if nothing can be read back, and a start that may run is still followed', async () => {
    const start = new Scene(stopped);
    start.service.before = () => {
      throw new NotReachableError({ wasSent: true });
    };
    assert.equal(await start.change('start'), 'notKnown');
    assert.equal(start.request?.kind, 'start');
    assert.equal(start.log.count('warn It could not be read back what became of the start of 5001'), 3);
    const stop = new Scene(running);
    stop.service.before = start.service.before;
    assert.equal(await stop.change('stop'), 'notKnown');
    // A stop that is only hoped for must be possible again.
    assert.equal(stop.request, undefined);
  });

  it('stays unconfirmed if the record does not state what is intended', async () => {
    const bare: { -readonly [Key in keyof Instance]: Instance[Key] } = { ...stopped };
    delete bare.intendedStatus;
    const scene = new Scene(bare);
    scene.service.instances = [bare];
    Object.assign(scene.service.client.instances, { start: () => Promise.reject(lost()) });
    assert.equal(await scene.change('start'), 'notKnown');
  });

  it('is noted before the request leaves where it starts or stops', async () => {
    const noted: (string | undefined)[] = [];
    for (const [kind, instance] of changes) {
      const scene = new Scene(instance);
      scene.service.before = () => {
        noted.push(scene.request?.kind);
      };
      await scene.change(kind);
    }
    assert.deepEqual(noted, ['start', 'stop', undefined, undefined]);
  });

  it('passes a refusal on without a reading, and removes the note', async () => {
    for (const error of [
      () => new RefusedError({ status: 400 }),
      () => new NotReachableError({ wasSent: false }),
    ]) {
      const scene = new Scene(stopped);
      scene.service.failsBefore('instances.start', error);
      await assert.rejects(scene.change('start'));
      assert.equal(scene.request, undefined);
      assert.equal(scene.service.count('instances.get'), 0);
    }
  });

  it('is refused if the instance has been removed', async () => {
    const scene = new Scene(stopped);
    scene.service.failsBefore('instances.start', lost);
    scene.service.instances = [];
    await assert.rejects(scene.change('start'), NotFoundError);
  });

  it('is unconfirmed if the reading is cancelled', async () => {
    const scene = new Scene(running);
    scene.service.failsBefore('instances.stop', lost);
    scene.service.after = (call) => {
      if (call === 'instances.get') {
        scene.stopReading.abort();
      }
    };
    assert.equal(await scene.change('stop'), 'notKnown');
    assert.equal(scene.service.count('instances.get'), 1);
  });

  it('keeps a later request', async () => {
    const scene = new Scene(stopped);
    scene.service.failsBefore('instances.start', lost);
    scene.service.after = () => {
      scene.request = { kind: 'destroy', at: scene.clock.now() + 1 };
    };
    assert.equal(await scene.change('start'), 'notDone');
    assert.equal(scene.request?.kind, 'destroy');
  });
});
