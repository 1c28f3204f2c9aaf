import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecondFactorPrompt } from '../../src/store/accounts/secondFactor';
import { settle } from './fakeClock';
import { RealWindows } from './realWindows';
import { orderAccount, totpCode } from './secondFactorAccount';
import { startTestSimulator } from './startSimulator';

/** Windows of a user whose account wants a code of an authenticator app. */
export async function factorScene(options?: ConstructorParameters<typeof RealWindows>[2]) {
  const simulator = await startTestSimulator();
  const account = await orderAccount(simulator, 'totp');
  const folder = await mkdtemp(join(tmpdir(), 'second-factor-'));
  const windows = new RealWindows(folder, simulator.url, options);
  const close = async () => {
    await windows.close();
    await simulator.close();
    // What is still being written would make the folder again.
    await settle();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  return { simulator, account, windows, close };
}
export type FactorScene = Awaited<ReturnType<typeof factorScene>>;

/** Answers the question of a window with the right code. */
export function enterCodeOf(scene: () => Pick<FactorScene, 'simulator' | 'account'>): SecondFactorPrompt {
  return ({ client }) => {
    const { simulator, account } = scene();
    const code = totpCode(simulator, account.totpSecret);
    return client.secondFactor.logIn({ kind: 'code', factor: 'totp', code });
  };
}

/** The same windows for each test of a suite. */
export function useFactorWindows() {
  const scene = {} as FactorScene;
  beforeEach(async () => Object.assign(scene, await factorScene()));
  afterEach(() => scene.close());
  return Object.assign(scene, { enterCode: enterCodeOf(() => scene) });
}
