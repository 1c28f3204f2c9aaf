import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { makeClient } from './accountClient';
import { DemoProcess } from './demo/demoProcess';
import { budgetLimits } from './editor/budgetLimits';
import { CommandTable } from './editor/commands';
import { ContextKeySetter } from './editor/contextKeys';
import { currentPlace } from './editor/currentPlace';
import { t } from './editor/localize';
import { OutputLog } from './editor/outputLog';
import { Report } from './editor/report';
import { SettingsReader } from './editor/settings';
import { StatusItem } from './editor/statusItem';
import { TreeGroups } from './editor/treeGroups';
import { setWindowParts } from './editor/windowParts';
import { secretPort, warnAboutSetting, windowNameIn } from './editorPorts';
import { createMachineChecks, type MachineChecksDeps } from './machineChecks';
import { foundServices } from './model/instances/foundServices';
import { setUpSeen } from './model/instances/setUpSteps';
import { networkSettings } from './networkTransport';
import type { Services } from './services';
import { OneWindow, type WindowFocus } from './shared/oneWindow';
import { AccountReading, isSameList, type ReadingDeps } from './shared/reading';
import type { Shell } from './shell';
import { aliasOf } from './ssh/alias';
import { nodeSshDeps } from './ssh/nodeSsh';
import { sameKey } from './ssh/publicKey';
import { createSshService, type SshService } from './ssh/service';
import { SshConsent } from './sshConsent';
import { AccountCleanup } from './store/accounts/accountCleanup';
import { createAccounts, type Account, type Accounts } from './store/accounts/accounts';
import { guardedSecrets } from './store/accounts/guardedSecrets';
import { KeptSecrets, secretKeysOf } from './store/accounts/keptSecrets';
import { KeyAccess } from './store/accounts/keyAccess';
import { OwnActions } from './store/accounts/ownActions';
import { patientSecrets, type SecretPort } from './store/accounts/patientSecrets';
import { SecondFactorGate } from './store/accounts/secondFactor';
import { WindowInUse } from './store/accounts/windowInUse';
import { BudgetStore, type BudgetDeps } from './store/budget/budgetStore';
import { AttachedKeys } from './store/instances/attachedKeys';
import { createFleet } from './store/instances/fleet';
import { GaugeHistory } from './store/instances/gaugeHistory';
import { IdleWatch, openUsageFile, type IdleWatchDeps } from './store/instances/idleWatch';
import { KeptLogs } from './store/instances/keptLogs';
import { MaintenanceWatch } from './store/instances/maintenanceWatch';
import { PriceWatch } from './store/instances/priceWatch';
import { SaidByMachine } from './store/instances/saidByMachine';
import { SharedAccesses } from './store/instances/sharedAccesses';
import { WorkOnInstances } from './store/instances/workOnInstances';
import { OfferPins } from './store/offers/offerPins';
import { SearchBudget } from './store/offers/searchBudget';
import { SearchWatches } from './store/offers/searchWatches';
import { FailedMachines } from './store/rentals/failedMachines';
import { MachineProofs } from './store/rentals/machineProofs';
import { rentalSecretKeys } from './store/rentals/rentalJournal';
import { createRentals } from './store/rentals/rentals';
import { RunningProofs, type RunningProofsDeps } from './store/rentals/runningProofs';
import type { StartWatchesDeps } from './store/rentals/startWatchPort';
import { createStartWatches } from './store/rentals/startWatches';
import { storedSecrets } from './store/templates/templateSecrets';
import { TemplateStorage } from './store/templates/templateStorage';
import { createTemplateStores } from './store/templates/templateStores';
import { ConnectedWindows } from './store/windows/connectedWindows';
import { Notices } from './store/windows/notices';
import { Presence } from './store/windows/presence';
import { SharedPacing } from './store/windows/sharedPacing';
import { createWindowHub, type WindowHub } from './store/windows/windowHub';
import { WorkspaceParts } from './store/workspaceParts';
import { atTruePace, type Clock } from './util/clock';
import { fileLock } from './util/fileLock';
import { Redactor } from './util/redact';
import { homeFolder } from './util/thisUser';
import type { Own } from './wing';

/** Makes all long-lived objects. Everything ends with the context. */
export async function createServices(
  context: vscode.ExtensionContext,
  shell: Shell,
  clock: Clock,
): Promise<Services> {
  setWindowParts({ clock });
  const storageDir = context.globalStorageUri.fsPath;
  await mkdir(storageDir, { recursive: true, mode: 0o700 });
  const own: Own = (item) => {
    context.subscriptions.push(item);
    return item;
  };
  const guarded = guardedSecrets(secretPort(context.secrets), currentPlace(context));
  const secrets = patientSecrets(guarded, atTruePace(clock));
  const editor = editorServices(own);
  const demo = own(makeDemo(context, storageDir, clock, editor.log));
  const sshConsent = new SshConsent(context.globalState, editor.settings);
  const sshSettings = () => ({ ...sshConsent.agreed(), keepsSharedTmux: keepsSharedTmux(editor.settings) });
  const ssh = createSshService({
    ...nodeSshDeps(editor.log, clock, sshSettings),
    startTokenOf: (alias) => startTokenOf(state, alias),
  });
  const state = sharedState({
    own,
    storageDir,
    windowName: windowNameIn(context.workspaceState),
    secrets,
    demo,
    clock,
    ssh,
    sshConsent,
    ...editor,
  });
  return {
    extensionUri: context.extensionUri,
    storageDir,
    globalState: context.globalState,
    workspaceState: context.workspaceState,
    secrets,
    clock,
    ...editor,
    network: () => networkSettings(editor.settings),
    trees: shell.trees,
    statusItem: own(new StatusItem()),
    instanceGroups: new TreeGroups(),
    accountGroups: new TreeGroups(),
    templateFiles: shell.templateFiles,
    machineFiles: shell.machineFiles,
    fileDrops: shell.fileDrops,
    links: shell.links,
    chat: shell.chat,
    accountsMenu: shell.accountsMenu,
    otherExtensions: shell.otherExtensions,
    demo: {
      prepare: async () => {
        const apiKey = DemoProcess.makeKey();
        editor.redactor.addSecret(apiKey);
        return { serviceUrl: await demo.ensure(apiKey), apiKey };
      },
    },
    ...state,
    sshConsent,
    ssh,
  };
}

function keepsSharedTmux(settings: SettingsReader): boolean {
  return settings.get('gpuRental.terminal.tmux') === 'service';
}

/** Returns the token of the start line of an instance that the active account rented on this computer. */
function startTokenOf(
  { accounts, rentals }: Pick<Services, 'accounts' | 'rentals'>,
  alias: string,
): string | undefined {
  const { active } = accounts;
  return rentals.rentals.find(
    ({ phase }) => active && 'instanceId' in phase && aliasOf(active, phase.instanceId) === alias,
  )?.startToken;
}

/** Makes the adapters to the editor. */
function editorServices(own: Own) {
  const redactor = new Redactor();
  const channel = vscode.window.createOutputChannel(t('GPU Rental'), { log: true });
  const log = own(new OutputLog(channel, redactor));
  const settings = new SettingsReader((key, value) => {
    warnAboutSetting(key, value);
  });
  const report = new Report(log, redactor, {
    showLog: () => {
      log.show();
    },
    openSettings: () =>
      vscode.commands.executeCommand('workbench.action.openSettings', '@ext:gpu-rental.gpu-rental'),
  });
  const commands = new CommandTable((error, retry) => {
    report.error(error, { retry });
  });
  setWindowParts({ commands, report: (error) => report.error(error) });
  return { redactor, log, settings, report, commands, contextKeys: own(new ContextKeySetter()) };
}

interface SharedDeps {
  readonly own: Own;
  readonly storageDir: string;
  readonly windowName: string;
  readonly secrets: SecretPort;
  readonly demo: DemoProcess;
  readonly clock: Clock;
  readonly log: OutputLog;
  readonly redactor: Redactor;
  readonly settings: SettingsReader;
  readonly report: Report;
  readonly ssh: SshService;
  readonly sshConsent: SshConsent;
}

type StartDeps = Pick<SharedDeps, 'own' | 'settings'> &
  Omit<StartWatchesDeps, 'limits' | 'checks'> &
  Omit<RunningProofsDeps, 'aliasOf' | 'isWanted' | 'probe' | 'proofs'> &
  Omit<MachineChecksDeps, 'proofs'>;

function saidByMachines(deps: ConstructorParameters<typeof SaidByMachine>[0], own: Own) {
  return {
    machineServices: own(new SaidByMachine(deps, 'machine.services', foundServices)),
    machineSetUps: own(new SaidByMachine(deps, 'machine.setUp', setUpSeen)),
  };
}

/** Makes the state that all windows of this user share. */
function sharedState(deps: SharedDeps) {
  const { own, storageDir, secrets, clock, log, settings, report } = deps;
  const hub = own(createWindowHub({ storageDir, clock, log }));
  const searchBudget = own(new SearchBudget(clock, hub));
  const windowInUse = own(new WindowInUse(windowFocus(own), hub, clock));
  const onError = (error: unknown) => report.error(error);
  const oneWindow = own(new OneWindow({ hub, focus: windowInUse, clock, log, onError }));
  const ofAccounts = accountServices({ ...deps, hub, windowInUse });
  const { accounts } = ofAccounts;
  const fleet = own(createFleet({ accounts, hub, storageDir, clock, log }));
  const lists = listServices({ own, accounts, hub, clock });
  const { volumes } = lists;
  const failedMachines = new FailedMachines(storageDir, () => accounts.active?.key, log);
  const budget = budgetService({ own, accounts, fleet, volumes, hub, clock, log, settings });
  const work = own(new WorkOnInstances());
  const rentals = own(
    createRentals({
      ...deps,
      accounts,
      fleet,
      budget,
      hub,
      guarded: (config, ...more) =>
        work.guarded({ ...config, keepsSharedTmux: keepsSharedTmux(settings) }, ...more),
    }),
  );
  const presence = own(new Presence({ hub, clock }));
  const said = saidByMachines({ hub, fleet, clock }, own);
  const notices = own(new Notices(hub));
  own(new PriceWatch({ accounts, fleet, clock, log, notices }));
  own(new MaintenanceWatch({ accounts, fleet, clock, log, notices }));
  const windows = { hub, oneWindow, presence, notices };
  const starts = startServices({ ...deps, ...lists, ...windows, accounts, fleet, rentals, ...said });
  const ofRentals = (accountKey: string) => rentalSecretKeys(storageDir, accountKey);
  const secretKeys = [(key: string) => secretKeysOf(secrets, key), ofRentals];
  return {
    ...windows,
    ...said,
    ...ofAccounts,
    accountCleanup: own(new AccountCleanup({ storageDir, secrets, hub, log, secretKeys })),
    windowInUse,
    fleet,
    gauges: own(new GaugeHistory({ accounts, fleet, hub, clock })),
    budget,
    rentals,
    ...starts,
    sharedAccess: own(new SharedAccesses({ ...deps, ...windows, accounts, fleet, isSameKey: sameKey })),
    connectedWindows: own(new ConnectedWindows(hub)),
    work,
    workspaceParts: own(new WorkspaceParts()),
    idle: own(idleWatch({ ...deps, accounts, fleet, hub, presence })),
    agentDoor: hub.agents,
    failedMachines,
    searchBudget,
    searchWatches: own(new SearchWatches({ accounts, hub, budget: searchBudget, clock, log, storageDir })),
    offerPins: new OfferPins(),
    ...secretServices({ ...deps, accounts, hub }),
    ...lists,
  };
}

/** Makes the accounts, and what belongs to the requests of each. */
function accountServices(deps: SharedDeps & { readonly hub: WindowHub; readonly windowInUse: WindowInUse }) {
  const { own, storageDir, hub, windowInUse, secrets, demo, clock, log, redactor, settings } = deps;
  const pacing = own(new SharedPacing({ hub, clock, isInFront: () => windowInUse.isFocused }));
  // Whether another window has fallen silent depends on this computer, at any pace.
  const secondFactor = own(new SecondFactorGate(hub, windowInUse, atTruePace(clock), log));
  const keptLogs = new KeptLogs({ storageDir, clock, log, redact: (content) => redactor.redact(content) });
  const ownActions = new OwnActions({ storageDir, window: () => vscode.workspace.name, clock, log });
  const accounts = own(
    createAccounts({
      secrets,
      storageDir,
      hub,
      clock,
      log,
      onSecret: (value) => redactor.addSecret(value),
      secondFactor,
      hooksOf: (accountKey) => ({
        pacing: pacing.of(accountKey),
        ...keyAccess.hooksOf(accountKey),
        ...ownActions.hooksOf(accountKey),
      }),
      onDidRecover: pacing.onDidRecover,
      createClient: ({ accountKey, ...ofAccount }) => {
        const client = makeClient({ own, demo, clock, log, redactor, settings }, ofAccount);
        return accountKey === undefined ? client : keptLogs.around(client, accountKey);
      },
    }),
  );
  const keyAccess: KeyAccess = own(new KeyAccess({ accounts, hub, storageDir, clock, log }));
  return { accounts, keyAccess, keptLogs, ownActions, secondFactor };
}

/** Makes the secrets of this computer, and the templates, whose documents refer to them. */
function secretServices(deps: SharedDeps & { readonly accounts: Accounts; readonly hub: WindowHub }) {
  const { own, storageDir, secrets, clock, log, redactor } = deps;
  const lock = (name: string) => fileLock(join(storageDir, name), clock);
  const memory = new TemplateStorage(storageDir, log, lock('templates.lock'), () => storedSecrets(secrets));
  const keptSecrets = new KeptSecrets({
    secrets,
    lock: lock('secrets.lock'),
    clock,
    onSecret: (value) => redactor.addSecret(value),
    earlierUses: (accountKey) => memory.earlierUses(accountKey),
  });
  return { keptSecrets, templateStores: own(createTemplateStores({ ...deps, memory, keptSecrets })) };
}

function idleWatch(
  deps: Pick<IdleWatchDeps, 'accounts' | 'fleet' | 'hub' | 'presence'> & SharedDeps,
): IdleWatch {
  const { storageDir, log } = deps;
  return new IdleWatch({
    ...deps,
    aliasOf,
    file: (accountKey) => openUsageFile(storageDir, accountKey, log),
  });
}

function budgetService({
  own,
  settings,
  ...shared
}: Omit<BudgetDeps, 'limits' | 'onDidChangeLimits'> & Pick<SharedDeps, 'own' | 'settings'>) {
  return own(
    new BudgetStore({
      ...shared,
      limits: () => budgetLimits(settings),
      onDidChangeLimits: (listener) => settings.onDidChange('gpuRental.budget', listener),
    }),
  );
}

/** Makes the services that follow a machine's start until a login worked and its GPUs answered. */
function startServices(deps: StartDeps) {
  const { own, settings } = deps;
  const machineProofs = own(new MachineProofs(deps));
  const machineChecks = createMachineChecks({ ...deps, proofs: machineProofs });
  const limits = () => ({
    timeoutMs: settings.get('gpuRental.ready.timeoutMinutes') * 60_000,
    checksLogin: settings.get('gpuRental.ready.checkLogin'),
  });
  const isWanted = () => settings.get('gpuRental.ready.checkLogin');
  const again = {
    aliasOf: (account: Account, id: number) => deps.ssh.aliasOf(account, id),
    isWanted,
    probe: machineChecks.probeAgain,
    proofs: machineProofs,
  };
  return {
    machineProofs,
    machineChecks,
    runningProofs: own(new RunningProofs({ ...deps, ...again })),
    attachedKeys: new AttachedKeys(deps.clock),
    startWatches: own(createStartWatches({ ...deps, checks: machineChecks, limits })),
  };
}

/** Makes the lists that are read when a view shows them. */
function listServices(shared: {
  readonly own: Own;
  readonly accounts: Accounts;
  readonly hub: WindowHub;
  readonly clock: Clock;
}) {
  const { own, accounts, hub, clock } = shared;
  const list = <T>(
    name: string,
    read: ReadingDeps<Account, readonly T[]>['read'],
    versionOf?: (item: T) => string,
  ) => {
    const isSame = (one: readonly T[], other: readonly T[]) => isSameList(one, other, versionOf);
    return own(new AccountReading({ accounts, clock, read, talk: { hub, topic: `list.${name}`, isSame } }));
  };
  return {
    templates: list(
      'templates',
      (account, options) => account.client.templates.search({}, options),
      // The hash changes with each edit (docs/service/templates.md#edit).
      ({ id, hashId }) => `${id}/${hashId}`,
    ),
    sshKeys: list('sshKeys', (account, options) => account.client.sshKeys.list(options)),
    volumes: list('volumes', (account, options) => account.client.volumes.list(options)),
  };
}

function makeDemo(
  context: vscode.ExtensionContext,
  storageDir: string,
  clock: Clock,
  log: OutputLog,
): DemoProcess {
  const dir = join(storageDir, 'demo');
  return new DemoProcess({
    dir,
    // The start of a program takes the time of this computer, at any pace.
    lock: fileLock(join(dir, 'starting.lock'), atTruePace(clock)),
    homesDir: join(homeFolder(), 'gpu-rental-demo'),
    script: vscode.Uri.joinPath(context.extensionUri, 'dist', 'simulator.js').fsPath,
    runtime: process.execPath,
    log,
  });
}

function windowFocus(own: Own): WindowFocus {
  const focus = own(new vscode.EventEmitter<boolean>());
  own(
    vscode.window.onDidChangeWindowState(({ focused }) => {
      focus.fire(focused);
    }),
  );
  return {
    get isFocused() {
      return vscode.window.state.focused;
    },
    onDidChange: (listener) => focus.event(listener),
  };
}
