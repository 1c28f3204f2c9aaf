import type { Client } from '../../api/client';
import {
  ForbiddenError,
  NotReachableError,
  RateLimitedError,
  TimedOutError,
  UnauthorizedError,
} from '../../api/errors';
import type { CallOptions } from '../../api/http';
import type { KeyAccount } from '../../instanceKeys';
import { spendable, type User } from '../../model/accounts/account';
import type { ApiKey } from '../../model/accounts/apiKey';
import { mayUse, permissionMeaning, usualPermissions } from '../../model/accounts/permissionText';
import type { SshAccount } from '../../ssh/prepareHost';
import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';
import { attempt, finding, fixes, noAccountText, skipAll, type DoctorFinding } from './finding';
import { clockFinding, networkFindings, networkTitles, type NetworkPorts } from './networkFindings';

export interface AccountPorts extends NetworkPorts {
  readonly account: (SshAccount & KeyAccount) | undefined;
  /** Why the saved account can't be read, while the user is signed in. */
  readonly unreadable?: unknown;
  now(): number;
}

const unreadTitles = {
  'may read instances': text('Permission to read {0}', text('instances')),
  'may read SSH keys': text('Permission to read {0}', text('SSH keys')),
  permissions: text('Other permissions of the key'),
  rateLimit: text('Rate limit'),
  credit: text('Credit'),
} as const;
const titles = { key: text('API key'), ...unreadTitles } as const;

/** A wait that the user notices (ms). */
const longWaitMs = 5_000;

/** Returns the findings about the account, its key, and the connection to the service. */
export async function accountFindings(
  ports: AccountPorts,
  signal: AbortSignal,
): Promise<readonly DoctorFinding[]> {
  const { account } = ports;
  const title = text('Account');
  if (!account) {
    return [
      noAccount(title, ports.unreadable),
      ...skipAll({ ...networkTitles, ...titles }, noAccountText(ports.unreadable)),
    ];
  }
  const calls = new Calls(ports, signal);
  const user = await calls.make((options) => account.client.users.current(options));
  const found = [
    finding('signedIn', title, 'ok', text('Signed in at {0}.', account.serviceUrl)),
    ...networkFindings(account.serviceUrl, ports, user.error),
    clockFinding(calls.date, calls.dateAt),
    keyValidity(user.error),
  ];
  if (!user.value) {
    return [...found, ...skipAll(unreadTitles, text('Could not check this.'))];
  }
  return [
    ...found,
    ...(await permissions(account.client, user.value, calls)),
    calls.rateLimit(),
    credit(user.value),
  ];
}

function noAccount(title: Text, unreadable: unknown): DoctorFinding {
  const isOurs = unreadable instanceof UserError;
  const why = isOurs ? unreadable.text : noAccountText(unreadable);
  const isAskedAgain = unreadable !== undefined && !(isOurs && unreadable.nextStep === 'signIn');
  return finding('signedIn', title, 'problem', why, isAskedAgain ? fixes.readAgain : fixes.signIn);
}

/** Makes the calls, and keeps what they show: the service's time, the longest wait, and a refusal. */
class Calls {
  date: string | undefined;
  dateAt = 0;
  private waitedMs = 0;
  private refusal: RateLimitedError | undefined;

  constructor(
    private readonly ports: Pick<AccountPorts, 'now'>,
    private readonly signal: AbortSignal,
  ) {}

  async make<T>(call: (options: CallOptions) => Promise<T>) {
    const outcome = await attempt(() =>
      call({
        signal: this.signal,
        onWait: (waitMs) => {
          this.waitedMs = Math.max(this.waitedMs, waitMs);
        },
        onHeaders: ({ date }) => {
          this.date = date;
          this.dateAt = this.ports.now();
        },
      }),
    );
    if (outcome.error instanceof RateLimitedError) {
      this.refusal = outcome.error;
    }
    return outcome;
  }

  rateLimit(): DoctorFinding {
    if (this.refusal) {
      return finding('rateLimit', titles.rateLimit, 'problem', this.refusal.text);
    }
    return this.waitedMs >= longWaitMs
      ? finding(
          'rateLimit',
          titles.rateLimit,
          'note',
          text(
            'The service asks to wait {0} s. Another program may be using the same key: wait, or give that program its own key.',
            Math.ceil(this.waitedMs / 1000),
          ),
          fixes.createKey,
        )
      : finding('rateLimit', titles.rateLimit, 'ok', text('No problem found.'));
  }
}

function keyValidity(error: unknown): DoctorFinding {
  if (error === undefined) {
    return finding('key', titles.key, 'ok', text('No problem found.'));
  }
  if (error instanceof NotReachableError || error instanceof TimedOutError) {
    return finding('key', titles.key, 'skipped', text('Could not reach the service.'));
  }
  const sentence = error instanceof UserError ? error.text : text('Could not check this.');
  return finding(
    'key',
    titles.key,
    isKeyRefused(error) ? 'problem' : 'note',
    sentence,
    isKeyRefused(error) ? fixes.replaceKey : undefined,
  );
}

/** The service may refuse a key that lacks a permission in either way (docs/service/authentication.md#refused-keys). */
function isKeyRefused(error: unknown): boolean {
  return error instanceof UnauthorizedError || error instanceof ForbiddenError;
}

/** Tries the most important permissions; reads the others from the record of the key. */
async function permissions(client: Client, user: User, calls: Calls): Promise<readonly DoctorFinding[]> {
  const instances = await calls.make((options) => client.instances.list(options));
  const sshKeys = await calls.make((options) => client.sshKeys.list(options));
  const apiKeys = await calls.make((options) => client.apiKeys.list(options));
  const record = apiKeys.value?.items.find(({ id }) => id === user.keyId);
  return [
    reading('may read instances', instances.error),
    reading('may read SSH keys', sshKeys.error),
    others(record, apiKeys.error),
  ];
}

function reading(id: 'may read instances' | 'may read SSH keys', error: unknown): DoctorFinding {
  if (error === undefined) {
    return finding(id, titles[id], 'ok', text('No problem found.'));
  }
  const sentence = error instanceof UserError ? error.text : text('Could not check this.');
  return isKeyRefused(error)
    ? finding(id, titles[id], 'problem', sentence, fixes.replaceKey)
    : finding(id, titles[id], 'note', sentence);
}

function others(key: ApiKey | undefined, error: unknown): DoctorFinding {
  const found = (verdict: DoctorFinding['verdict'], detail: Text, fix?: DoctorFinding['fix']) =>
    finding('permissions', titles.permissions, verdict, detail, fix);
  if (isKeyRefused(error)) {
    return found(
      'note',
      text('This key has no permission to read its own permissions. The service may refuse some actions.'),
      fixes.replaceKey,
    );
  }
  if (!key) {
    return found('skipped', text('The service does not state the permissions of this key.'));
  }
  const lacking = usualPermissions.filter((category) => !mayUse(key, category));
  return lacking.length === 0
    ? found('ok', text('No problem found.'))
    : found(
        'note',
        text(
          'The key has no permission for: {0}.',
          joined(lacking.map((category) => permissionMeaning[category])),
        ),
        fixes.replaceKey,
      );
}

function joined(all: readonly Text[]): Text {
  return all.reduce((list, one) => text('{0}; {1}', list, one));
}

function credit(user: User): DoctorFinding {
  const micros = spendable(user);
  if (micros === undefined) {
    return finding('credit', titles.credit, 'skipped', text('The service does not state the credit.'));
  }
  return micros <= 0
    ? finding(
        'credit',
        titles.credit,
        'problem',
        text('You have no credit left, so your instances stop. Add credit in the web console.'),
        fixes.addCredit,
      )
    : finding('credit', titles.credit, 'ok', text('No problem found.'));
}
