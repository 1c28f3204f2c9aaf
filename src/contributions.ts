/** What `package.json` declares, with types; `test/unit/contributions.test.ts` compares the two. */

import type { PickedDraft, RentDraft } from './model/rentals/rentDraft';

/** Plain data that menus, links and tests pass alike. */
export interface InstanceTarget {
  readonly instanceId: number;
}

/** A key that stands below an instance; `keyId` is the service's id of it. */
export interface InstanceKeyTarget extends InstanceTarget {
  readonly keyId: number;
}
export interface TemplateTarget {
  readonly templateId: number;
}
export interface MachineTarget {
  readonly machineId: number;
}
export interface DeploymentTarget {
  readonly deploymentId: number;
}
export interface TfaMethodTarget {
  readonly methodId: number;
}
export interface ApiKeyTarget {
  readonly apiKeyId: number;
}
export interface SecretTarget {
  readonly secretName: string;
}
export interface TeamRoleTarget {
  readonly roleName: string;
}
export interface SshKeyTarget {
  readonly sshKeyId: number;
}
export interface VolumeTarget {
  readonly volumeId: number;
}

/** A document of ours that is open or on disk. */
export interface DocumentTarget {
  readonly uri: string;
}
/** A search in people's units, as it is kept; it is checked where it is read. */
export interface QueryRequest {
  readonly query: object;
  readonly name?: string;
}

/** A port of an instance, as the container numbers it. */
export interface PortTarget {
  readonly instanceId: number;
  readonly port: number;
  readonly via: 'public' | 'forward';
}

/** Arguments of each contributed command; a tree passes its node, then all selected nodes. */
export interface Commands {
  'gpuRental.signIn': [];
  'gpuRental.signOut': [];
  'gpuRental.replaceKey': [];
  'gpuRental.renameAccount': [];
  'gpuRental.switchAccount': [];
  'gpuRental.tryDemo': [];
  'gpuRental.tfa.signIn': [];
  'gpuRental.getStarted': [];
  'gpuRental.searchOffers': [preset?: { readonly gpuName: string }];
  'gpuRental.compareOffers': [];
  'gpuRental.watchSearch': [request?: QueryRequest];
  'gpuRental.manageWatches': [];
  'gpuRental.rentFromTemplate': [target?: TemplateTarget];
  'gpuRental.machine.setMinimumBid': [target?: MachineTarget];
  'gpuRental.machine.scheduleMaintenance': [target?: MachineTarget];
  'gpuRental.earnings.show': [];
  'gpuRental.market.show': [];
  'gpuRental.spending.show': [];
  'gpuRental.deployment.stop': [target?: DeploymentTarget];
  'gpuRental.deployment.start': [target?: DeploymentTarget];
  'gpuRental.template.create': [];
  'gpuRental.template.edit': [target?: TemplateTarget];
  'gpuRental.template.duplicate': [target?: TemplateTarget];
  'gpuRental.template.delete': [target?: TemplateTarget, selected?: readonly TemplateTarget[]];
  'gpuRental.template.search': [];
  'gpuRental.template.copyId': [target?: TemplateTarget];
  'gpuRental.template.copyHash': [target?: TemplateTarget];
  'gpuRental.template.copyLink': [target?: TemplateTarget];
  'gpuRental.template.openImagePage': [target?: TemplateTarget];
  'gpuRental.template.export': [target?: TemplateTarget];
  'gpuRental.template.import': [from?: DocumentTarget];
  'gpuRental.template.addFavourite': [target?: TemplateTarget];
  'gpuRental.template.removeFavourite': [target?: TemplateTarget];
  'gpuRental.template.preview': [target?: DocumentTarget];
  'gpuRental.template.findOffers': [target?: DocumentTarget];
  'gpuRental.template.compare': [target?: TemplateTarget];
  'gpuRental.template.useMine': [target?: TemplateTarget];
  'gpuRental.template.useTheirs': [target?: TemplateTarget];
  'gpuRental.template.merge': [target?: TemplateTarget];
  'gpuRental.rentForWorkspace': [];
  'gpuRental.workspaceFile.create': [];
  'gpuRental.forgetFailedMachines': [];
  'gpuRental.refresh': [];
  'gpuRental.showLog': [];
  'gpuRental.copyDiagnostics': [];
  'gpuRental.instance.rentAnother': [target?: InstanceTarget];
  'gpuRental.instance.connect': [target?: InstanceTarget];
  'gpuRental.instance.connectHere': [target?: InstanceTarget];
  'gpuRental.instance.openTerminal': [target?: InstanceTarget];
  'gpuRental.instance.copySshCommand': [target?: InstanceTarget];
  'gpuRental.instance.start': [target?: InstanceTarget, selected?: readonly InstanceTarget[]];
  'gpuRental.instance.stop': [target?: InstanceTarget, selected?: readonly InstanceTarget[]];
  'gpuRental.instance.reboot': [target?: InstanceTarget, selected?: readonly InstanceTarget[]];
  'gpuRental.instance.destroy': [target?: InstanceTarget, selected?: readonly InstanceTarget[]];
  'gpuRental.instance.setLease': [target?: InstanceTarget];
  'gpuRental.reviewPriceIncreases': [];
  'gpuRental.instance.rename': [target?: InstanceTarget];
  'gpuRental.instance.changeBid': [target?: InstanceTarget];
  'gpuRental.instance.runCommand': [target?: InstanceTarget];
  'gpuRental.instance.showLogs': [target?: InstanceTarget];
  'gpuRental.instance.showDetails': [target?: InstanceTarget];
  'gpuRental.instance.attachKey': [target?: InstanceTarget];
  'gpuRental.instance.detachKey': [target?: InstanceTarget];
  'gpuRental.instance.copyLink': [target?: InstanceTarget];
  'gpuRental.volume.rent': [target?: VolumeTarget];
  'gpuRental.volume.delete': [target?: VolumeTarget, selected?: readonly VolumeTarget[]];
  'gpuRental.sshKey.add': [];
  'gpuRental.sshKey.generate': [];
  'gpuRental.sshKey.copy': [target?: SshKeyTarget];
  'gpuRental.sshKey.delete': [target?: SshKeyTarget];
  'gpuRental.tfa.addMethod': [];
  'gpuRental.tfa.updateMethod': [target?: TfaMethodTarget];
  'gpuRental.tfa.removeMethod': [target?: TfaMethodTarget];
  'gpuRental.tfa.regenerateBackupCodes': [];
  'gpuRental.apiKey.create': [];
  'gpuRental.apiKey.createFromDocument': [];
  'gpuRental.apiKey.delete': [target?: ApiKeyTarget];
  'gpuRental.secret.set': [target?: SecretTarget];
  'gpuRental.secret.delete': [target?: SecretTarget];
  'gpuRental.secret.copy': [target?: SecretTarget];
  'gpuRental.secret.reveal': [target?: SecretTarget];
  'gpuRental.secret.useInTemplate': [target?: SecretTarget];
  'gpuRental.teamRole.show': [target?: TeamRoleTarget];
  /** A row of the account view chooses the page. */
  'gpuRental.openConsole': [target?: object];
  'gpuRental.removeSshEntries': [];
  'gpuRental.instance.forwardPort': [target?: InstanceTarget];
  'gpuRental.port.open': [target?: PortTarget];
  'gpuRental.port.copy': [target?: PortTarget];
  'gpuRental.port.stopForwarding': [target?: PortTarget];
  'gpuRental.instance.upload': [target?: InstanceTarget];
  'gpuRental.instance.download': [target?: InstanceTarget];
  'gpuRental.connected.showMenu': [];
  'gpuRental.instance.cloneRepository': [target?: InstanceTarget];
  'gpuRental.runActiveFile': [file?: unknown];
  'gpuRental.runDoctor': [target?: InstanceTarget];
  'gpuRental.instance.forwardAgent': [target?: InstanceTarget];
}

/** Commands that the parts of the product run among themselves; not in the palette or any menu. */
export interface InternalCommands {
  /** A read-only document with this text. */
  'gpuRental.showText': [document: { readonly title: string; readonly content: string }];
  /** Before money is spent: true when a key that can log in is registered, or the user chose to go on without. */
  'gpuRental.ensureSshKey': [];
  'gpuRental.refreshAccount': [];
  /** Shows the row of an instance in the view. */
  'gpuRental.instance.reveal': [target: InstanceTarget];
  'gpuRental.refreshMachines': [];
  'gpuRental.refreshDeployments': [];
  'gpuRental.refreshVolumes': [];
  /** Reads the keys below an instance again. */
  'gpuRental.refreshInstanceKeys': [target: InstanceTarget];
  /** Shows the next rows of a long group of templates. */
  'gpuRental.template.showMore': [group: 'mine' | 'favourites' | 'recent' | 'recommended'];
  /** Rents from an open document, which is saved before where it has to be. */
  'gpuRental.template.rent': [target: TemplateTarget];
  /** A quick fix that needs the secret store or the service. */
  'gpuRental.template.fix': [request: unknown];
  /**
   * The search of offers for a rental that began elsewhere; an offer that it brings comes first. Nothing is spent before
   * the user confirms it.
   */
  'gpuRental.searchFor': [draft: RentDraft];
  /** The steps of a rental for its offer; `rented`, `back`, `outdated` or `cancelled`. */
  'gpuRental.rentOffer': [draft: PickedDraft];
  /** Starts without asking, for who was told the price; `started`, `queued` or `failed`. */
  'gpuRental.instance.startNow': [target: InstanceTarget];
  /** While somebody waits for an instance with progress of its own, no other is shown, and not that it is ready. */
  'gpuRental.followElsewhere': [target: InstanceTarget & { readonly follows: boolean }];
  /** Destroys a machine that failed and rents the next best, after asking where data is lost. */
  'gpuRental.instance.replaceFailed': [target: InstanceTarget];
  /**
   * Writes the SSH entry of an instance, with a login where none has proved its host key yet; its alias, or nothing
   * where the user must do a step first.
   */
  'gpuRental.prepareSsh': [target: InstanceTarget & { readonly isEntryOnly?: boolean }];
  /** A terminal on an instance that is picked, for the terminal menu. */
  'gpuRental.terminalProfile': [];
}

export type CommandId = keyof Commands;
export type AllCommands = Commands & InternalCommands;
export type AnyCommandId = keyof AllCommands;

const commands: Record<CommandId, true> = {
  'gpuRental.signIn': true,
  'gpuRental.signOut': true,
  'gpuRental.replaceKey': true,
  'gpuRental.renameAccount': true,
  'gpuRental.switchAccount': true,
  'gpuRental.tryDemo': true,
  'gpuRental.tfa.signIn': true,
  'gpuRental.getStarted': true,
  'gpuRental.searchOffers': true,
  'gpuRental.compareOffers': true,
  'gpuRental.watchSearch': true,
  'gpuRental.manageWatches': true,
  'gpuRental.rentFromTemplate': true,
  'gpuRental.machine.setMinimumBid': true,
  'gpuRental.machine.scheduleMaintenance': true,
  'gpuRental.earnings.show': true,
  'gpuRental.market.show': true,
  'gpuRental.spending.show': true,
  'gpuRental.deployment.stop': true,
  'gpuRental.deployment.start': true,
  'gpuRental.template.create': true,
  'gpuRental.template.edit': true,
  'gpuRental.template.duplicate': true,
  'gpuRental.template.delete': true,
  'gpuRental.template.search': true,
  'gpuRental.template.copyId': true,
  'gpuRental.template.copyHash': true,
  'gpuRental.template.copyLink': true,
  'gpuRental.template.openImagePage': true,
  'gpuRental.template.export': true,
  'gpuRental.template.import': true,
  'gpuRental.template.addFavourite': true,
  'gpuRental.template.removeFavourite': true,
  'gpuRental.template.preview': true,
  'gpuRental.template.findOffers': true,
  'gpuRental.template.compare': true,
  'gpuRental.template.useMine': true,
  'gpuRental.template.useTheirs': true,
  'gpuRental.template.merge': true,
  'gpuRental.rentForWorkspace': true,
  'gpuRental.workspaceFile.create': true,
  'gpuRental.forgetFailedMachines': true,
  'gpuRental.refresh': true,
  'gpuRental.showLog': true,
  'gpuRental.copyDiagnostics': true,
  'gpuRental.instance.rentAnother': true,
  'gpuRental.instance.connect': true,
  'gpuRental.instance.connectHere': true,
  'gpuRental.instance.openTerminal': true,
  'gpuRental.instance.copySshCommand': true,
  'gpuRental.instance.start': true,
  'gpuRental.instance.stop': true,
  'gpuRental.instance.reboot': true,
  'gpuRental.instance.destroy': true,
  'gpuRental.instance.setLease': true,
  'gpuRental.reviewPriceIncreases': true,
  'gpuRental.instance.rename': true,
  'gpuRental.instance.changeBid': true,
  'gpuRental.instance.runCommand': true,
  'gpuRental.instance.showLogs': true,
  'gpuRental.instance.showDetails': true,
  'gpuRental.instance.attachKey': true,
  'gpuRental.instance.detachKey': true,
  'gpuRental.instance.copyLink': true,
  'gpuRental.volume.rent': true,
  'gpuRental.volume.delete': true,
  'gpuRental.sshKey.add': true,
  'gpuRental.sshKey.generate': true,
  'gpuRental.sshKey.copy': true,
  'gpuRental.sshKey.delete': true,
  'gpuRental.tfa.addMethod': true,
  'gpuRental.tfa.updateMethod': true,
  'gpuRental.tfa.removeMethod': true,
  'gpuRental.tfa.regenerateBackupCodes': true,
  'gpuRental.apiKey.create': true,
  'gpuRental.apiKey.createFromDocument': true,
  'gpuRental.apiKey.delete': true,
  'gpuRental.secret.set': true,
  'gpuRental.secret.delete': true,
  'gpuRental.secret.copy': true,
  'gpuRental.secret.reveal': true,
  'gpuRental.secret.useInTemplate': true,
  'gpuRental.teamRole.show': true,
  'gpuRental.openConsole': true,
  'gpuRental.removeSshEntries': true,
  'gpuRental.instance.forwardPort': true,
  'gpuRental.port.open': true,
  'gpuRental.port.copy': true,
  'gpuRental.port.stopForwarding': true,
  'gpuRental.instance.upload': true,
  'gpuRental.instance.download': true,
  'gpuRental.connected.showMenu': true,
  'gpuRental.instance.cloneRepository': true,
  'gpuRental.runActiveFile': true,
  'gpuRental.runDoctor': true,
  'gpuRental.instance.forwardAgent': true,
};
export const commandIds = Object.keys(commands) as CommandId[];

/** Values used in `when` clauses, with what they are before anything is known. */
export const contextKeyDefaults = {
  'gpuRental.loaded': false,
  'gpuRental.signedIn': false,
  'gpuRental.unreadable': false,
  'gpuRental.demo': false,
  'gpuRental.busy': false,
  'gpuRental.hosting': false,
  /** Something was rented that the list of instances may not have yet. */
  'gpuRental.renting': false,
  /** This window is on one of our instances. */
  'gpuRental.connected': false,
  'gpuRental.templateConflict': false,
  /** The key in use is known to lack the permission. */
  'gpuRental.lacks.instance_write': false,
  'gpuRental.lacks.user_write': false,
  'gpuRental.lacks.misc': false,
};
export type ContextKey = keyof typeof contextKeyDefaults;

export const viewIds = [
  'gpuRental.instances',
  'gpuRental.templates',
  'gpuRental.sshKeys',
  'gpuRental.account',
  'gpuRental.hosting',
] as const;
export type ViewId = (typeof viewIds)[number];

/** Settings with their types; all of them have scope `application`. */
export interface Settings {
  'gpuRental.service.url': string;
  'gpuRental.network.transport': 'auto' | 'vscode' | 'undici';
  /** Names to searches in people's units; read through `model/offers/savedSearches`. */
  'gpuRental.search.saved': Readonly<Record<string, unknown>>;
  /** Dollars an hour for all that runs; 0 means no limit. */
  'gpuRental.rent.limitPerHour': number;
  'gpuRental.ready.timeoutMinutes': number;
  'gpuRental.ready.onFailure': 'ask' | 'replace';
  'gpuRental.statusBar.enabled': boolean;
  /** Hours without use after which a running instance counts as forgotten; 0 for never. */
  'gpuRental.warn.idleHours': number;
  /** Days after which a stopped instance is named; 0 for never. */
  'gpuRental.warn.stoppedDays': number;
  'gpuRental.hosting.show': 'auto' | 'always';
  'gpuRental.connect.openIn': 'newWindow' | 'currentWindow';
  'gpuRental.connect.folder': string;
}
export const settingDefaults: Settings = {
  'gpuRental.service.url': 'https://console.vast.ai',
  'gpuRental.network.transport': 'auto',
  'gpuRental.search.saved': {},
  'gpuRental.rent.limitPerHour': 0,
  'gpuRental.ready.timeoutMinutes': 15,
  'gpuRental.ready.onFailure': 'ask',
  'gpuRental.statusBar.enabled': true,
  'gpuRental.warn.idleHours': 3,
  'gpuRental.warn.stoppedDays': 7,
  'gpuRental.hosting.show': 'auto',
  'gpuRental.connect.openIn': 'newWindow',
  'gpuRental.connect.folder': '',
};

/** In the title of a view. The editor calls them with the focused row and the selection, or with neither. */
export const titleCommands: readonly AnyCommandId[] = [
  'gpuRental.copyDiagnostics',
  'gpuRental.earnings.show',
  'gpuRental.getStarted',
  'gpuRental.market.show',
  'gpuRental.openConsole',
  'gpuRental.refresh',
  'gpuRental.replaceKey',
  'gpuRental.runDoctor',
  'gpuRental.searchOffers',
  'gpuRental.showLog',
  'gpuRental.signOut',
  'gpuRental.spending.show',
  'gpuRental.sshKey.add',
  'gpuRental.sshKey.generate',
  'gpuRental.switchAccount',
  'gpuRental.template.create',
  'gpuRental.template.import',
  'gpuRental.template.search',
];
