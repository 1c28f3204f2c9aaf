import assert from 'node:assert/strict';
import type { Client } from '../../../src/api/client';
import { NotUnderstoodError } from '../../../src/api/errors';
import { scriptedClient, type Scripted, type SeenRequest } from '../../support/fakeTransport';

interface Read {
  readonly count: number;
  /** The list says that there may be more. */
  readonly isPartial: boolean;
}

interface List {
  /** Of the list in the answer. */
  readonly name: string;
  readonly row: (id: number) => unknown;
  readonly read: (client: Client) => Promise<Read>;
}

type Plain = { readonly items: readonly unknown[]; readonly skipped: number };
const plain = ({ items, skipped }: Plain): Read => ({ count: items.length, isPartial: skipped > 0 });
const instances = async (client: Client): Promise<Read> => {
  const { items, skipped, found = 0 } = await client.instances.list();
  return { count: items.length, isPartial: found > items.length + skipped };
};
const isV1 = ({ url }: SeenRequest) => url.includes('/api/v1/');

/** Every list of the client that is read to its end; searches have as many rows as were asked for. */
const lists: Readonly<Record<string, List>> = {
  'instances v1': { name: 'instances', row: (id) => ({ id }), read: instances },
  'instances v0': { name: 'instances', row: (id) => ({ id }), read: instances },
  templates: {
    name: 'templates',
    row: (id) => ({ id, hash_id: `h${id}` }),
    read: async (client) => plain(await client.templates.search({})),
  },
  sshKeys: {
    name: 'ssh_keys',
    row: (id) => ({ id, public_key: 'ssh-ed25519 AAAA' }),
    read: async (client) => plain(await client.sshKeys.list()),
  },
  apiKeys: {
    name: 'apikeys',
    row: (id) => ({ id }),
    read: async (client) => plain(await client.apiKeys.list()),
  },
  volumes: {
    name: 'volumes',
    row: (id) => ({ id }),
    read: async (client) => plain(await client.volumes.list()),
  },
  machines: {
    name: 'machines',
    row: (id) => ({ id }),
    read: async (client) => plain(await client.machines.list()),
  },
  deployments: {
    name: 'deployments',
    row: (id) => ({ id }),
    read: async (client) => plain(await client.deployments.list()),
  },
  members: {
    name: 'members',
    row: (id) => ({ id }),
    read: async (client) => plain(await client.team.members()),
  },
  balances: {
    name: 'balances',
    row: (id) => ({ team_id: id }),
    read: async (client) => plain(await client.team.balances()),
  },
  teamRoles: {
    name: 'roles',
    row: (id) => ({ id, name: `r${id}` }),
    read: async (client) => plain(await client.teamRoles.list()),
  },
  priceIncreases: {
    name: 'pending_price_increases',
    row: (id) => ({ id }),
    read: async (client) => plain(await client.priceIncreases.list()),
  },
  connections: {
    name: 'cloud_integrations',
    row: (id) => ({ id }),
    read: async (client) => plain(await client.copies.connections()),
  },
  auditLog: {
    name: 'audit_logs',
    row: (id) => ({ api_route: 'api.instance_DELETE', api_key_id: id }),
    read: async (client) => plain(await client.auditLog.list()),
  },
  invoices: {
    name: 'results',
    row: (id) => ({ id, amount: -1 }),
    read: async (client) => {
      const { items, isComplete } = await client.invoices.list({ from: 0, to: 1 });
      return { count: items.length, isPartial: !isComplete };
    },
  },
  charges: {
    name: 'results',
    row: (id) => ({ source: `instance-${id}`, amount: 1 }),
    read: async (client) => {
      const { items, isComplete } = await client.charges.list({ from: 0, to: 1 });
      return { count: items.length, isPartial: !isComplete };
    },
  },
  secrets: {
    name: 'secrets',
    row: (id) => [`NAME_${id}`, '*****'],
    read: async (client) => {
      try {
        return { count: (await client.secrets.list()).length, isPartial: false };
      } catch (error) {
        // Names without their rest would be taken for all of them.
        if (!(error instanceof NotUnderstoodError)) {
          throw error;
        }
        return { count: 0, isPartial: true };
      }
    },
  },
};

const isCut = (name: string) => name === 'secrets';

/** The answers of a service whose list has these pages; `token` makes the token that follows a page. */
function pagesOf(
  kind: string,
  { name, row }: List,
  sizes: readonly number[],
  token: (page: number) => unknown,
  more: object = {},
) {
  const starts = sizes.map((_, page) => sizes.slice(0, page).reduce((sum, size) => sum + size, 1));
  return scriptedClient((request): Scripted => {
    if (kind === 'instances v0' && isV1(request)) {
      return { status: 404, text: '' };
    }
    const asked = new URL(request.url).searchParams.get('after_token');
    const page = asked === null ? 0 : Number(/\d+$/.exec(asked)?.[0] ?? Number.NaN);
    assert.ok(page < sizes.length, `no such page: ${String(asked)}`);
    const rows = Array.from({ length: sizes[page] ?? 0 }, (_, at) => row((starts[page] ?? 0) + at));
    const list = name === 'secrets' ? Object.fromEntries(rows as [string, string][]) : rows;
    return { json: { success: true, [name]: list, next_token: token(page), ...more } };
  });
}

for (const [kind, list] of Object.entries(lists)) {
  describe(`the list of ${kind}`, () => {
    const read = async (made: ReturnType<typeof scriptedClient>) => {
      const result = await made.finish(list.read(made.client));
      const asked = made.transport.seen.length - (kind === 'instances v0' ? 1 : 0);
      return { ...result, asked };
    };

    it('is read to its end, for any pages', async () => {
      for (const sizes of [[0], [1], [25], [25, 25, 10], [25, 0, 3], [0, 4], [1, 1, 1, 1]]) {
        for (const last of [null, undefined, '', false]) {
          const token = (page: number) => (page + 1 < sizes.length ? `p${page + 1}` : last);
          const { count, isPartial, asked } = await read(pagesOf(kind, list, sizes, token));
          const whole = sizes.reduce((sum, size) => sum + size, 0);
          assert.deepEqual([count, isPartial, asked], [whole, false, sizes.length], JSON.stringify(sizes));
        }
      }
    });

    it('follows a token that is a number', async () => {
      const { count, isPartial } = await read(pagesOf(kind, list, [2, 2], (page) => (page === 0 ? 1 : null)));
      assert.deepEqual([count, isPartial], [4, false]);
    });

    it('is partial if a token repeats, and ends', async () => {
      for (const token of [() => 'p0', (page: number) => `p${(page + 1) % 2}`]) {
        const { isPartial, asked } = await read(pagesOf(kind, list, [2, 2], token));
        assert.equal(isPartial, true);
        assert.ok(asked <= 3, `${asked} requests`);
      }
    });

    it('is partial where a token is nothing that can be sent', async () => {
      for (const token of [true, {}, ['p1'], { after: 1 }]) {
        const { count, isPartial, asked } = await read(pagesOf(kind, list, [2, 2], () => token));
        assert.deepEqual([count, isPartial, asked], [isCut(kind) ? 0 : 2, true, 1], JSON.stringify(token));
      }
    });

    it('is partial where its pages do not end', async () => {
      const endless = Array.from({ length: 500 }, () => 1);
      const { count, isPartial, asked } = await read(pagesOf(kind, list, endless, (page) => `p${page + 1}`));
      assert.deepEqual([count, isPartial, asked], [isCut(kind) ? 0 : 400, true, 400]);
    });

    it('fails as a whole where one of its pages does', async () => {
      const made = scriptedClient((request): Scripted => {
        const isFirst = !request.url.includes('after_token');
        const rows = list.name === 'secrets' ? { A: '*' } : [list.row(1)];
        return kind === 'instances v0' && isV1(request)
          ? { status: 404, text: '' }
          : isFirst
            ? { json: { [list.name]: rows, next_token: 'p1' } }
            : { status: 400, json: { success: false, error: 'invalid_token', msg: 'x' } };
      });
      await assert.rejects(made.finish(list.read(made.client)), /changed while it was read/);
    });
  });
}

describe('the count of a list of instances', () => {
  for (const kind of ['instances v1', 'instances v0']) {
    const list = lists[kind];
    assert.ok(list);
    const partial = async (more: object, sizes = [25, 10]) => {
      const token = (page: number) => (page + 1 < sizes.length ? `p${page + 1}` : null);
      const made = pagesOf(kind, list, sizes, token, more);
      return (await made.finish(list.read(made.client))).isPartial;
    };

    it(`makes it partial if it names more than arrived, and never less: ${kind}`, async () => {
      assert.equal(await partial({}), false);
      assert.equal(await partial({ total_instances: 35 }), false);
      assert.equal(await partial({ total_instances: 36 }), true);
      assert.equal(await partial({ total_instances: 1 }), false);
      assert.equal(await partial({ total_instances: 'many' }), false);
      assert.equal(await partial({ instances_found: 25 }), false);
      assert.equal(await partial({ instances_found: 35 }), false);
      assert.equal(await partial({ instances_found: 60 }), true);
      assert.equal(await partial({ total_instances: -1, instances_found: 0 }), false);
    });
  }
});

describe('a search of offers', () => {
  it('is one answer, also where more offers fit', async () => {
    const { client, transport, finish } = scriptedClient([
      { json: { offers: [{ id: 1 }], next_token: 'p1' } },
    ]);
    const search = { filters: {}, rentalType: 'on-demand', order: [] } as const;
    assert.deepEqual((await finish(client.offers.search(search))).skipped, 0);
    assert.equal(transport.seen.length, 1);
  });
});
