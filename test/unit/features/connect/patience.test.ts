import assert from 'node:assert/strict';
import { Patience } from '../../../../src/features/connect/patience';
import type { InstanceFacts } from '../../../../src/model/instances/instanceState';
import type { PreflightProblem, PreflightResult } from '../../../../src/ssh/preflight';
import { NoLoginError, type PreparedHost, type PrepareRequest } from '../../../../src/ssh/prepareHost';
import { AttachedKeys } from '../../../../src/store/instances/attachedKeys';
import { CancelledError } from '../../../../src/util/errors';
import { formatText } from '../../../../src/util/text';
import { FakeClock } from '../../../support/fakeClock';
import { seeded, testSeed } from '../../../support/seeded';
import { sshAccount, sshInstance } from '../../../support/sshInstance';

const host: PreparedHost = {
  alias: 'gpu-7',
  userConfig: '/home/me/.ssh/config',
  endpoint: { kind: 'direct', host: '127.0.0.1', port: 22 },
  others: [],
  probes: [],
  identity: { key: undefined, file: undefined, lockedFile: undefined },
  fromMemory: false,
  verification: { kind: 'equal' },
};
const worked: PreflightResult = { ok: true, elapsedMs: 5, noisy: false, freeMb: 9000 };
type At = (time: number) => PreflightResult;
const refused = (problem: PreflightProblem) => ({ ok: false, problem, detail: '', keysTried: [] }) as const;

describe('connecting to a machine that has just started', () => {
  let clock: FakeClock;
  let facts: InstanceFacts;
  let said: string[];
  let stop: AbortController;

  const patienceOf = (attachedKeys = new AttachedKeys(clock)) =>
    new Patience({
      attachedKeys,
      clock,
      fleet: { find: () => undefined, facts: () => facts },
      startWatches: { find: () => undefined },
    });

  /** Connects while the machine answers with what `at` says of the seconds since it runs. */
  const connect = (at: At, lockedFile?: string) =>
    through(patienceOf(), () => (clock.now() - (facts.runningAt ?? 0)) / 1000, lockedFile)(at);

  const through = (patience: Patience, since: () => number, lockedFile?: string) => (at: At) => {
    const request: PrepareRequest = {
      account: sshAccount,
      instanceId: 7,
      instance: sshInstance(22),
      registeredKeys: undefined,
    };
    const say = (words: Parameters<typeof formatText>[0]) => said.push(formatText(words));
    const identity = { ...host.identity, lockedFile };
    return patience.through(request, { signal: stop.signal, report: say }, () =>
      Promise.resolve({
        host: { ...host, identity },
        preflight: at(since()),
      }),
    );
  };

  beforeEach(() => {
    clock = new FakeClock();
    facts = { runningAt: clock.now() };
    said = [];
    stop = new AbortController();
  });

  it('never fails where a wait helps: a hundred late servers and keys', async () => {
    const random = seeded(testSeed);
    for (let round = 0; round < 100; round += 1) {
      facts = { runningAt: clock.now() };
      const portAt = random() * 30;
      const keyAt = portAt + random() * 25;
      const early = (['refused', 'noGreeting', 'timedOut'] as const)[round % 3] ?? 'refused';
      const { preflight } = await clock.through(
        connect((now) => (now < portAt ? refused(early) : now < keyAt ? refused('authentication') : worked)),
      );
      assert.ok(preflight.ok, `port after ${portAt} s, key after ${keyAt} s`);
    }
  });

  it('shows what it waits for', async () => {
    await clock.through(
      connect((now) => (now < 5 ? refused('refused') : now < 10 ? refused('authentication') : worked)),
    );
    assert.deepEqual(
      [...new Set(said)],
      ['Waiting for its SSH server…', 'Waiting for it to accept the key…'],
    );
  });

  it('gives up after a minute, with the last failure', async () => {
    const began = clock.now();
    let tries = 0;
    const { preflight } = await clock.through(
      connect(() => {
        tries += 1;
        return refused('authentication');
      }),
    );
    assert.ok(tries <= 16, `${tries} logins, each of a dozen programs`);
    assert.deepEqual(preflight, refused('authentication'));
    const took = (clock.now() - began) / 1000;
    assert.ok(took >= 60 && took < 70, String(took));
  });

  it('waits for nothing that a wait does not mend, and for no machine that has run for long', async () => {
    for (const problem of ['hostKeyChanged', 'config', 'startupScript', 'diskFull', 'other'] as const) {
      assert.deepEqual((await connect(() => refused(problem))).preflight, refused(problem));
    }
    assert.equal((await connect(() => refused('authentication'), '/home/me/.ssh/id')).preflight.ok, false);
    facts = { runningAt: clock.now() - 60_000 };
    assert.equal((await connect(() => refused('refused'))).preflight.ok, false);
    assert.deepEqual([said, clock.pending], [[], 0]);
  });

  it('waits for the key that was just attached to a machine that has run for long, and for nothing else', async () => {
    facts = { runningAt: clock.now() - 3_600_000 };
    const attached = () => {
      const attachedKeys = new AttachedKeys(clock);
      attachedKeys.add(7);
      const attachedAt = clock.elapsed();
      return through(patienceOf(attachedKeys), () => clock.elapsed() - attachedAt);
    };
    const later = attached();
    const { preflight } = await clock.through(
      later((ms) => (ms < 9000 ? refused('authentication') : worked)),
    );
    assert.ok(preflight.ok);
    assert.deepEqual([...new Set(said)], ['Waiting for it to accept the key…']);
    assert.equal((await attached()(() => refused('refused'))).preflight.ok, false);
    const began = clock.elapsed();
    assert.equal((await clock.through(attached()(() => refused('authentication')))).preflight.ok, false);
    const took = (clock.elapsed() - began) / 1000;
    assert.ok(took >= 30 && took < 40, String(took));
  });

  it('ends when the user cancels', async () => {
    const connecting = connect(() => refused('refused'));
    const ended = assert.rejects(connecting, CancelledError);
    await clock.advance(4000);
    stop.abort();
    await ended;
    assert.equal(clock.pending, 0);
  });

  it('waits as well where the failure is an error, as for transfers and ports', async () => {
    const patience = patienceOf();
    const request: PrepareRequest = {
      account: sshAccount,
      instanceId: 7,
      instance: sshInstance(22),
      registeredKeys: undefined,
    };
    let tries = 0;
    const prepared = patience.through(request, { signal: stop.signal, report: () => undefined }, () => {
      tries += 1;
      return tries < 4 ? Promise.reject(new NoLoginError(host, refused('refused'))) : Promise.resolve(host);
    });
    assert.equal((await clock.through(prepared)).alias, 'gpu-7');
    assert.equal(tries, 4);
  });
});
