import { chooseTransport, createTransport } from '../../api/chooseTransport';
import { mayHaveTakenEffect } from '../../api/errors';
import { registryOrigin, registryTags, TagsHiddenError } from '../../api/registryTags';
import type { InstanceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { reasonOf, t } from '../../editor/localize';
import { message } from '../../editor/message';
import {
  whileAsking,
  whileReadingInstances,
  whileSending,
  withCancellableProgress,
} from '../../editor/progress';
import { askLine, pickFromList } from '../../editor/quickPick';
import { labelOf, titleOf } from '../../editor/titles';
import { instanceName } from '../../model/instances/instanceLabel';
import { isRepository, newTag, snapshotImage, type Snapshot } from '../../model/snapshot';
import { templateFromInstance } from '../../model/templates/templateFromInstance';
import type { Services } from '../../services';
import { quoteForShell } from '../../ssh/commandLine';
import { accountFor, accountStill } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { wait } from '../../util/clock';
import { isCancelled, UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { openDraft, type CommandDeps } from './templateCommands';

type Deps = CommandDeps & Pick<Services, 'clock' | 'network' | 'redactor' | 'rentals'>;

/** The service needs 5 to 10 minutes or more, and never says that it failed (docs/service/instances.md#snapshot). */
const readEveryMs = 30_000;
const longestMs = 60 * 60_000;

/** Saves the container of an instance as an image in a registry of the user, and follows it until the image is there. */
export async function takeSnapshot(deps: Deps, target: InstanceTarget | undefined): Promise<void> {
  const account = accountFor(deps.accounts);
  const { key } = account();
  const title = titleOf('gpuRental.instance.takeSnapshot');
  const instanceId = await chooseInstance(
    target,
    () => listedInstances(deps.fleet, whileReadingInstances),
    'gpuRental.instance.takeSnapshot',
    t('You have no instances.'),
  );
  if (instanceId === undefined) {
    return;
  }
  if (deps.rentals.find(instanceId)?.config.vm === true) {
    throw new UserError(text('The service takes snapshots of containers, and this is a virtual machine.'));
  }
  const snapshot = await askSnapshot(title, key);
  if (!snapshot) {
    return;
  }
  deps.redactor.addSecret(snapshot.password);
  const instance = deps.fleet.find(instanceId);
  const name = instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
  const image = snapshotImage(snapshot);
  if (!(await confirm(questionFor(name, snapshot)))) {
    return;
  }
  const tags = (signal?: AbortSignal) =>
    withTransport(deps, registryOrigin(snapshot.registry), (parts) => registryTags(snapshot, parts, signal));
  const before = await whileAsking(tags()).catch(asReason);
  const { client } = account();
  await whileSending(send(() => client.instances.takeSnapshot(instanceId, snapshot), image));
  if (before instanceof UserError) {
    message(
      'info',
      t(
        'The service accepted the snapshot of {0}. {1} Look for the image there in 10 minutes or more: a wrong password gives no error.',
        name,
        reasonOf(before) ?? '',
      ),
    );
    return;
  }
  void follow(deps, { instanceId, name, image, before, tags, accountKey: key, snapshot }).catch(
    (error: unknown) => deps.log.error('A snapshot could not be followed', error),
  );
}

async function askSnapshot(title: string, accountKey: string): Promise<Snapshot | undefined> {
  const login = await runCommand('gpuRental.chooseRegistryLogin', accountKey);
  if (!login) {
    return undefined;
  }
  const { registry, user, token: password } = login;
  const repository = await askLine({
    title,
    prompt: t('The repository for the image, without a tag: the service makes that'),
    value: `${user.toLowerCase().replace(/[^a-z0-9]+/g, '-')}/gpu-rental`,
    ignoreFocusOut: true,
    problem: (value) =>
      isRepository(value.trim())
        ? undefined
        : t('Enter lower-case letters, digits and slashes, such as me/trainer.'),
  });
  if (repository === undefined) {
    return undefined;
  }
  const pause = await pickFromList<boolean>({
    title,
    placeholder: t('What happens to running processes?'),
    rows: [
      {
        id: 'pause',
        label: t('Pause the Instance'),
        detail: t('Safer: nothing runs while the container is read, for 5 to 10 minutes or more'),
        value: true,
      },
      {
        id: 'run',
        label: t('Keep It Running'),
        detail: t('Files that change in that time may be saved half-written'),
        value: false,
      },
    ],
  });
  return pause.kind === 'picked'
    ? { registry, repository: repository.trim(), user, password, pauses: pause.value }
    : undefined;
}

function questionFor(name: string, snapshot: Snapshot) {
  const { pauses, user, registry } = snapshot;
  return {
    message: t('Take a snapshot of {0}?', name),
    detail: [
      t('It is pushed to {0} as {1}.', snapshotImage(snapshot), user),
      t(
        'In it is the whole container, with keys and secrets in its files. Volumes are not in it. Anyone who can pull the image can read all of that.',
      ),
      t(
        'The service and the host of the machine get the password for {0}. Use a token that can only push to this repository, and revoke it afterwards.',
        registry,
      ),
      pauses
        ? t('The instance is paused for 5 to 10 minutes or more, and costs the same.')
        : t('The instance keeps running, so files that change may be saved half-written.'),
      t(
        "The upload is charged as traffic of the instance. A snapshot can't be canceled. This window follows it for up to an hour.",
      ),
    ].join('\n\n'),
    button: titleOf('gpuRental.instance.takeSnapshot'),
  };
}

/** Sends the request once. Without an answer, the list of tags shows whether it took effect. */
async function send(request: () => Promise<void>, image: string): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (mayHaveTakenEffect(error)) {
      message(
        'warning',
        t(
          'The service did not answer, so the snapshot may be on its way to {0}. Wait before you take another one.',
          image,
        ),
      );
      return;
    }
    throw error;
  }
}

/** Returns the error if it has a text; rethrows any other. */
function asReason(error: unknown): UserError {
  if (error instanceof UserError && !isCancelled(error)) {
    return error;
  }
  throw error;
}

async function withTransport<T>(
  { clock, network }: Deps,
  baseUrl: URL,
  run: (parts: Parameters<typeof registryTags>[1]) => Promise<T>,
): Promise<T> {
  const settings = network();
  const transport = createTransport(
    chooseTransport({ baseUrl, settings, env: process.env, inExtensionHost: true }),
  );
  try {
    return await run({ transport, clock });
  } finally {
    void transport.close();
  }
}

interface Followed {
  readonly instanceId: number;
  readonly accountKey: string;
  readonly name: string;
  readonly image: string;
  readonly snapshot: Snapshot;
  readonly before: readonly string[];
  readonly tags: (signal: AbortSignal) => Promise<readonly string[]>;
}

/** Reads the tags until the image is there, the user ends that, or it takes too long. */
async function follow(deps: Deps, followed: Followed): Promise<void> {
  const { name, image } = followed;
  const title = t('Waiting for the snapshot of {0}…', name);
  const tag = await withCancellableProgress(
    title,
    (signal) =>
      untilThere(deps, followed, signal).catch((error: unknown) => (isCancelled(error) ? null : undefined)),
    t('Stop Waiting'),
  );
  if (tag === null) {
    return;
  }
  if (tag === undefined) {
    message(
      'warning',
      t(
        'No image of {0} appeared in {1}. The service gives no reason: check the password, its permission to push, and the free space of the registry.',
        name,
        image,
      ),
    );
    return;
  }
  message('info', t('The snapshot of {0} is there: {1}', name, `${image}:${tag}`), {
    label: labelOf('gpuRental.template.create'),
    run: () => draft(deps, followed, tag),
  });
}

async function untilThere(
  { clock, log }: Deps,
  { before, instanceId, tags }: Followed,
  signal: AbortSignal,
): Promise<string | undefined> {
  const until = clock.elapsed() + longestMs;
  while (clock.elapsed() < until) {
    await wait(clock, readEveryMs, signal);
    try {
      const tag = newTag(before, await tags(signal), instanceId);
      if (tag !== undefined) {
        return tag;
      }
    } catch (error) {
      // A registry that does not answer says nothing about the image.
      if (isCancelled(error) || error instanceof TagsHiddenError) {
        throw error;
      }
      log.info(`The tags of a snapshot could not be read: ${String(error)}`);
    }
  }
  return undefined;
}

/** Opens a draft that rents instances from the image. The token for its registry is entered there. */
async function draft(deps: Deps, { instanceId, image, snapshot, accountKey }: Followed, tag: string) {
  const account = accountStill(deps.accounts, accountKey);
  const instance = await whileAsking(account.client.instances.get(instanceId));
  const fields = templateFromInstance(
    { ...instance, id: instanceId, image: `${image}:${tag}` },
    quoteForShell,
  );
  const { registry, user } = snapshot;
  await openDraft(deps, { ...fields, docker_login_repo: registry, docker_login_user: user }, undefined, {
    hidesVariables: true,
  });
}
