import { KeptSecrets } from '../../src/store/accounts/keptSecrets';
import type { SecretPort } from '../../src/store/accounts/patientSecrets';
import { storedSecrets } from '../../src/store/templates/templateSecrets';
import { TemplateStorage, type StorageLock } from '../../src/store/templates/templateStorage';
import type { Log } from '../../src/util/log';

/** Returns a lock that runs one action after the other. */
export function oneByOne(): StorageLock {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const done = last.then(action);
    last = done.catch(() => undefined);
    return done;
  };
}

/** The secrets of one window. */
export function keptSecrets(
  secrets: SecretPort,
  more: Partial<ConstructorParameters<typeof KeptSecrets>[0]> = {},
): KeptSecrets {
  return new KeptSecrets({
    secrets,
    lock: oneByOne(),
    clock: { now: () => 7 },
    onSecret: () => undefined,
    earlierUses: () => Promise.resolve(() => []),
    ...more,
  });
}

/** What the templates of one window need to have secrets. */
export function secretParts(secrets: SecretPort, storageDir: string, log: Log) {
  const memory = new TemplateStorage(storageDir, log, oneByOne(), () => storedSecrets(secrets));
  return { secrets, memory, keptSecrets: keptSecrets(secrets) };
}
