import assert from 'node:assert/strict';
import type { Computer } from './computer';

const route = '/api/v0/template/';

type Fields = Readonly<Record<string, unknown>>;

/** The templates of the account at the service, as another computer reads and changes them. */
export class ServiceTemplates {
  constructor(private readonly computer: () => Computer) {}

  /** Creates a private template; its id. */
  async make(name: string, fields: Fields = {}): Promise<number> {
    const { status, json, text } = await this.computer().simulator.call('POST', route, {
      name,
      image: 'pytorch/pytorch',
      tag: '2.5',
      desc: 'old words',
      runtype: 'args',
      private: true,
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
      ...fields,
    });
    assert.equal(status, 200, text);
    return (json as { template: { id: number } }).template.id;
  }

  /** The record of a template; an empty one where there is none. */
  async record(id: number): Promise<Fields> {
    const query = encodeURIComponent(JSON.stringify({ id: { eq: id } }));
    const { json } = await this.computer().simulator.call('GET', `${route}?select_filters=${query}`);
    return (json as { templates: Fields[] }).templates[0] ?? {};
  }

  async editElsewhere(id: number, changes: Fields): Promise<void> {
    const body = { hash_id: (await this.record(id))['hash_id'], ...changes };
    assert.equal((await this.computer().simulator.call('PUT', route, body)).status, 200);
  }

  /** Bodies of the requests of a kind that the service got, in their order. */
  sent(method: string): Fields[] {
    return this.computer()
      .simulator.received(method, route)
      .map(({ body }) => body as Fields);
  }
}
