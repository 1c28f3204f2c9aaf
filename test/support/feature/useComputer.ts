import assert from 'node:assert/strict';
import { prepareProduct } from '../fakeEditor/product';
import { processesWith } from '../processes';
import { holdsSecret } from '../secretScan';
import { Computer, type ComputerOptions } from './computer';

export interface UsedComputer extends ComputerOptions {
  /**
   * Values that may appear in no message, log line, document, setting, address, list of processes or file; the API key is
   * always one of them. A test adds those that it learns.
   */
  readonly secrets?: readonly string[];
}

/** For a machine that does much else: what waits in vain for the product says so long before. */
const realPatienceMs = 120_000;

/**
 * One computer for all tests of a `describe`, each going on where the one before ended. After every test: nothing
 * failed unseen (mocha sees to promises), no secret was shown or written, and no warning is left that the test did not look at.
 */
export function useComputer(options: UsedComputer = {}): () => Computer {
  let computer: Computer | undefined;
  before(async function () {
    this.timeout(realPatienceMs);
    this.test?.parent?.eachTest((test) => test.timeout(realPatienceMs));
    // Times of day are shown.
    process.env['TZ'] = 'UTC';
    prepareProduct();
    computer = await Computer.start(options);
  });
  afterEach(async function () {
    if (computer && this.currentTest?.state !== 'failed') {
      await closingChecks(computer, options.secrets ?? []);
    }
  });
  after(() => computer?.close());
  return () => {
    assert.ok(computer, 'The computer starts before the first test.');
    return computer;
  };
}

async function closingChecks(computer: Computer, planted: readonly string[]): Promise<void> {
  await computer.rest();
  const secrets = [computer.simulator.apiKey, ...planted];
  for (const window of computer.windows) {
    assert.deepEqual(window.errors.splice(0).map(asText), [], 'commands report their own errors');
    assert.ok(!holdsSecret(window.allMessages(), secrets), 'a secret was shown or logged');
    // What a window says while it closes is seen by no one.
    const unseen = window.screen.messages.shown.filter(
      (message) =>
        window.isOpen &&
        !message.wasSeen &&
        (message.modal || message.kind === 'warning' || message.kind === 'error'),
    );
    assert.deepEqual(
      unseen.map(({ text, detail }) => `${text} ${detail ?? ''}`),
      [],
      'a message is left that the test did not look at',
    );
  }
  assert.deepEqual(computer.filesWith(secrets), [], 'a secret stands in a file');
  const asked = computer.simulator.requests().map(({ path }) => path);
  const plain = JSON.stringify([computer.settings.values, asked]);
  assert.ok(!holdsSecret(plain, secrets), 'a secret stands in a setting or an address');
  assert.deepEqual(planted.flatMap(processesWith), [], 'a secret stands in the list of processes');
}

function asText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
