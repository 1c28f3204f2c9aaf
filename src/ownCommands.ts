import type { WebviewPanel } from 'vscode';
import type { ServerCommand } from './agents/model/mcpConfiguration';
import { ownSpec } from './commandShapes';
import type {
  InstanceTarget,
  PlaceTarget,
  RemoteFileTarget,
  JobRowTarget,
  DocumentTarget,
} from './commandSpecs';
import type { GroupRow } from './editor/treeGroups';
import type { WantedForJob } from './jobs/model/draftJob';
import type { PermissionCategory } from './model/accounts/apiKey';
import type {
  FolderTarget,
  HeldAlias,
  HeldTarget,
  NamedHost,
  RemoteFolder,
  WantedEntry,
} from './model/instances/heldInstance';
import type { SharedPlace } from './model/links';
import type { BackToList, ListedOffers, PickedDraft, RentDraft } from './model/rentals/rentDraft';
import type { WantedLike } from './model/rentals/rentedLike';
import type { Forward } from './ssh/forward';

const change: readonly PermissionCategory[] = ['instance_write'];

/**
 * Internal commands. The editor does not know these ids, so no link, agent or other extension can run them. Some act
 * without a question because their caller asked it.
 */
export const ownCommands = {
  /** Loads what opens documents of instances. */
  'gpuRental.files.begin': ownSpec('workspaces'),
  /** Uploads files of this computer to an instance, and asks for the folder where none is given. */
  'gpuRental.files.upload': ownSpec<(target: PlaceTarget, files: readonly string[]) => unknown>('files'),
  /** Returns the rows below a folder of an instance; a row says so while they are read. */
  'gpuRental.files.list': ownSpec<(folder: RemoteFileTarget) => readonly GroupRow[]>('workspaces'),
  /**
   * Makes a port of an instance reachable here, with a row of its own; nothing if the user must do a step first. A message
   * at the end of its connection offers `again`.
   */
  'gpuRental.port.forward':
    ownSpec<
      (wanted: HeldTarget & { readonly port: number; readonly again: () => unknown }) => Forward | undefined
    >('ports'),
  /** Asks for a cloud connection and a folder on it; `of` is the name of what is copied. */
  'gpuRental.chooseCloudFolder':
    ownSpec<
      (
        of: string,
      ) => { readonly connectionId: number; readonly name: string; readonly folder: string } | undefined
    >('files'),
  /** Asks for the login to a registry that a snapshot is pushed with. */
  'gpuRental.chooseRegistryLogin':
    ownSpec<
      (
        accountKey: string,
      ) => { readonly registry: string; readonly user: string; readonly token: string } | undefined
    >('rent'),
  /** Returns where the outputs of a job are on its machine; nothing after a message where they can't be. */
  'gpuRental.job.outputsOnMachine':
    ownSpec<(target: JobRowTarget) => { readonly instanceId: number; readonly folder: string } | undefined>(
      'jobs',
    ),
  /** Returns where the instance has a folder of this computer, if it is mirrored there. */
  'gpuRental.mirror.placeOf': ownSpec<(place: FolderTarget) => string | undefined>('workspaces'),
  /** Mirrors a folder after a question, unless it is already, and returns its place. */
  'gpuRental.mirror.begin': ownSpec<(place: FolderTarget) => string | undefined>('workspaces'),
  /** Sends what waits of the folders of an instance; returns false if that takes longer than a cell should wait. */
  'gpuRental.mirror.settle': ownSpec<(machine: HeldTarget) => boolean>('workspaces'),
  /** Opens a window on a folder of an instance. */
  'gpuRental.instance.openFolder': ownSpec<(place: RemoteFolder) => unknown>('connect'),
  /** Connects to an instance of another user, after a question. */
  'gpuRental.openShared': ownSpec<(place: SharedPlace) => unknown>('connect'),
  /** Returns the folders of an instance that were opened before, after that of its recipe. */
  'gpuRental.instance.usualFolders': ownSpec<(machine: HeldAlias) => readonly string[]>('connect'),
  /** Lets the host name of a workspace lead to an instance, unless it leads to another one that is there. */
  'gpuRental.instance.nameHost': ownSpec<(named: NamedHost) => unknown>('connect'),
  /** Returns the search for a machine like one that was rented before. */
  'gpuRental.draftLike': ownSpec<(wanted: WantedLike) => RentDraft | undefined>('rent', ['misc']),
  /** Does what an instance is set up with before a window opens in a folder, and shows what is in the way. */
  'gpuRental.setUp.before': ownSpec<(reached: HeldAlias, folder: string) => unknown>('workspaces'),
  /** Opens a terminal in which a program runs, which keeps running without this window where the machine can do that. */
  'gpuRental.terminal.runProgram':
    ownSpec<(run: HeldAlias & { readonly name: string; readonly program: string }) => unknown>('connect'),
  /** Shows a read-only document with this text. */
  'gpuRental.showText':
    ownSpec<(text: { readonly title: string; readonly content: string }) => unknown>('lifecycle'),
  /**
   * Checks, before money is spent, that a usable key is registered; returns true also if the user continues without
   * one. `isQuiet` shows no progress, because the user does not wait.
   */
  'gpuRental.ensureSshKey': ownSpec<(how?: { readonly isQuiet: boolean }) => boolean>('sshKeys', change),
  /**
   * Searches offers for a rental that began elsewhere; a given offer is first.
   * Nothing is spent until the user confirms.
   */
  'gpuRental.searchFor': ownSpec<(draft: RentDraft) => unknown>('search', ['misc']),
  /** Shows offers of the list on the market page, without reading them again. */
  'gpuRental.showOnMarket': ownSpec<(listed: ListedOffers) => unknown>('hosting', ['misc']),
  /** Searches a machine for a job; the user confirms the rental at the end. */
  'gpuRental.rentForJob': ownSpec<(wanted: WantedForJob) => unknown>('jobs', ['misc']),
  /** Runs the steps of a rental for an offer; returns a draft if the user returns to the offers. */
  'gpuRental.rentOffer': ownSpec<(draft: PickedDraft) => 'rented' | 'cancelled' | BackToList>('rent'),
  /** Asks for a template; returns it if the user picks one. */
  'gpuRental.pickTemplate':
    ownSpec<() => { readonly hashId: string; readonly name: string; readonly image: string } | undefined>(
      'rent',
    ),
  /** Starts without a question, for a caller that showed the price. */
  'gpuRental.instance.startNow': ownSpec<(target: InstanceTarget) => 'started' | 'queued' | 'failed'>(
    'lifecycle',
    change,
  ),
  /** Stops without a question, for a caller that asked about exactly these instances. */
  'gpuRental.instance.stopNow': ownSpec<(targets: { readonly instanceIds: readonly number[] }) => unknown>(
    'lifecycle',
    change,
  ),
  /** Returns the losses that the question before a destroy names; asks and changes nothing. */
  'gpuRental.instance.lossByDestroy': ownSpec<(target: InstanceTarget) => string | undefined>('lifecycle'),
  /** Destroys a failed machine and rents the next best one; asks first if data would be lost. */
  'gpuRental.instance.replaceFailed': ownSpec<(target: InstanceTarget) => unknown>('readiness'),
  /**
   * Writes the SSH entry of an instance, with a login first if none has proved its host key. Returns its alias, or
   * nothing if the user must do a step first. Fails once another account than the named one is active, since callers
   * name the account in which the user chose the instance.
   */
  'gpuRental.prepareSsh': ownSpec<(target: WantedEntry) => string | undefined>('connect'),
  /**
   * The same for one of several instances: shows and asks nothing, since a message for each would have to be closed
   * before the others are shown. Returns its alias, or why no login works.
   */
  'gpuRental.prepareSshOfSeveral':
    ownSpec<(target: HeldTarget) => { readonly alias: string } | { readonly problem: string }>('connect'),
  /** Copies files of this computer to each of several instances. */
  'gpuRental.instances.copyFiles':
    ownSpec<(target: InstanceTarget | undefined, all: readonly InstanceTarget[] | undefined) => unknown>(
      'several',
    ),
  /** Copies a file or folder of each of several instances to this computer. */
  'gpuRental.instances.download':
    ownSpec<(target: InstanceTarget | undefined, all: readonly InstanceTarget[] | undefined) => unknown>(
      'several',
    ),
  /** Keeps the machine of a job without a question, for a message that named it. */
  'gpuRental.job.keepNow': ownSpec<(target: JobRowTarget) => unknown>('jobs'),
  /** Postpones the scheduled end of an instance, for a caller that showed both times. */
  'gpuRental.instance.extendSchedule': ownSpec<
    (wanted: InstanceTarget & { readonly until: number }) => unknown
  >('schedules', change),
  /** Runs a script of the workspace as a job, after asking for its limits. */
  'gpuRental.job.runFile': ownSpec<(target: DocumentTarget) => unknown>('jobs'),
  'gpuRental.job.reveal': ownSpec<(target: JobRowTarget) => unknown>('jobs'),
  /** Returns what the doctor finds, without a question; what is not checked in time is named as such. */
  'gpuRental.doctorReport': ownSpec<() => string>('doctor'),
  /** Returns how the server for agents is started, after the question about access where they are off. */
  'gpuRental.agents.server': ownSpec<() => ServerCommand | undefined>('agents'),
  /** Returns the tasks for the jobs of the open folders. */
  'gpuRental.job.tasks': ownSpec('jobs'),
  /** Starts what follows the models that jobs serve. */
  'gpuRental.model.follow': ownSpec('models'),
  /** Shows the page of an instance in its panel again, after a reload of the window. */
  'gpuRental.instance.restorePage':
    ownSpec<(kept: { readonly panel: WebviewPanel; readonly state: unknown }) => unknown>('instancePage'),
  /** Returns a terminal on an instance that the user picks, for the terminal menu. */
  'gpuRental.terminalProfile': ownSpec('connect'),
};
