import assert from 'node:assert/strict';
import { ServiceError } from '../../../../src/simulator/route';
import { finishAuthorization, startAuthorization } from '../../../../src/simulator/secondFactor/authorize';
import { SecondFactorBody } from '../../../../src/simulator/secondFactor/body';
import type { Person, SecondFactorContext } from '../../../../src/simulator/secondFactor/context';
import { confirmNew, setUpTotp } from '../../../../src/simulator/secondFactor/enrol';
import { logIn, requestSms } from '../../../../src/simulator/secondFactor/login';

import { emptySecondFactorState, secondFactorAccount } from '../../../../src/simulator/secondFactor/state';
import { randomTokens } from '../../../../src/simulator/secondFactor/tokens';
import { totpAt } from '../../../../src/simulator/secondFactor/totp';

export const phone = '+14155550100';

/** One account on its own, with a clock that a test moves by hand. */
export class Subject {
  readonly state = emptySecondFactorState();
  now = 1_800_000_000;
  person: Person = { id: 7, email: 'ada@example.com', emailVerified: true, isAdmin: false };
  loggedOut = false;

  get account() {
    return secondFactorAccount(this.state, 7);
  }

  get context(): SecondFactorContext {
    const { state, account, person, now, loggedOut } = this;
    return { state, account, person, now, tokens: randomTokens, loggedOut };
  }

  run(
    operation: (context: SecondFactorContext, body: SecondFactorBody) => Record<string, unknown>,
    body?: unknown,
  ): Record<string, unknown> {
    return operation(this.context, new SecondFactorBody(body));
  }

  login(body: unknown): Record<string, unknown> {
    return this.run((context, fields) => {
      const { session, extra } = logIn(context, fields);
      return { ...session, ...extra };
    }, body);
  }

  refused(
    operation: (context: SecondFactorContext, body: SecondFactorBody) => Record<string, unknown>,
    body: unknown,
    status: number,
    code: string,
  ): ServiceError {
    return this.refusedCall(() => this.run(operation, body), status, code);
  }

  loginRefused(body: unknown, status: number, code: string): ServiceError {
    return this.refusedCall(() => this.login(body), status, code);
  }

  private refusedCall(call: () => unknown, status: number, code: string): ServiceError {
    try {
      call();
    } catch (error) {
      assert.ok(error instanceof ServiceError, String(error));
      assert.deepEqual([error.status, error.code], [status, code]);
      return error;
    }
    throw new assert.AssertionError({ message: `expected ${code}` });
  }

  get lastCode(): string {
    return this.state.outbox.at(-1)?.code ?? '';
  }

  /** A code that is certainly not the last one sent. */
  get wrongCode(): string {
    return this.lastCode === '000000' ? '111111' : '000000';
  }

  authorizeByEmail(): void {
    const { secret } = this.run(startAuthorization, {});
    this.run(finishAuthorization, { secret, code: this.lastCode });
  }

  /** Adds a TOTP method and gives its secret, with the answer of confirm-new. */
  addTotp(label?: string): { secret: string; answer: Record<string, unknown> } {
    const secret = String(this.run(setUpTotp)['secret']);
    const answer = this.run(confirmNew, {
      tfa_method: 'totp',
      secret,
      code: totpAt(secret, this.now),
      label,
    });
    this.now += 60;
    return { secret, answer };
  }

  addSms(number = phone): Record<string, unknown> {
    const { secret } = this.run(requestSms, { phone_number: number });
    return this.run(confirmNew, { tfa_method: 'sms', secret, code: this.lastCode, phone_number: number });
  }
}

export function enabled(): { subject: Subject; totp: string; backupCodes: string[] } {
  const subject = new Subject();
  subject.authorizeByEmail();
  const { secret, answer } = subject.addTotp('Work phone');
  return { subject, totp: secret, backupCodes: answer['backup_codes'] as string[] };
}
