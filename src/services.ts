import type * as vscode from 'vscode';
import type { NetworkSettings } from './api/chooseTransport';
import type { ViewId } from './contributions';
import type { CommandTable } from './editor/commands';
import type { ContextKeySetter } from './editor/contextKeys';
import type { LazyFileSystem } from './editor/lazyFileSystem';
import type { LazyTree } from './editor/lazyTree';
import type { Report } from './editor/report';
import type { SettingsReader } from './editor/settings';
import type { SshConsent } from './sshConsent';
import type { TreeGroups } from './editor/treeGroups';
import type { SshService } from './ssh/service';
import type { Shell } from './shell';
import type { AgentDesk } from './store/agents/agentDesk';
import type { AgentLimitStore } from './store/agents/agentLimits';
import type { AgentTools } from './store/agents/agentTools';
import type { AgentDoor } from './store/windows/agentDoor';
import type { AccountCleanup } from './store/accounts/accountCleanup';
import type { Budget } from './store/budget/budgetStore';
import type { SessionAccess } from './store/accounts/sessionRenewal';
import type { KeyAccess } from './store/accounts/keyAccess';
import type { SecondFactorGate } from './store/accounts/secondFactor';
import type { OneWindow } from './shared/oneWindow';
import type { WindowInUse } from './store/accounts/windowInUse';
import type {
  Account,
  AccountChanges,
  Accounts,
  OtherAccounts,
  Fleet,
  SecretPort,
  SshKeyList,
  TemplateList,
  VolumeList,
  WindowHub,
} from './store/ports';
import type { ConnectedWindows } from './store/windows/connectedWindows';
import type { FailedMachines } from './store/rentals/failedMachines';
import type { IdleWatch } from './store/leases/idleWatch';
import type { OtherAccountLeases } from './store/leases/otherAccountLeases';
import type { InstanceLeases } from './store/leases/instanceLeases';
import type { GaugeHistory } from './store/instances/gaugeHistory';
import type { Jobs } from './store/jobs/jobs';
import type { MachinePort } from './store/jobs/machinePort';
import type { Notices } from './store/windows/notices';
import type { OfferPins } from './store/offers/offerPins';
import type { Presence } from './store/leases/presence';
import type { RentalHistory } from './store/history/rentalHistory';
import type { MachineChecks } from './store/rentals/checkRuns';
import type { MachineProofs } from './store/rentals/machineProofs';
import type { StartWatches } from './store/rentals/startWatchPort';
import type { RentalStore } from './store/rentals/rentalStore';
import type { SearchBudget } from './store/offers/searchBudget';
import type { SearchWatches } from './store/offers/searchWatches';
import type { TemplateStores } from './store/templates/templateStores';
import type { Clock } from './util/clock';
import type { Log } from './util/log';
import type { Redactor } from './util/redact';

/** The demo marketplace, started when it is first needed. */
export interface Demo {
  /** Starts it where it does not run; the key goes into the secret store by signing in with it. */
  prepare(): Promise<{ readonly serviceUrl: string; readonly apiKey: string }>;
}

/** The long-lived objects; a feature takes the ones it needs with `Pick<Services, …>`. */
export interface Services {
  readonly extensionUri: vscode.Uri;
  /** On disk, one folder for all windows of this user. */
  readonly storageDir: string;
  readonly globalState: vscode.Memento;
  /** Reading throws where no key may be read, and where the store takes too long. */
  readonly secrets: SecretPort;
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
  /** Further headings in the instances view. */
  readonly instanceGroups: TreeGroups;
  /** Headings in the account view. */
  readonly accountGroups: TreeGroups;
  readonly templateFiles: LazyFileSystem;
  /** Takes links to the extension, see `features/links`. */
  readonly links: Shell['links'];
  /** Takes the calls of the chat of the editor, see `features/agents`. */
  readonly chat: Shell['chat'];
  readonly hub: WindowHub;
  readonly demo: Demo;
  readonly accounts: Accounts & OtherAccounts & AccountChanges & SessionAccess;
  /** What an account leaves when it is signed out. */
  readonly accountCleanup: AccountCleanup;
  /** What the key in use may do. */
  readonly keyAccess: KeyAccess;
  readonly secondFactor: SecondFactorGate;
  readonly windowInUse: WindowInUse;
  /** What shall happen once over all windows. */
  readonly oneWindow: Pick<OneWindow, 'offer'>;
  readonly fleet: Fleet;
  /** How much of each machine was in use over the last hour. */
  readonly gauges: GaugeHistory;
  /** What the account has spent of its limits a day and a month. */
  readonly budget: Budget;
  readonly rentals: RentalStore;
  /** Rentals that are over, and the logs of their instances. */
  readonly history: RentalHistory;
  /** Machines on their way, and what happens to them. */
  readonly startWatches: StartWatches;
  /** Looks at a machine over SSH. */
  readonly machineChecks: MachineChecks;
  /** What the last look at each machine came to. */
  readonly machineProofs: MachineProofs;
  /** The windows that are connected to instances. */
  readonly connectedWindows: ConnectedWindows;
  /** What of ours is open on instances, over all windows. */
  readonly presence: Presence;
  /** Since when instances are not used; known to the window that leads. */
  readonly idle: IdleWatch;
  /** When instances are to be stopped or destroyed. */
  readonly leases: InstanceLeases;
  readonly otherLeases: OtherAccountLeases;
  /** From the window that finds something out to the one that tells it. */
  readonly notices: Notices;
  /** Commands that run to their end on machines. */
  readonly jobs: Jobs;
  /** What runs jobs on an instance. */
  readonly jobMachine: (account: Account, instanceId: number) => MachinePort;
  /** How far agents may go. */
  readonly agentLimits: AgentLimitStore;
  /** What agents asked for; opened where they are let in. */
  readonly agentDesk: () => AgentDesk;
  /** What agents can call, through the chat and MCP. */
  readonly agentTools: AgentTools;
  /** Which instances agents rented, and what each of them calls itself. */
  readonly rentedByAgents: () => Promise<ReadonlyMap<number, string>>;
  /** Where agents outside of the editor ask. */
  readonly agentDoor: AgentDoor;
  /** Avoided when a machine is replaced. */
  readonly failedMachines: FailedMachines;
  /** Searches of the last minute, over all windows. */
  readonly searchBudget: SearchBudget;
  /** Searches that are repeated until something is cheap enough. */
  readonly searchWatches: SearchWatches;
  /** Offers put aside to be compared. */
  readonly offerPins: OfferPins;
  readonly templates: TemplateList;
  /** Single templates and their documents. */
  readonly templateStores: TemplateStores;
  readonly sshKeys: SshKeyList;
  readonly volumes: VolumeList;
  /** Asked before the first program of a setting runs. */
  readonly sshConsent: Pick<SshConsent, 'ask'>;
  readonly ssh: SshService;
}
