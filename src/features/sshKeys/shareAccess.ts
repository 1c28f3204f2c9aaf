import type { Client } from '../../api/client';
import { mayHaveTakenEffect } from '../../api/errors';
import type { InstanceTarget } from '../../commandSpecs';
import { confirm } from '../../editor/confirm';
import { copyLink } from '../../editor/copyLink';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking, whileSending } from '../../editor/progress';
import { pickFromList } from '../../editor/quickPick';
import { momentText } from '../../editor/timeText';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { SharedPlace } from '../../model/links';
import type { Services } from '../../services';
import { endpointsOf, sameEndpoint } from '../../ssh/endpoints';
import { parsePublicKey, sameKey } from '../../ssh/publicKey';
import type { Account } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { readAfter } from '../../store/readAfter';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import { askColleagueKey, type ColleagueKey } from './colleagueKey';
import { chooseForKeys, type InstanceKeyDeps } from './instanceKeyCommands';
import type { InstanceKeyRows } from './instanceKeyRows';

type Deps = InstanceKeyDeps & Pick<Services, 'clock' | 'network' | 'sharedAccess'>;

const hourMs = 3_600_000;
const spans = [hourMs, 8 * hourMs, 24 * hourMs, 7 * 24 * hourMs] as const;

/** Gives the key of another user access to an instance, with an end, and copies a link that connects. */
export async function shareAccess(
  deps: Deps,
  rows: InstanceKeyRows,
  target: InstanceTarget | undefined,
): Promise<void> {
  const account = accountFor(deps.accounts);
  account();
  const instanceId = await chooseForKeys(deps, target, 'gpuRental.instance.shareAccess');
  if (instanceId === undefined) {
    return;
  }
  const key = await askColleagueKey(deps);
  if (!key) {
    return;
  }
  const isIt = (line: string) => sameKey(line, key.line);
  const { items } = await whileAsking(account().client.instances.keys(instanceId));
  const isListed = items.some(({ publicKey }) => isIt(publicKey));
  if (isListed && !deps.sharedAccess.find(instanceId, key.line)) {
    // An end would take away what was given elsewhere, perhaps to this user.
    message('info', t('The instance already accepts this key. To end its access, detach the key.'));
    return;
  }
  const instance = deps.fleet.find(instanceId);
  const name = instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
  const span = await askSpan(name);
  if (!span) {
    return;
  }
  const endsAt = span.ms === undefined ? undefined : deps.clock.now() + span.ms;
  if (!(await confirm(questionFor(deps, name, key, endsAt)))) {
    return;
  }
  const { key: accountKey, client } = account();
  await readAfter(whileSending(give(deps, client, accountKey, { instanceId, key, endsAt, isListed })), () =>
    rows.refresh(instanceId),
  );
  deps.attachedKeys.add(instanceId);
  await showLink(deps, account(), { instance, key, name });
}

async function askSpan(name: string): Promise<{ readonly ms: number | undefined } | undefined> {
  const answer = await pickFromList<{ readonly ms: number | undefined }>({
    title: titleOf('gpuRental.instance.shareAccess'),
    placeholder: t('For how long?'),
    rows: [
      ...spans.map((ms) => ({ id: String(ms), label: localize(durationText(ms)), value: { ms } })),
      {
        id: 'open',
        label: t('Until You Take It Back'),
        description: t('or destroy {0}', name),
        value: { ms: undefined },
      },
    ],
    activeId: String(spans[1]),
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

function questionFor(deps: Deps, name: string, key: ColleagueKey, endsAt: number | undefined) {
  return {
    message: t('Share access to {0} with {1}?', name, key.name),
    detail: [
      parsePublicKey(key.line)?.fingerprint ?? '',
      t(
        "They can log in as root: run anything, and read and change all files and secrets on the instance. They can't see your account, but what is on the instance may be able to stop or destroy it.",
      ),
      endsAt === undefined
        ? t('The access stays until you take it back.')
        : t(
            'At {0}, an open editor in which this account is active takes the key back. If none is open then, the next one does.',
            momentText(endsAt, deps.clock.now()),
          ),
      t(
        'Logins that are open then stay open, and they can leave another way in. To be sure, destroy the instance.',
      ),
    ].join('\n\n'),
    button: t('Share Access'),
  };
}

/** Keeps the end before the key is sent, so that it also holds if this window closes in between. */
async function give(
  { sharedAccess }: Deps,
  { instances }: Client,
  accountKey: string,
  wanted: {
    readonly instanceId: number;
    readonly key: ColleagueKey;
    readonly endsAt: number | undefined;
    readonly isListed: boolean;
  },
): Promise<void> {
  const { instanceId, key, endsAt, isListed } = wanted;
  const row = {
    instanceId,
    name: key.name,
    publicKey: key.line,
    ...(endsAt === undefined ? {} : { endsAt }),
  };
  const { id } = await sharedAccess.keep(accountKey, row);
  if (isListed) {
    return;
  }
  try {
    await instances.attachKey(instanceId, key.line);
  } catch (error) {
    if (!mayHaveTakenEffect(error)) {
      await sharedAccess.forget(accountKey, id);
      throw error;
    }
    const { items } = await instances.keys(instanceId);
    if (!items.some(({ publicKey }) => sameKey(publicKey, key.line))) {
      // It may still arrive, so its end stays.
      throw error;
    }
  }
}

async function showLink(
  deps: Deps,
  account: Account,
  shared: {
    readonly instance: Instance | undefined;
    readonly key: ColleagueKey;
    readonly name: string;
  },
): Promise<void> {
  const { instance, key, name } = shared;
  const place = instance && (await placeOf(deps, account, instance, key.line));
  if (!place) {
    message(
      'info',
      t(
        '{0} accepts the key of {1}, but has no address to log in at yet. Share it again once it runs, to copy a link.',
        name,
        key.name,
      ),
    );
    return;
  }
  const copy = () => copyLink({ kind: 'shared', place });
  await copy();
  message(
    'info',
    place.hostKey
      ? t(
          '{0} accepts the key of {1}. A link that connects is in your clipboard, and works until the instance gets another address.',
          name,
          key.name,
        )
      : t(
          "{0} accepts the key of {1}. A link that connects is in your clipboard, but can't prove the machine: connect yourself, then share it again.",
          name,
          key.name,
        ),
    { label: t('Copy Link'), run: copy },
  );
}

/** Returns where the instance is reached; the address and host key that a login of ours has proved, if any has. */
async function placeOf(
  { ssh }: Deps,
  account: Account,
  instance: Instance,
  publicKey: string,
): Promise<SharedPlace | undefined> {
  const alias = ssh.aliasOf(account, instance.id);
  const [entry, hostKey] = await Promise.all([ssh.entry(alias), ssh.hostKey(alias)]);
  const all = endpointsOf(instance);
  const endpoint = all.find((one) => entry && sameEndpoint(one, entry.endpoint)) ?? all[0];
  const fingerprint = parsePublicKey(publicKey)?.fingerprint;
  return endpoint && fingerprint !== undefined
    ? {
        id: instance.id,
        host: endpoint.host,
        port: endpoint.port,
        fingerprint,
        ...(hostKey === undefined ? {} : { hostKey }),
      }
    : undefined;
}
