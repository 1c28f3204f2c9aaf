import type * as vscode from 'vscode';
import type { NetworkSettings } from './api/chooseTransport';
import type { ViewId } from './contributions';
import type { CommandTable } from './editor/commands';
import type { ContextKeySetter } from './editor/contextKeys';
import type { FileDrops } from './editor/fileDrops';
import type { LazyFileSystem } from './editor/lazyFileSystem';
import type { LazyTree } from './editor/lazyTree';
import type { Report } from './editor/report';
import type { SettingsReader } from './editor/settings';
import type { StatusItem } from './editor/statusItem';
import type { TreeGroups } from './editor/treeGroups';
import type { MachineContact } from './machineChecks';
import type { SshKey } from './model/accounts/account';
import type { FoundService } from './model/instances/foundServices';
import type { SetUpSeen } from './model/instances/setUpSteps';
import type { Template } from './model/templates/template';
import type { Volume } from './model/volume';
import type { OneWindow } from './shared/oneWindow';
import type { Reading } from './shared/reading';
import type { Shell } from './shell';
import type { SshService } from './ssh/service';
import type { SshConsent } from './sshConsent';
import type { AccountCleanup } from './store/accounts/accountCleanup';
import type { AccountChanges, Accounts, OtherAccounts } from './store/accounts/accounts';
import type { KeptSecrets } from './store/accounts/keptSecrets';
import type { KeyAccess } from './store/accounts/keyAccess';
import type { OwnActions } from './store/accounts/ownActions';
import type { SecretPort } from './store/accounts/patientSecrets';
import type { SecondFactorGate } from './store/accounts/secondFactor';
import type { SessionAccess } from './store/accounts/sessionRenewal';
import type { WindowInUse } from './store/accounts/windowInUse';
import type { Budget } from './store/budget/budgetStore';
import type { AttachedKeys } from './store/instances/attachedKeys';
import type { FleetStore } from './store/instances/fleetStore';
import type { GaugeHistory } from './store/instances/gaugeHistory';
import type { IdleWatch } from './store/instances/idleWatch';
import type { KeptLogs } from './store/instances/keptLogs';
import type { SaidByMachine } from './store/instances/saidByMachine';
import type { SharedAccesses } from './store/instances/sharedAccesses';
import type { WorkOnInstances } from './store/instances/workOnInstances';
import type { OfferPins } from './store/offers/offerPins';
import type { SearchBudget } from './store/offers/searchBudget';
import type { SearchWatches } from './store/offers/searchWatches';
import type { MachineChecks } from './store/rentals/checkRuns';
import type { FailedMachines } from './store/rentals/failedMachines';
import type { MachineProofs } from './store/rentals/machineProofs';
import type { RentalStore } from './store/rentals/rentalStore';
import type { RunningProofs } from './store/rentals/runningProofs';
import type { StartWatches } from './store/rentals/startWatchPort';
import type { TemplateStores } from './store/templates/templateStores';
import type { AgentDoor } from './store/windows/agentDoor';
import type { ConnectedWindows } from './store/windows/connectedWindows';
import type { Notices } from './store/windows/notices';
import type { Presence } from './store/windows/presence';
import type { WindowHub } from './store/windows/windowHub';
import type { WorkspaceParts } from './store/workspaceParts';
import type { Clock } from './util/clock';
import type { Log } from './util/log';
import type { Redactor } from './util/redact';

/** The demo marketplace, started at its first use. */
export interface Demo {
  /** Starts it if it is not running. Signing in with the key puts it into the secret store. */
  prepare(): Promise<{ readonly serviceUrl: string; readonly apiKey: string }>;
}

/** The long-lived objects; a feature gets those that it needs with `Pick<Services, …>`. */
export interface Services {
  readonly extensionUri: vscode.Uri;
  /** One folder on disk for all windows of this user. */
  readonly storageDir: string;
  readonly globalState: vscode.Memento;
  readonly workspaceState: vscode.Memento;
  /** A read throws if keys must not be read here, or if the store takes too long. */
  readonly secrets: SecretPort;
  /** The secrets that the user gave to templates and jobs. */
  readonly keptSecrets: KeptSecrets;
  readonly log: Log & { show(): void; recent(): readonly string[] };
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  /** The editor's settings for proxies and certificates, read at every use. */
  readonly network: () => NetworkSettings;
  readonly contextKeys: ContextKeySetter;
  readonly commands: CommandTable;
  readonly report: Report;
  readonly trees: Readonly<Record<ViewId, LazyTree>>;
  readonly statusItem: StatusItem;
  /** Further headings in the instances view. */
  readonly instanceGroups: TreeGroups;
  /** Headings in the account view. */
  readonly accountGroups: TreeGroups;
  readonly templateFiles: LazyFileSystem;
  readonly machineFiles: LazyFileSystem;
  readonly fileDrops: FileDrops;
  /** Receives links to the extension, see `features/links`. */
  readonly links: Shell['links'];
  /** Receives the calls of the chat of the editor; the agents wing answers them. */
  readonly chat: Shell['chat'];
  readonly accountsMenu: Shell['accountsMenu'];
  /** Answers other extensions, see `features/otherExtensions`. */
  readonly otherExtensions: Shell['otherExtensions'];
  readonly hub: WindowHub;
  readonly demo: Demo;
  readonly accounts: Accounts & OtherAccounts & AccountChanges & SessionAccess;
  /** The clean-up of an account's data at sign-out. */
  readonly accountCleanup: AccountCleanup;
  /** The permissions of the key in use. */
  readonly keyAccess: KeyAccess;
  /** What was done here that cost money or destroyed something. */
  readonly ownActions: OwnActions;
  readonly secondFactor: SecondFactorGate;
  readonly windowInUse: WindowInUse;
  /** Runs actions once over all windows. */
  readonly oneWindow: Pick<OneWindow, 'offer'>;
  readonly fleet: FleetStore;
  /** The use of each machine over the last hour. */
  readonly gauges: GaugeHistory;
  /** The account's spending against its limits a day and a month. */
  readonly budget: Budget;
  readonly rentals: RentalStore;
  /** Follows machines while they start. */
  readonly startWatches: StartWatches;
  /** Checks a machine over SSH. */
  readonly machineChecks: MachineChecks & MachineContact;
  /** The instances to which a key was attached a moment ago. */
  readonly attachedKeys: AttachedKeys;
  /** The keys of other users on instances, which end by themselves. */
  readonly sharedAccess: SharedAccesses;
  /** The outcome of the last check of each machine. */
  readonly machineProofs: MachineProofs;
  /** Probes machines again while they run. */
  readonly runningProofs: RunningProofs;
  /** The windows that are connected to instances. */
  readonly connectedWindows: ConnectedWindows;
  /** What of ours uses instances: windows, terminals, ports, transfers, jobs, over all windows. */
  readonly presence: Presence;
  readonly machineServices: SaidByMachine<readonly FoundService[]>;
  readonly machineSetUps: SaidByMachine<SetUpSeen>;
  /** The idle time of instances, known to the leading window. */
  readonly idle: IdleWatch;
  /** Messages from the window that detects something to the window that shows it. */
  readonly notices: Notices;
  /** The logs of instances, which outlive them. */
  readonly keptLogs: KeptLogs;
  /** What would be lost with instances, and whether the product must load for it. */
  readonly work: WorkOnInstances;
  /** Receives the calls of agents outside of the editor. */
  readonly agentDoor: AgentDoor;
  /** Failed machines, which a replacement avoids. */
  readonly failedMachines: FailedMachines;
  /** Searches of the last minute, over all windows. */
  readonly searchBudget: SearchBudget;
  /** Searches that repeat until an offer is cheap enough. */
  readonly searchWatches: SearchWatches;
  /** Offers that are pinned for comparison. */
  readonly offerPins: OfferPins;
  readonly templates: Reading<readonly Template[]>;
  /** What a workspace file may have beyond its recipe. */
  readonly workspaceParts: WorkspaceParts;
  /** Single templates and their documents. */
  readonly templateStores: TemplateStores;
  readonly sshKeys: Reading<readonly SshKey[]>;
  readonly volumes: Reading<readonly Volume[]>;
  /** Asks before a program from the settings runs for the first time. */
  readonly sshConsent: Pick<SshConsent, 'ask'>;
  readonly ssh: SshService;
}
