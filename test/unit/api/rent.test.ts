import assert from 'node:assert/strict';
import {
  ForbiddenError,
  GoneError,
  NotReachableError,
  NotSentError,
  RateLimitedError,
  RefusedError,
  RentOutcomeUnknownError,
  UnauthorizedError,
} from '../../../src/api/errors';
import { TransportFailure } from '../../../src/api/transport';
import { fromDollars } from '../../../src/model/money';
import type { RentConfig } from '../../../src/model/rentals/rent';
import { CancelledError } from '../../../src/util/errors';
import { settle } from '../../support/fakeClock';
import { scriptedClient, type Scripted } from '../../support/fakeTransport';

const config: RentConfig = { image: 'pytorch/pytorch:latest', label: 'try [gr-0123abcd]' };
const rented = { json: { success: true, new_contract: 4711, instance_api_key: 'a'.repeat(64) } };

async function bodyOf(given: RentConfig): Promise<unknown> {
  const { client, transport, finish } = scriptedClient([rented]);
  await finish(client.offers.rent(12, given));
  const [seen] = transport.seen;
  assert.deepEqual([seen?.method, seen?.url], ['PUT', 'https://market.example.com/api/v0/asks/12/']);
  return seen?.body;
}

describe('renting', () => {
  it('gives the id of the instance and keeps its restricted key to itself', async () => {
    const { client, finish } = scriptedClient([rented]);
    assert.deepEqual(await finish(client.offers.rent(12, config)), { instanceId: 4711, confirmed: true });
  });

  it('sends every field in the words of the interface', async () => {
    const full: RentConfig = {
      templateHash: 'abc',
      image: 'img',
      diskGb: 32,
      label: 'l',
      runtype: 'jupyter_direct',
      targetState: 'running',
      bidPerHour: fromDollars(0.123456),
      env: { A: '1', '-p 8080:8080': '1', '-p 53:53/udp': '1' },
      onstart: 'echo hi',
      args: '--x',
      useJupyterLab: true,
      jupyterDir: '/w',
      pythonUtf8: true,
      langUtf8: false,
      imageLogin: '-u me -p token ghcr.io',
      cancelUnavailable: false,
      vm: false,
      volume: { kind: 'create', volumeId: 5, sizeGb: 20, mountPath: '/data' },
    };
    assert.deepEqual(await bodyOf(full), {
      template_hash_id: 'abc',
      image: 'img',
      disk: 32,
      label: 'l',
      runtype: 'jupyter_direct',
      target_state: 'running',
      price: 0.123456,
      env: { A: '1', '-p 8080:8080': '1', '-p 53:53/udp': '1' },
      onstart: 'echo hi',
      args_str: '--x',
      use_jupyter_lab: true,
      jupyter_dir: '/w',
      python_utf8: true,
      lang_utf8: false,
      image_login: '-u me -p token ghcr.io',
      cancel_unavail: false,
      vm: false,
      volume_info: { create_new: true, volume_id: 5, size: 20, mount_path: '/data' },
    });
  });

  it('leaves out what is not set, so that the template keeps its own values', async () => {
    assert.deepEqual(await bodyOf({ templateHash: 'abc', diskGb: 16 }), {
      template_hash_id: 'abc',
      disk: 16,
      cancel_unavail: true,
    });
  });

  it('links a volume without a size', async () => {
    assert.deepEqual(
      await bodyOf({ image: 'i', volume: { kind: 'link', volumeId: 9, sizeGb: 3, mountPath: '/d' } }),
      {
        image: 'i',
        cancel_unavail: true,
        volume_info: { create_new: false, volume_id: 9, mount_path: '/d' },
      },
    );
  });

  it('does not ask for an immediate start when the instance shall be stopped', async () => {
    assert.deepEqual(await bodyOf({ image: 'i', targetState: 'stopped' }), {
      image: 'i',
      target_state: 'stopped',
    });
  });

  describe('counts every answer with new_contract', () => {
    for (const [name, answer] of [
      ['success: false', { json: { success: false, new_contract: 4711, msg: 'bid is too low' } }],
      [
        'success: false with 400',
        { status: 400, json: { success: false, error: 'invalid_args', new_contract: 4711 } },
      ],
      ['a server error', { status: 500, json: { success: false, error: 'oops', new_contract: '4711' } }],
    ] as const) {
      it(`beside ${name}`, async () => {
        const { client, finish } = scriptedClient([answer]);
        const result = await finish(client.offers.rent(12, config));
        assert.deepEqual([result.instanceId, result.confirmed], [4711, false]);
      });
    }
  });

  describe('does not know the outcome', () => {
    const unknown: readonly (readonly [string, Scripted])[] = [
      ['after a lost connection', { error: new TransportFailure('lost', 'ECONNRESET') }],
      ['after a time-out', { stalls: 'forEver' }],
      ['after 500 with a page', { status: 500, text: '<html>' }],
      [
        'after 503 with a known code',
        { status: 503, json: { success: false, error: 'service_unavailable' } },
      ],
      ['after cut-off JSON', { status: 200, text: '{"success":true,"new_con' }],
      ['after a page with 200', { status: 200, text: '<html>' }],
      ['after an answer without an id', { json: { success: true } }],
      ['after an id that is none', { json: { success: true, new_contract: { value: 1 } } }],
      ['after an empty answer', { status: 200, text: '' }],
      ['after 204, which has no id', { status: 204, text: '' }],
      ['after a redirect', { status: 302, text: '', headers: { location: '/' } }],
      ['after too large an answer', { error: new TransportFailure('tooLarge', undefined) }],
    ];
    for (const [name, answer] of unknown) {
      it(name, async () => {
        const { client, transport, finish } = scriptedClient([answer]);
        await assert.rejects(
          finish(client.offers.rent(12, config)),
          (error) => error instanceof RentOutcomeUnknownError && /may have been rented/.test(error.message),
        );
        assert.equal(transport.seen.length, 1);
      });
    }

    for (const [name, answer] of [
      ['a 500', { status: 500, json: { detail: 'API requests too frequent endpoint threshold=4.5' } }],
      ['a 502', { status: 502, json: { success: false, error: 'rate_limit_exceeded', msg: 'x' } }],
      ['a 503', { status: 503, json: { success: false, error: 'auth_error', msg: 'x' } }],
      ['a time-out of a gateway', { status: 408, json: { detail: 'too many requests' } }],
      ['a time-out of a gateway with a code', { status: 408, json: { error: 'invalid_args', msg: 'x' } }],
      ['a success', { status: 200, json: { detail: 'API requests too frequent threshold=4.5' } }],
    ] as const) {
      it(`after ${name} whose text reads like a refusal, sent once`, async () => {
        const { client, transport, finish } = scriptedClient([answer, rented], {
          recover: () => Promise.resolve(true),
        });
        await assert.rejects(finish(client.offers.rent(12, config)), RentOutcomeUnknownError);
        assert.equal(transport.seen.length, 1);
      });
    }

    it('after a 5xx whose body has only a detail that is not about frequency, sent once', async () => {
      const { client, transport, finish } = scriptedClient([
        { status: 500, json: { detail: 'Internal Server Error' } },
        rented,
      ]);
      await assert.rejects(finish(client.offers.rent(12, config)), RentOutcomeUnknownError);
      assert.equal(transport.seen.length, 1);
    });

    it('after it was cancelled while the request was on its way', async () => {
      const { client } = scriptedClient([{ stalls: 'forEver' }]);
      const controller = new AbortController();
      const call = client.offers.rent(12, config, { signal: controller.signal });
      await settle();
      controller.abort();
      await assert.rejects(call, RentOutcomeUnknownError);
    });
  });

  describe('knows that nothing was rented', () => {
    const refusals: readonly (readonly [string, Scripted, object])[] = [
      [
        'when the offer is taken (410)',
        { status: 410, json: { success: false, error: 'no_such_ask', ask_id: 12 } },
        GoneError,
      ],
      [
        'when the offer is taken (404)',
        { status: 404, json: { success: false, error: 'invalid_args', msg: 'error 404/3603: no_such_ask' } },
        GoneError,
      ],
      [
        'when values are wrong',
        { status: 400, json: { success: false, error: 'invalid_args' } },
        RefusedError,
      ],
      ['when the key is wrong', { status: 401, json: { success: false } }, UnauthorizedError],
      ['when the key may not', { status: 403, json: { success: false } }, ForbiddenError],
      [
        'when there was no connection',
        { error: new TransportFailure('notReachable', 'ECONNREFUSED') },
        NotReachableError,
      ],
      [
        'when the certificate was refused',
        { error: new TransportFailure('certificate', 'CERT_HAS_EXPIRED') },
        NotReachableError,
      ],
      ['when the limit stays', { status: 429, text: 'too frequent' }, RateLimitedError],
    ];
    for (const [name, answer, kind] of refusals) {
      it(name, async () => {
        const { client, finish } = scriptedClient([answer]);
        await assert.rejects(finish(client.offers.rent(12, config)), kind);
      });
    }

    it('when it was cancelled before it was sent', async () => {
      const { client, transport } = scriptedClient([rented]);
      await assert.rejects(client.offers.rent(12, config, { signal: AbortSignal.abort() }), CancelledError);
      assert.equal(transport.seen.length, 0);
    });

    it('when it was cancelled while it waited after a refusal', async () => {
      const { client, transport } = scriptedClient([
        { status: 429, json: { detail: 'threshold=4.5' } },
        rented,
      ]);
      const controller = new AbortController();
      const call = client.offers.rent(12, config, { signal: controller.signal });
      await settle();
      controller.abort();
      await assert.rejects(call, CancelledError);
      assert.equal(transport.seen.length, 1);
    });
  });

  it('knows that nothing was rented when the sign-in after a refused session is cancelled', async () => {
    const { client, transport, finish } = scriptedClient([{ status: 401, json: { success: false } }], {
      recover: () => Promise.reject(new CancelledError()),
    });
    await assert.rejects(finish(client.offers.rent(12, config)), CancelledError);
    assert.equal(transport.seen.length, 1);
  });

  it('is sent again once the session is renewed', async () => {
    const { client, transport, finish } = scriptedClient(
      [{ status: 401, json: { success: false } }, rented],
      {
        recover: () => Promise.resolve(true),
      },
    );
    assert.equal((await finish(client.offers.rent(12, config))).instanceId, 4711);
    assert.equal(transport.seen.length, 2);
  });

  it('is sent again after a refusal by the rate limit, which had no effect', async () => {
    const { client, transport, finish } = scriptedClient([
      { status: 429, json: { detail: 'threshold=4.5' } },
      rented,
    ]);
    const waits: number[] = [];
    let sent = 0;
    const options = { onWait: (ms: number) => waits.push(ms), onSend: () => (sent += 1) };
    assert.equal((await finish(client.offers.rent(12, config, options))).instanceId, 4711);
    assert.equal(sent, 2);
    const [first = 0, second = 0] = transport.seen.map((seen) => seen.atMs);
    assert.ok(second - first >= 4500);
    assert.equal(waits.length, 1);
  });

  for (const status of [401, 429]) {
    it(`is not sent again after ${status} where the caller found that it took effect`, async () => {
      const { client, transport, finish } = scriptedClient([{ status, json: { success: false } }, rented], {
        recover: () => Promise.resolve(true),
      });
      const beforeAgain = () => Promise.resolve(false);
      await assert.rejects(finish(client.offers.rent(12, config, { beforeAgain })), {
        status,
      });
      assert.equal(transport.seen.length, 1);
    });
  }

  describe('is refused before sending', () => {
    const bad: readonly (readonly [string, RentConfig, RegExp])[] = [
      ['without image and template', { label: 'x' }, /Neither an image/],
      ['with a bad registry login', { image: 'i', imageLogin: '-u a -p b --c ghcr.io' }, /registry login/],
      [
        'with a relative mount path',
        { image: 'i', volume: { kind: 'link', volumeId: 1, mountPath: 'data' } },
        /slash/,
      ],
      ['with a bad variable name', { image: 'i', env: { 'A B': '1' } }, /"A B"/],
      ['with a secret of a template', { image: 'i', env: { T: '${secret:T}' } }, /"T" refers to a secret/],
      ['with another flag as a name', { image: 'i', env: { '-v /:/host': '1' } }, /"-v/],
      ['with a port that maps to something', { image: 'i', env: { '-p 80:80': 'yes' } }, /value 1/],
      ['with a script that cannot be made short', { image: 'i', onstart: noise(20_000) }, /20000 characters/],
    ];
    for (const [name, given, reason] of bad) {
      it(name, async () => {
        const { client, transport } = scriptedClient([rented]);
        await assert.rejects(
          client.offers.rent(12, given),
          (error) => error instanceof NotSentError && reason.test(error.message),
        );
        assert.equal(transport.seen.length, 0);
      });
    }
  });
});

/** Text that does not compress well. */
function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (state % 90));
  }).join('');
}
