import {
  ForbiddenError,
  NotReachableError,
  RateLimitedError,
  TimedOutError,
  UnauthorizedError,
} from '../../api/errors';
import type { Client } from '../../api/client';
import type { Instance } from '../../model/instance';
import { actionsFor, type InstanceFacts } from '../../model/instanceState';
import { instanceName } from '../../model/instanceLabel';
import { plainText } from '../../ssh/plainText';
import type { Resolver } from '../../ssh/resolvers';
import { matchKeys, type SshAccount, type SshService } from '../../ssh/service';
import { worksUnattended } from '../../ssh/localKeys';
import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';
import { configFindings } from './configFindings';
import { finding, fixes, type Finding } from './finding';
import { machineFindings } from './machineFindings';

export interface DoctorPorts {
  readonly account:
    (SshAccount & { readonly client: Client; readonly creditMicros: number | undefined }) | undefined;
  readonly ssh: SshService;
  readonly resolvers: readonly Resolver[];
  readonly configFileIsSet: boolean;
  readonly instances: readonly Instance[];
  facts(instanceId: number): InstanceFacts;
  now(): number;
  /** The instance whose login is tried; `undefined` tries none. */
  readonly instanceId: number | undefined;
}

/** Looks at everything, in the order in which things depend on each other; changes nothing. */
export async function examine(
  ports: DoctorPorts,
  signal: AbortSignal,
  onFinding: (finding: Finding) => void = () => undefined,
): Promise<readonly Finding[]> {
  const all: Finding[] = [];
  const parts = [
    () => serviceFindings(ports, signal),
    () => keyFindings(ports, signal),
    () => configFindings(ports, signal),
    () => Promise.resolve(resolverFindings(ports)),
    () => machineFindings(ports, signal),
  ];
  for (const part of parts) {
    for (const one of await part()) {
      all.push(one);
      onFinding(one);
    }
  }
  return all;
}

async function serviceFindings({ account }: DoctorPorts, signal: AbortSignal): Promise<readonly Finding[]> {
  const title = text('Account');
  if (!account) {
    return [finding('signedIn', title, 'problem', text('Nobody is signed in.'), fixes.signIn)];
  }
  const found = [finding('signedIn', title, 'ok', text('Signed in at {0}.', account.serviceUrl))];
  const key = await attempt(() => account.client.users.current({ signal }));
  found.push(reachability(key.error), keyValidity(key.error));
  if (key.error === undefined) {
    const reads: readonly (readonly [Text, () => Promise<unknown>])[] = [
      [text('instances'), () => account.client.instances.list({ signal })],
      [text('SSH keys'), () => account.client.sshKeys.list({ signal })],
    ];
    for (const [what, read] of reads) {
      const { error } = await attempt(read);
      found.push(permission(what, error));
    }
  }
  const credit = account.creditMicros;
  found.push(
    credit !== undefined && credit <= 0
      ? finding(
          'credit',
          text('Credit'),
          'problem',
          text('There is no credit left, so instances stop. Add credit in the web console.'),
        )
      : finding(
          'credit',
          text('Credit'),
          'ok',
          credit === undefined ? text('The service does not say.') : text('There is credit.'),
        ),
  );
  return found;
}

function reachability(error: unknown): Finding {
  const title = text('Service reachable');
  if (error instanceof NotReachableError || error instanceof TimedOutError) {
    return finding('reachable', title, 'problem', error.text, {
      label: text('Open Network Settings'),
      command: 'workbench.action.openSettings',
      args: ['http.proxy'],
    });
  }
  return finding('reachable', title, 'ok', text('The service answers.'));
}

function keyValidity(error: unknown): Finding {
  const title = text('API key');
  if (error === undefined) {
    return finding('key', title, 'ok', text('The service accepts the key.'));
  }
  const sentence = error instanceof UserError ? error.text : text('The key could not be checked.');
  const isRefused = error instanceof UnauthorizedError || error instanceof ForbiddenError;
  return finding(
    'key',
    title,
    isRefused ? 'problem' : 'note',
    sentence,
    isRefused ? fixes.signIn : undefined,
  );
}

function permission(what: Text, error: unknown): Finding {
  const title = text('Permission to read {0}', what);
  const id = `may read ${what.template}`;
  if (error === undefined) {
    return finding(id, title, 'ok', text('The key may.'));
  }
  if (error instanceof RateLimitedError) {
    return finding('rateLimit', text('Rate limit'), 'note', error.text);
  }
  const sentence = error instanceof UserError ? error.text : text('This could not be checked.');
  return finding(id, title, error instanceof ForbiddenError ? 'problem' : 'note', sentence);
}

async function keyFindings({ account, ssh }: DoctorPorts, signal: AbortSignal): Promise<readonly Finding[]> {
  const local = await ssh.localKeys(signal);
  const title = text('SSH key on this computer');
  if (local.length === 0) {
    return [
      finding(
        'localKey',
        title,
        'problem',
        text('There is none in your .ssh folder or agent.'),
        fixes.generateKey,
      ),
    ];
  }
  const found = [
    finding(
      'localKey',
      title,
      'ok',
      text('Found: {0}', local.map((key) => key.publicKey.fingerprint).join(', ')),
    ),
    local.some(worksUnattended)
      ? finding('unattended', text('Passphrases'), 'ok', text('A key works without asking.'))
      : finding(
          'unattended',
          text('Passphrases'),
          'problem',
          text('Every key asks for a passphrase, and no SSH agent holds one. Run ssh-add in a terminal.'),
        ),
  ];
  const listed = account && (await attempt(() => account.client.sshKeys.list({ signal })));
  if (listed?.value) {
    const matching = matchKeys(
      local,
      listed.value.items.map((key) => key.publicKey),
    );
    found.push(
      matching.length > 0
        ? finding('registered', text('Registered key'), 'ok', text('A key of this computer is registered.'))
        : finding(
            'registered',
            text('Registered key'),
            'problem',
            text('No key of this computer is registered, so instances that you rent will not let you in.'),
            fixes.addKey,
          ),
    );
  }
  return found;
}

function resolverFindings({ resolvers, configFileIsSet }: DoctorPorts): readonly Finding[] {
  const title = text('Remote-SSH extension');
  const [first, second] = resolvers;
  if (!first) {
    return [
      finding(
        'resolver',
        title,
        'note',
        text('None is installed. Terminals work without; windows need one.'),
        fixes.installRemoteSsh,
      ),
    ];
  }
  const found = [
    second
      ? finding(
          'resolver',
          title,
          'note',
          text(
            'Two are installed, {0} and {1}. Which of them opens a window cannot be foreseen; disable one.',
            plainText(first.name),
            plainText(second.name),
          ),
        )
      : finding('resolver', title, 'ok', text('{0} is installed.', plainText(first.name))),
  ];
  if (configFileIsSet && !first.honoursConfigFile) {
    found.push(
      finding(
        'configHonoured',
        text('SSH config file setting'),
        'note',
        text(
          '{0} ignores the setting for another SSH config file, so your usual one is used.',
          plainText(first.name),
        ),
      ),
    );
  }
  if (!first.checksHostKeys) {
    found.push(
      finding(
        'checksHostKeys',
        text('Host keys'),
        'note',
        text(
          '{0} does not compare host keys. The login before each window does it instead.',
          plainText(first.name),
        ),
      ),
    );
  }
  return found;
}

/** Instances that can be logged in to, for the choice of one. */
export function connectable(ports: Pick<DoctorPorts, 'instances' | 'facts' | 'now'>): readonly Instance[] {
  return ports.instances.filter((one) => actionsFor(one, ports.facts(one.id), ports.now()).canConnect);
}

export function nameOf(instance: Instance): string {
  return plainText(instanceName(instance));
}

async function attempt<T>(run: () => Promise<T>): Promise<{ readonly value?: T; readonly error?: unknown }> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}
