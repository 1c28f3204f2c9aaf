import assert from 'node:assert/strict';
import { lastCode, type OrderedAccount } from './secondFactorAccount';
import type { TestAnswer, TestSimulator } from './startSimulator';

/** See docs/service/two-factor.md#callers. */
export type Caller = 'logged out' | 'logged in' | 'cli';

/** One caller of one account, speaking HTTP without our client: the table is the service's, not ours. */
export class Someone {
  private cookie: string | undefined;

  constructor(
    readonly kind: Caller,
    private readonly simulator: TestSimulator,
    readonly account: OrderedAccount,
  ) {}

  async call(method: string, below: string, body?: Record<string, unknown>): Promise<TestAnswer> {
    const response = await fetch(`${this.simulator.url}/api/v0/tfa/${below}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(this.kind === 'logged out' ? {} : { authorization: `Bearer ${this.account.key}` }),
        ...(this.kind === 'logged in' ? { cookie: this.cookie ?? '' } : {}),
      },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  }

  /** Returns the challenge that a right password begins; the interface description has no call for it. */
  async firstSecret(): Promise<string> {
    const { json } = await this.simulator.call('POST', '/__sim/tfa-login/', {
      account_id: this.account.accountId,
    });
    return String(json.tfa_secret);
  }

  /** A page becomes logged in by the logged-out flow. */
  async becomeLoggedIn(): Promise<void> {
    const page = new Someone('logged out', this.simulator, this.account);
    const secret = await page.firstSecret();
    const sent = await page.call('POST', 'email/', { secret });
    const code = await lastCode(this.simulator, 'email');
    const answer = await page.call('POST', '', { tfa_method: 'email', code, secret: sent.json.secret });
    this.cookie = answer.headers.get('set-cookie')?.split(';')[0];
    assert.ok(this.cookie);
  }
}
