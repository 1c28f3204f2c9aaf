import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecondFactorPrompt } from '../../src/store/accounts/secondFactor';
import { settle } from './fakeClock';
import { RealWindows } from './realWindows';
import { startTestSimulator, type TestSimulator } from './startSimulator';
import { orderAccount, totpCode, type OrderedAccount } from './tfaAccount';

/** Windows of a user whose account wants a code of an authenticator app. */
export function useFactorWindows() {
  let simulator: TestSimulator;
  let account: OrderedAccount;
  let folder: string;
  let windows: RealWindows;

  beforeEach(async () => {
    simulator = await startTestSimulator();
    account = await orderAccount(simulator, 'totp');
    folder = await mkdtemp(join(tmpdir(), 'second-factor-'));
    windows = new RealWindows(folder, simulator.url);
  });
  afterEach(async () => {
    await windows.close();
    await simulator.close();
    // What is still being written would make the folder anew.
    await settle();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  const enterCode: SecondFactorPrompt = ({ client }) =>
    client.tfa.logIn({
      kind: 'code',
      factor: 'totp',
      code: totpCode(simulator, account.totpSecret),
    });

  return {
    enterCode,
    get simulator() {
      return simulator;
    },
    get account() {
      return account;
    },
    set account(next: OrderedAccount) {
      account = next;
    },
    get windows() {
      return windows;
    },
  };
}
