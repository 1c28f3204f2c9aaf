import { watchAccounts } from '../../shared/followAccount';
import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import type { Log } from '../../util/log';
import { keptAccounts } from '../accounts/accountEnds';
import type { Accounts } from '../accounts/accounts';
import type { KeptSecrets } from '../accounts/keptSecrets';
import type { SecretPort } from '../accounts/patientSecrets';
import { newOwnId } from '../disk/rowFolder';
import type { WindowHub } from '../windows/windowHub';
import { TemplateCreation } from './templateCreation';
import { TemplateDocuments } from './templateDocuments';
import { TemplateRefs } from './templateRefs';
import { TemplateSecrets } from './templateSecrets';
import type { TemplateStorage } from './templateStorage';

/** All stores that work on single templates. */
export interface TemplateStores extends Disposable {
  readonly memory: TemplateStorage;
  readonly secrets: TemplateSecrets;
  readonly documents: TemplateDocuments;
  readonly creation: TemplateCreation;
  readonly refs: TemplateRefs;
}

export function createTemplateStores(deps: {
  readonly accounts: Accounts;
  readonly hub: WindowHub;
  readonly secrets: SecretPort;
  /** The name of this window, which stays the same after a restart. */
  readonly windowName: string;
  readonly memory: TemplateStorage;
  readonly keptSecrets: KeptSecrets;
  readonly clock: Clock;
  readonly log: Log;
}): TemplateStores {
  const { accounts, hub, windowName, memory, clock, log } = deps;
  const secrets = new TemplateSecrets(deps.secrets, memory, deps.keptSecrets);
  const documents = new TemplateDocuments({ accounts, hub, windowName, memory, secrets, clock, log });
  const creation = new TemplateCreation({ documents, memory, secrets, clock, newToken: newOwnId });
  const refs = new TemplateRefs({ accounts, hub, memory, log });
  const forgetSignedOut = () => {
    void forgetUnknown(accounts, memory, secrets).catch((error: unknown) => {
      log.warn(`What belongs to a signed-out account could not be removed: ${String(error)}`);
    });
  };
  const subscription = watchAccounts(accounts, forgetSignedOut);
  return {
    memory,
    secrets,
    documents,
    creation,
    refs,
    dispose: () => {
      subscription.dispose();
      refs.dispose();
      documents.dispose();
    },
  };
}

/** Deletes what signed-out accounts left on this computer. */
async function forgetUnknown(
  accounts: Accounts,
  memory: TemplateStorage,
  secrets: TemplateSecrets,
): Promise<void> {
  if (accounts.state.kind === 'loading') {
    return;
  }
  const remembered = Object.keys(await memory.accounts());
  if (remembered.length === 0) {
    return;
  }
  const kept = await keptAccounts(accounts);
  for (const key of remembered) {
    if (!kept.has(key) && accounts.active?.key !== key) {
      await secrets.forgetAccount(key);
    }
  }
}
