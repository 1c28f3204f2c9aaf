import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Client } from '../../src/api/client';
import { chooseFactor } from '../../src/features/security/chooseFactor';
import type { User } from '../../src/model/accounts/account';
import type { SecondFactorStatus } from '../../src/model/accounts/secondFactor';
import { unaskedTimes } from '../../src/model/rentals/acceptGuard';
import { FakeClock } from '../support/fakeClock';

describe('the choice of a second factor', () => {
  const status: SecondFactorStatus = {
    enabled: true,
    methods: [{ id: 4, type: 'sms', phone: '********0142', isPrimary: true }],
    newMethodAuthorized: false,
    skipped: 0,
  };
  /** Settles once the editor has told its extensions. */
  const pressEnter = () => vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');

  function ask(signal?: AbortSignal) {
    const clock = new FakeClock();
    const client = {} as Client; // the question asks the service nothing
    const person = { emailVerified: true } as User; // all that the ways depend on
    const answer = chooseFactor(
      status,
      { title: 'Verification Code', client, person, clock, ...(signal ? { signal } : {}) },
      undefined,
    );
    let isAnswered = false;
    void answer.finally(() => {
      isAnswered = true;
    });
    return { clock, answer, isAnswered: () => isAnswered };
  }

  it('has no code sent by an Enter that was meant for what was shown before', async () => {
    const { clock, answer, isAnswered } = ask();
    await pressEnter();
    await clock.advance(unaskedTimes.settleMs);
    assert.equal(isAnswered(), false);
    await pressEnter();
    await clock.advance(unaskedTimes.aloneMs);
    const choice = await answer;
    assert.equal(choice?.kind === 'method' && choice.method.id, 4);
  });

  it('disappears with the request that asked it', async () => {
    const stop = new AbortController();
    const { clock, answer } = ask(stop.signal);
    await pressEnter();
    stop.abort();
    assert.equal(await answer, undefined);
    assert.equal(clock.pending, 0);
  });
});
