import { statfs } from 'node:fs/promises';
import { posix } from 'node:path';
import type { InstanceTarget } from '../../../commandSpecs';
import { chooseInstance } from '../../../editor/chooseInstance';
import { runCommand, signedIn } from '../../../editor/commands';
import { t } from '../../../editor/localize';
import { whileReadingInstances, withCancellableProgress } from '../../../editor/progress';
import { pickFromList, type Row } from '../../../editor/quickPick';
import { titleOf } from '../../../editor/titles';
import type { HeldAlias } from '../../../model/instances/heldInstance';
import type { Instance } from '../../../model/instances/instance';
import { stoppedCostPerDay } from '../../../model/instances/instanceCost';
import { instanceName } from '../../../model/instances/instanceLabel';
import { actionsFor } from '../../../model/instances/instanceState';
import { perHour, runningRateOf, stoppedRateOf } from '../../../model/quote';
import type { RentConfig } from '../../../model/rentals/rent';
import type { RentedLike } from '../../../model/rentals/rentedLike';
import { workspaceHostOf } from '../../../ssh/alias';
import { isRemotePath, readFolders } from '../../../ssh/remoteFolders';
import type { Account } from '../../../store/accounts/accounts';
import { accountStill } from '../../../store/accounts/sameAccount';
import { carryOut } from '../../../store/instances/carryOut';
import { connectableInstances } from '../../../store/instances/listed';
import type { Rental } from '../../../store/rentals/rentalStore';
import { defined } from '../../../util/defined';
import { UserError } from '../../../util/errors';
import { plainLabel } from '../../../util/plainLabel';
import { text } from '../../../util/text';
import { rawOf } from '../../machine/rawPath';
import { savedBytes } from '../../model/parkedCost';
import { canBeParked, type FolderLook } from '../../model/parkedSet';
import type { MachineOfSet, ParkedRow, ParkedSet } from '../../model/parking';
import type { CloudFolder } from '../../model/secondCopy';
import type { Services } from '../../services';
import { reach } from '../reached';
import { askPark, type ParkAnswer } from './askPark';
import { nameOfSet } from './parkedText';
import { rentForSet } from './rentalOfSet';
import { SecondCopyChoice } from './secondCopyChoice';
import type { UnsavedThere } from './unsavedThere';

export type ParkDeps = Pick<
  Services,
  | 'accounts'
  | 'clock'
  | 'connectedWindows'
  | 'fleet'
  | 'globalState'
  | 'log'
  | 'lookAtFolder'
  | 'lookAtServed'
  | 'mirrors'
  | 'parkings'
  | 'rentals'
  | 'ssh'
  | 'storageDir'
  | 'work'
> & { readonly unsavedThere: Pick<UnsavedThere, 'names'> };

/** Asks for instance and folder, shows what parking it or moving it means, and begins. */
export async function park(
  deps: ParkDeps,
  plan: ParkedSet['plan'],
  target: InstanceTarget | undefined,
): Promise<void> {
  const id = plan === 'park' ? 'gpuRental.instance.park' : 'gpuRental.instance.move';
  const account = await signedIn(deps.accounts);
  const listed = () => connectableInstances(deps, whileReadingInstances);
  const instanceId = account && (await chooseInstance(target, listed, id));
  if (!account || instanceId === undefined) {
    return;
  }
  const instance = deps.fleet.find(instanceId);
  if (!instance) {
    throw new UserError(text('This instance has been destroyed.'));
  }
  await checkIsFree(deps, account.key, instance);
  const isServed = plan === 'move' && isServedByHost(deps, instance);
  const machine = isServed ? heldOf(deps, account, instance) : await reach(deps, instance.id);
  const folder = await chooseFolder(deps, machine, instance, titleOf(id), isServed);
  if (folder === undefined) {
    return;
  }
  const root = rawOf(folder);
  const host = (await deps.ssh.entry(machine.alias))?.workspace ?? workspaceHostOf(posix.basename(folder));
  const look = await withCancellableProgress(t('Checking the files of {0}…', plainLabel(folder)), (signal) =>
    isServed
      ? deps.lookAtServed(account, instance.id, root, signal)
      : deps.lookAtFolder(machine.alias, root, signal),
  );
  const older = isServed ? undefined : deps.parkings.continuedIn(account.key, instance.id, root);
  const answer = await ask(deps, isServed ? 'rescue' : plan, machine, instance, root, look, older);
  if (!answer) {
    return;
  }
  const { leftOut, cloud, isByService } = answer;
  const rental = deps.rentals.find(instance.id);
  const full = rental && (await deps.rentals.fullConfig(rental));
  accountStill(deps.accounts, account.key);
  const set: NewSet = {
    plan: isServed ? 'rescue' : plan,
    accountKey: account.key,
    serviceUrl: account.serviceUrl,
    from: oldMachineOf(instance, isServed),
    root,
    leftOut,
    cloud,
    isByService,
    host,
    hasVolume: (instance.volumes ?? []).length > 0,
    like: likeOf(instance, rental),
    replaces: older?.set.id,
  };
  await (plan === 'park'
    ? deps.parkings.order(set, full)
    : move(deps, account, set, full, savedBytes(look, leftOut)));
}

type NewSet = Parameters<ParkDeps['parkings']['order']>[0];

/** Whether the host of an instance gives its files away, while no login can reach it. */
function isServedByHost({ clock, fleet }: ParkDeps, instance: Instance): boolean {
  const { canConnect, canDownload } = actionsFor(instance, fleet.facts(instance.id), clock.now());
  return !canConnect && canDownload;
}

function heldOf({ ssh }: ParkDeps, account: Account, { id }: Instance): HeldAlias {
  return { instanceId: id, accountKey: account.key, alias: ssh.aliasOf(account, id) };
}

function oldMachineOf(instance: Instance, isKept: boolean): MachineOfSet {
  const rate = isKept ? stoppedRateOf(instance) : runningRateOf(instance);
  return {
    instanceId: instance.id,
    name: instanceName(instance),
    contractStart: instance.startedAt ?? 0,
    perHour: rate && perHour(rate),
    perDay: isKept ? stoppedCostPerDay(instance) : undefined,
  };
}

/** An instance is worked on for one set at a time. */
async function checkIsFree({ parkings }: ParkDeps, accountKey: string, { id }: Instance): Promise<void> {
  await parkings.ready;
  const busy = parkings.onInstance(accountKey, id);
  if (busy) {
    throw new UserError(text('{0} is already being parked, moved or resumed.', nameOfSet(busy)));
  }
}

async function ask(
  { accounts, connectedWindows, globalState, rentals, storageDir, unsavedThere, work }: ParkDeps,
  plan: ParkedSet['plan'],
  { alias }: HeldAlias,
  instance: Instance,
  root: string,
  look: FolderLook,
  older: ParkedRow | undefined,
): Promise<(Exclude<ParkAnswer, 'otherCopy'> & { readonly cloud: CloudFolder | undefined }) | undefined> {
  await work.whole();
  const isWindowOpen = connectedWindows.isOpen(alias);
  const choice = new SecondCopyChoice(globalState, accounts.active?.key ?? '');
  let cloud = plan === 'park' ? choice.last : undefined;
  const asked = {
    instance,
    root,
    look,
    atRisk: work.atRisk(instance.id, 'processes'),
    isWindowOpen,
    unsaved: isWindowOpen ? await unsavedThere.names(alias) : [],
    upMbit: rentals.find(instance.id)?.offer.inetUpMbit,
    replaces: older && nameOfSet(older),
    freeBytes: await freeBytesOf(storageDir),
  };
  for (;;) {
    const answer = await askPark(plan, { ...asked, cloud });
    if (answer !== 'otherCopy') {
      await (answer && plan === 'park' ? choice.keep(cloud) : undefined);
      return answer && { ...answer, cloud };
    }
    cloud = cloud ? undefined : await runCommand('gpuRental.chooseCloudFolder', instanceName(instance));
  }
}

/** Returns the room on the disk of this computer, if it says. */
async function freeBytesOf(folder: string): Promise<number | undefined> {
  const facts = await statfs(folder).catch(() => undefined);
  return facts && facts.bavail * facts.bsize;
}

async function move(
  deps: ParkDeps,
  account: Account,
  set: NewSet,
  full: RentConfig | undefined,
  bytes: number,
): Promise<void> {
  const { accountKey, from, like } = set;
  await rentForSet({
    name: nameOfSet({ set }),
    label: from.name,
    accountKey,
    like: full ? { ...like, config: full, hasSecrets: true } : like,
    bytes,
    old: from,
    whyNot: () => Promise.resolve(undefined),
    note: async (marker) => {
      if (set.plan === 'rescue') {
        await cancelStart(deps, account, from);
      }
      await deps.parkings.order({ ...set, rental: { marker, accountKey } }, full);
      return true;
    },
  });
}

/** The old instance could start later, and cost money beside the next one. */
async function cancelStart(
  deps: ParkDeps,
  account: Account,
  { instanceId, name }: MachineOfSet,
): Promise<void> {
  const { signal } = new AbortController();
  const isStillWanted = () => Promise.resolve(true);
  const done = await carryOut(deps, account, { instanceId, action: 'stop' }, { signal, isStillWanted });
  if (done !== 'stopped') {
    throw new UserError(
      text('The start of {0} is not confirmed as canceled, so no other instance was rented.', name),
    );
  }
}

function likeOf(instance: Instance, rental: Rental | undefined): RentedLike {
  const { templateHash, templateId, image, diskSpaceGb, gpuName, gpuCount, cudaVersion } = instance;
  const machine = { gpuName, gpuCount, cudaVersion };
  if (rental) {
    const { config, rentalType, search, workspace, machine: name } = rental;
    return { ...machine, config, rentalType, search, workspace, machine: name };
  }
  const diskGb = diskSpaceGb === undefined ? undefined : Math.ceil(diskSpaceGb);
  return {
    ...machine,
    config: defined<RentConfig>(
      templateHash === undefined ? { image, diskGb } : { templateHash, templateId, diskGb },
    ),
    rentalType: instance.isInterruptible === true ? 'interruptible' : 'on-demand',
  };
}

/** Asks for the folder: those that were opened before come first, and a path can be typed. */
async function chooseFolder(
  { mirrors, ssh }: ParkDeps,
  machine: HeldAlias,
  instance: Instance,
  title: string,
  isServed: boolean,
): Promise<string | undefined> {
  const mirrored = mirrors.all.flatMap(({ folder, remote }) =>
    folder.instanceId === instance.id && remote !== undefined ? [remote] : [],
  );
  const opened = (await runCommand('gpuRental.instance.usualFolders', machine)) ?? [];
  const recent = [...new Set([...opened, ...mirrored])];
  const { folders } = isServed
    ? { folders: [] }
    : await withCancellableProgress(t('Reading the folders of {0}', instanceName(instance)), (signal) =>
        readFolders(ssh, machine.alias, signal),
      );
  const row = (path: string, description: string): Row<string> => ({
    id: path,
    label: plainLabel(path),
    description,
    value: path,
  });
  const fixed = [
    ...recent.map((path) => row(path, t('opened or mirrored before'))),
    // Those in the work folder of the images come before whole disks.
    ...folders
      .filter((path) => !recent.includes(path))
      .sort((one, other) => Number(other.startsWith('/workspace/')) - Number(one.startsWith('/workspace/')))
      .map((path) => row(path, '')),
  ].filter(({ value }) => canBeParked(value ?? ''));
  const answer = await pickFromList<string>({
    title,
    placeholder: t('Folder on the instance: pick one or type a path'),
    rows: (typed) => {
      const path = typed.trim().replace(/(?<=[^/])\/+$/, '');
      const isNew = isRemotePath(path) && canBeParked(path) && !fixed.some(({ value }) => value === path);
      return isNew ? [row(path, t('as typed')), ...fixed] : fixed;
    },
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}
