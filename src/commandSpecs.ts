import * as z from 'zod';
import { isObject, isUri, named, pathOfFile, severalNamed, spec, type Spec } from './commandShapes';
import type { PermissionCategory } from './model/accounts/apiKey';
import { setUpSteps } from './model/instances/setUpSteps';
import { templateIdOf } from './model/templates/templateUri';
import { ownCommands } from './ownCommands';

/** The one table of commands; `test/unit/contributions.test.ts` compares it with `package.json`. */

const id = z.int().nonnegative();
const instance = named({ instanceId: id });
const instances = [instance, severalNamed({ instanceId: id })] as const;
const machine = named({ machineId: id });
const volume = named({ volumeId: id });
const volumes = [volume, severalNamed({ volumeId: id })] as const;
/** A past rental, by its instance id. */
const past = named({ pastId: id });
/** An instance or a place on it, then the selected ones. A row with a note is none. */
const placeShape = { instanceId: id, remotePath: z.string().optional(), note: z.string().optional() };
const places = [named(placeShape), severalNamed(placeShape)] as const;
/** An instance or a volume, from which data is copied. */
const copied = z.preprocess(
  (given) => (isObject(given) && ('instanceId' in given || 'volumeId' in given) ? given : undefined),
  z.union([z.object({ instanceId: id }).readonly(), z.object({ volumeId: id }).readonly()]).optional(),
);
const sshKey = named({ sshKeyId: id });
/** A secret in the secret store of this computer, or else a variable of the account. */
const secret = named({ secretName: z.string(), isKeptHere: z.literal(true).optional() });
const query = named({ query: z.unknown(), name: z.string().max(200).optional() });
/** A port, by its number in the container, and its address if it is forwarded. Without a protocol it is one of TCP. */
const port = named({
  port: id,
  instanceId: id,
  via: z.enum(['public', 'forward']),
  protocol: z.enum(['tcp', 'udp']).optional(),
  host: z.string().optional(),
});
/** A service that a machine has, by its port and path. */
const service = named({ serviceKey: z.string(), instanceId: id });
/** A terminal that keeps running on an instance, without a name any of them. */
const terminal = named({ instanceId: id, terminalName: z.string().optional() });
/** A file or folder of an instance, one character for each byte of its path; with a note, a row about it. */
const remoteFile = named({ remotePath: z.string(), instanceId: id, note: z.string().optional() });
/** A folder that is mirrored to an instance, by a key of its own. */
const mirror = named({ mirrorKey: z.string(), instanceId: id });
/** A file that differs between a mirrored folder and its instance, by its name below the folder. */
const mirroredFile = { mirroredFile: z.string(), mirrorKey: z.string(), instanceId: id };
const mirroredFiles = [named(mirroredFile), severalNamed(mirroredFile)] as const;
/** A running instance, or a folder of this computer in the explorer. */
const mirrorEnd = z.preprocess(
  (given) => {
    const localFolder = pathOfFile(given);
    return localFolder === undefined ? given : { localFolder };
  },
  z
    .union([z.object({ localFolder: z.string() }).readonly(), z.object({ instanceId: id }).readonly()])
    .optional()
    .catch(undefined),
);
/** A parked workspace. */
const parked = named({ parkedId: z.string() });
/** A step of the set-up of an instance, or all of it. */
const setUp = named({ instanceId: id, setUpStep: z.enum(setUpSteps).optional() });
/** A kernel that runs on an instance. */
const kernel = named({ kernelId: z.string(), instanceId: id });
/** A key below an instance, by the service's id. */
const instanceKey = named({ instanceId: id, keyId: id.optional() });
/** A template; a row of a list also names its group. */
const template = z.preprocess(
  (given) => {
    const templateId = isUri(given) ? templateIdOf(given) : undefined;
    return templateId === undefined ? given : { templateId };
  },
  named({ templateId: id, group: z.unknown().optional() }),
);
const localPath = z.string().optional();
/** A file or folder of this computer in the explorer, then all that are selected, as paths. */
const localFiles = [
  z.preprocess((given) => pathOfFile(given), localPath),
  z.preprocess(
    (given) => (Array.isArray(given) ? given.flatMap((one) => pathOfFile(one) ?? []) : undefined),
    z.array(z.string()).readonly().optional(),
  ),
] as const;
/** A document, open or on disk. */
const asDocument = (given: unknown) => (isUri(given) ? { uri: given.toString() } : given);
const document = z.preprocess(asDocument, named({ uri: z.string() }));
/** The same to debug, with what a launch.json says of it. */
const debugged = z.preprocess(
  asDocument,
  named({
    uri: z.string(),
    args: z.array(z.string()).max(1000).readonly().optional(),
    justMyCode: z.boolean().optional(),
  }),
);
/** A job of a workspace file, whose address it names, or the instance for a job that the user picks. */
const job = z.preprocess(
  (given) => (isObject(given) && ('uri' in given || 'instanceId' in given) ? given : undefined),
  z
    .union([
      z.object({ uri: z.string(), jobName: z.string().optional() }).readonly(),
      z.object({ instanceId: id }).readonly(),
    ])
    .optional(),
);
/** A job that ran. */
const jobRow = named({ jobId: z.string() });
/** A job of a workspace file, or one that ran. */
const exported = z.preprocess(
  (given) => (isObject(given) && ('uri' in given || 'jobId' in given) ? given : undefined),
  z
    .union([
      z.object({ uri: z.string(), jobName: z.string().optional() }).readonly(),
      z.object({ jobId: z.string() }).readonly(),
    ])
    .optional(),
);
/** A folder of an instance, or a job for its outputs there. */
const logs = z.preprocess(
  (given) => (isObject(given) && ('remotePath' in given || 'jobId' in given) ? given : undefined),
  z
    .union([
      z.object({ remotePath: z.string(), instanceId: id, note: z.string().optional() }).readonly(),
      z.object({ jobId: z.string() }).readonly(),
    ])
    .optional(),
);
/** A page of the package for users. */
const guide = z.enum(['jobs', 'notebooks', 'tools', 'agents']).optional().catch(undefined);
/** A row of the account view chooses the page. */
const page = z.object({ part: z.unknown(), kind: z.unknown() }).partial().optional().catch(undefined);

export type InstanceTarget = NonNullable<z.output<typeof instance>>;
export type TemplateTarget = NonNullable<z.output<typeof template>>;
export type SecretTarget = NonNullable<z.output<typeof secret>>;
export type SshKeyTarget = NonNullable<z.output<typeof sshKey>>;
export type InstanceKeyTarget = NonNullable<z.output<typeof instanceKey>>;
export type CopiedTarget = NonNullable<z.output<typeof copied>>;
export type VolumeTarget = NonNullable<z.output<typeof volume>>;
export type PastTarget = NonNullable<z.output<typeof past>>;
export type PlaceTarget = NonNullable<z.output<(typeof places)[0]>>;
export type Guide = NonNullable<z.output<typeof guide>>;
export type PageTarget = NonNullable<z.output<typeof page>>;
export type RemoteFileTarget = NonNullable<z.output<typeof remoteFile>>;
export type MirrorTarget = NonNullable<z.output<typeof mirror>>;
export type MirroredFileTarget = z.output<z.ZodObject<typeof mirroredFile>>;
export type MirrorEnd = NonNullable<z.output<typeof mirrorEnd>>;
export type ParkedTarget = NonNullable<z.output<typeof parked>>;
export type SetUpTarget = NonNullable<z.output<typeof setUp>>;
export type KernelTarget = NonNullable<z.output<typeof kernel>>;
export type ServiceTarget = NonNullable<z.output<typeof service>>;
export type TerminalTarget = NonNullable<z.output<typeof terminal>>;
export type PortTarget = NonNullable<z.output<typeof port>>;
export type JobTarget = NonNullable<z.output<typeof job>>;
export type JobRowTarget = NonNullable<z.output<typeof jobRow>>;
export type ExportTarget = NonNullable<z.output<typeof exported>>;
export type DocumentTarget = NonNullable<z.output<typeof document>>;
export type DebugTarget = NonNullable<z.output<typeof debugged>>;

const rent: readonly PermissionCategory[] = ['misc', 'instance_write'];
const change: readonly PermissionCategory[] = ['instance_write'];
const instanceRead: readonly PermissionCategory[] = ['instance_read'];
const account: readonly PermissionCategory[] = ['user_write'];

/** Declared in `package.json`; a tree passes its node, then all selected nodes. */
const contributed = {
  'gpuRental.signIn': spec('account'),
  'gpuRental.signOut': spec('account'),
  'gpuRental.replaceKey': spec('account'),
  'gpuRental.renameAccount': spec('account'),
  'gpuRental.switchAccount': spec('account'),
  'gpuRental.tryDemo': spec('account'),
  'gpuRental.tfa.signIn': spec('security'),
  'gpuRental.getStarted': spec('account'),
  'gpuRental.searchOffers': spec('search', { needs: ['misc'] }),
  'gpuRental.compareOffers': spec('hosting'),
  'gpuRental.watchSearch': spec('searchWatch', { args: [query] }),
  'gpuRental.manageWatches': spec('searchWatch'),
  'gpuRental.rentFromTemplate': spec('rent', { args: [template], needs: rent }),
  'gpuRental.machine.setMinimumBid': spec('hosting', { args: [machine], needs: ['machine_write'] }),
  'gpuRental.machine.scheduleMaintenance': spec('hosting', { args: [machine], needs: ['machine_write'] }),
  'gpuRental.machine.cancelMaintenance': spec('hosting', {
    args: [named({ machineId: id, maintenanceId: id.optional() })],
    needs: ['machine_write'],
  }),
  'gpuRental.earnings.show': spec('hosting', { needs: ['billing_read'] }),
  'gpuRental.market.show': spec('hosting', { needs: ['machine_read'] }),
  'gpuRental.spending.show': spec('hosting'),
  'gpuRental.activity.show': spec('hosting'),
  'gpuRental.deployment.stop': spec('hosting', { args: [named({ deploymentId: id })], needs: change }),
  'gpuRental.deployment.start': spec('hosting', { args: [named({ deploymentId: id })], needs: change }),
  'gpuRental.template.create': spec('templates', { needs: account }),
  'gpuRental.template.edit': spec('templates', { args: [template] }),
  'gpuRental.template.duplicate': spec('templates', { args: [template], needs: account }),
  'gpuRental.template.delete': spec('templates', {
    args: [template, severalNamed({ templateId: id })],
    needs: account,
  }),
  'gpuRental.template.search': spec('templates'),
  'gpuRental.template.copyId': spec('templates', { args: [template] }),
  'gpuRental.template.copyHash': spec('templates', { args: [template] }),
  'gpuRental.template.copyLink': spec('links', { args: [template] }),
  'gpuRental.template.openImagePage': spec('templates', { args: [template] }),
  'gpuRental.template.export': spec('templates', { args: [template] }),
  'gpuRental.template.import': spec('templates', { args: [document], needs: account }),
  'gpuRental.template.addFavourite': spec('templates', { args: [template] }),
  'gpuRental.template.removeFavourite': spec('templates', { args: [template] }),
  'gpuRental.template.preview': spec('documents', { args: [document] }),
  'gpuRental.template.findOffers': spec('documents', { args: [document] }),
  'gpuRental.template.compare': spec('documents', { args: [template] }),
  'gpuRental.template.useMine': spec('documents', { args: [template] }),
  'gpuRental.template.useTheirs': spec('documents', { args: [template] }),
  'gpuRental.template.merge': spec('documents', { args: [template] }),
  'gpuRental.rentForWorkspace': spec('jobs', { needs: rent }),
  'gpuRental.workspaceFile.create': spec('jobs'),
  'gpuRental.openSample': spec('jobs'),
  'gpuRental.openGuide': spec('guides', { args: [guide] }),
  'gpuRental.forgetFailedMachines': spec('readiness'),
  'gpuRental.refresh': spec('instances'),
  'gpuRental.showLog': spec('instances'),
  'gpuRental.copyDiagnostics': spec('diagnostics'),
  'gpuRental.saveSupportBundle': spec('diagnostics'),
  'gpuRental.instance.rentAnother': spec('rent', { args: [instance], needs: rent }),
  'gpuRental.instance.open': spec('instancePage', { args: [instance] }),
  'gpuRental.instance.connect': spec('connect', { args: [instance] }),
  'gpuRental.instance.connectHere': spec('connect', { args: [instance] }),
  'gpuRental.instance.openTerminal': spec('connect', { args: [instance] }),
  'gpuRental.instance.copySshCommand': spec('connect', { args: [instance] }),
  'gpuRental.instance.start': spec('lifecycle', { args: instances, needs: change }),
  'gpuRental.instance.stop': spec('lifecycle', { args: instances, needs: change }),
  'gpuRental.instance.reboot': spec('lifecycle', { args: instances, needs: change }),
  'gpuRental.instance.recycle': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.takeSnapshot': spec('templates', { args: [instance], needs: change }),
  'gpuRental.instance.changeImage': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.destroy': spec('lifecycle', { args: instances, needs: change }),
  'gpuRental.instance.setSchedule': spec('schedules', { args: [instance], needs: change }),
  'gpuRental.setBudget': spec('budget'),
  'gpuRental.notices': spec('notifications', { needs: account }),
  'gpuRental.reviewPriceIncreases': spec('warnings', { needs: change }),
  'gpuRental.instance.rename': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.changeBid': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.runCommand': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.showLogs': spec('lifecycle', { args: [instance], needs: instanceRead }),
  'gpuRental.instance.showDetails': spec('lifecycle', { args: [instance] }),
  'gpuRental.instance.reportMachine': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.check': spec('readiness', { args: [instance] }),
  'gpuRental.instance.attachKey': spec('sshKeys', { args: [instance], needs: change, result: z.boolean() }),
  'gpuRental.instance.detachKey': spec('sshKeys', { args: [instanceKey], needs: change }),
  'gpuRental.instance.shareAccess': spec('sshKeys', { args: [instance], needs: change }),
  'gpuRental.instance.copyLink': spec('links', { args: [instance] }),
  'gpuRental.instance.copyId': spec('links', { args: [instance] }),
  'gpuRental.instance.saveHostFiles': spec('several', { args: instances }),
  'gpuRental.instances.runCommand': spec('several', { args: places }),
  'gpuRental.instances.showLogs': spec('several', { args: places, needs: instanceRead }),
  'gpuRental.volume.rent': spec('hosting', { args: [volume], needs: rent }),
  'gpuRental.volume.create': spec('hosting', { needs: rent }),
  'gpuRental.volume.clone': spec('hosting', { args: [volume], needs: rent }),
  'gpuRental.volume.delete': spec('hosting', { args: volumes, needs: change }),
  'gpuRental.history.show': spec('history'),
  'gpuRental.history.showDetails': spec('history', { args: [past] }),
  'gpuRental.history.showLog': spec('history', { args: [past] }),
  'gpuRental.history.rentAgain': spec('history', { args: [past], needs: rent }),
  'gpuRental.history.remove': spec('history', { args: [past, severalNamed({ pastId: id })] }),
  'gpuRental.history.clear': spec('history'),
  'gpuRental.sshKey.add': spec('sshKeys', { needs: account }),
  'gpuRental.sshKey.generate': spec('sshKeys', { needs: account }),
  'gpuRental.sshKey.copy': spec('sshKeys', { args: [sshKey] }),
  'gpuRental.sshKey.delete': spec('sshKeys', { args: [sshKey], needs: account }),
  'gpuRental.tfa.addMethod': spec('security', { needs: account }),
  'gpuRental.tfa.updateMethod': spec('security', { args: [named({ methodId: id })], needs: account }),
  'gpuRental.tfa.removeMethod': spec('security', { args: [named({ methodId: id })], needs: account }),
  'gpuRental.tfa.regenerateBackupCodes': spec('security', { needs: account }),
  'gpuRental.apiKey.create': spec('keys', { needs: account }),
  'gpuRental.apiKey.createFromDocument': spec('keys', { needs: account }),
  'gpuRental.apiKey.delete': spec('keys', { args: [named({ apiKeyId: id })], needs: account }),
  'gpuRental.secret.set': spec('keys', { args: [secret] }),
  'gpuRental.secret.delete': spec('keys', { args: [secret] }),
  'gpuRental.secret.copy': spec('keys', { args: [secret] }),
  'gpuRental.secret.reveal': spec('accountView', { args: [secret] }),
  'gpuRental.secret.useInTemplate': spec('documents', { args: [secret] }),
  'gpuRental.teamRole.show': spec('keys', { args: [named({ roleName: z.string() })], needs: ['team_read'] }),
  /** A row of the account view chooses the page. */
  'gpuRental.openConsole': spec('accountView', { args: [page] }),
  'gpuRental.removeSshEntries': spec('connect'),
  'gpuRental.instance.forwardPort': spec('ports', { args: [instance] }),
  'gpuRental.port.open': spec('ports', { args: [port] }),
  'gpuRental.port.copy': spec('ports', { args: [port] }),
  'gpuRental.port.stopForwarding': spec('ports', { args: [port] }),
  'gpuRental.service.open': spec('ports', { args: [service] }),
  'gpuRental.service.start': spec('ports', { args: [service] }),
  'gpuRental.instance.readServices': spec('ports', { args: [instance] }),
  'gpuRental.terminal.reattach': spec('connect', { args: [terminal] }),
  'gpuRental.terminal.end': spec('connect', { args: [terminal] }),
  'gpuRental.instance.useInNotebook': spec('notebooks', { args: [instance] }),
  'gpuRental.instance.showKernels': spec('notebooks', { args: [instance] }),
  'gpuRental.setUp.run': spec('workspaces', { args: [setUp] }),
  'gpuRental.setUp.showLog': spec('workspaces', { args: [setUp] }),
  'gpuRental.setUp.removeSecrets': spec('workspaces', { args: [setUp] }),
  'gpuRental.files.copyPath': spec('workspaces', { args: [remoteFile] }),
  'gpuRental.files.goTo': spec('workspaces', { args: [remoteFile] }),
  'gpuRental.files.open': spec('workspaces', { args: [remoteFile] }),
  'gpuRental.files.refresh': spec('workspaces', { args: [remoteFile] }),
  'gpuRental.debugFile': spec('workspaces', { args: [debugged] }),
  'gpuRental.openTensorBoard': spec('workspaces', { args: [logs] }),
  'gpuRental.mirror.start': spec('workspaces', { args: [mirrorEnd] }),
  'gpuRental.mirror.stop': spec('workspaces', { args: [mirror] }),
  'gpuRental.mirror.compare': spec('workspaces', { args: [mirror] }),
  'gpuRental.mirror.fetch': spec('workspaces', { args: mirroredFiles }),
  'gpuRental.mirror.fetchAll': spec('workspaces', { args: [mirror] }),
  'gpuRental.mirror.keepMine': spec('workspaces', { args: mirroredFiles }),
  'gpuRental.mirror.keepTheirs': spec('workspaces', { args: mirroredFiles }),
  'gpuRental.instance.park': spec('workspaces', { args: [instance], needs: change }),
  'gpuRental.instance.move': spec('workspaces', { args: [instance], needs: rent }),
  'gpuRental.parked.resume': spec('workspaces', { args: [parked], needs: rent }),
  'gpuRental.parked.stop': spec('workspaces', { args: [parked] }),
  'gpuRental.parked.continue': spec('workspaces', { args: [parked] }),
  'gpuRental.parked.showFolder': spec('workspaces', { args: [parked] }),
  'gpuRental.parked.delete': spec('workspaces', { args: [parked] }),
  'gpuRental.kernel.shutDown': spec('notebooks', { args: [kernel] }),
  'gpuRental.instance.upload': spec('files', { args: places }),
  'gpuRental.uploadFiles': spec('files', { args: localFiles }),
  'gpuRental.instance.download': spec('files', { args: places, result: z.boolean() }),
  'gpuRental.instance.fetchData': spec('jobs', { args: [instance] }),
  'gpuRental.instance.copyData': spec('files', { args: [copied, instances[1]], needs: change }),
  'gpuRental.connected.showMenu': spec('connectedWindow'),
  'gpuRental.instance.cloneRepository': spec('connect', { args: [instance] }),
  'gpuRental.runActiveFile': spec('files', { args: [document] }),
  'gpuRental.model.copyEndpoint': spec('models', { args: [jobRow] }),
  'gpuRental.model.useInChat': spec('models', { args: [jobRow] }),
  'gpuRental.job.run': spec('jobs', { args: [job] }),
  'gpuRental.model.serve': spec('models', { needs: rent }),
  'gpuRental.model.serveAgain': spec('models', { args: [jobRow], needs: rent }),
  'gpuRental.model.stop': spec('models', { args: [jobRow], needs: change }),
  'gpuRental.model.keep': spec('models', { args: [jobRow] }),
  'gpuRental.job.stop': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.showLog': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.fetchOutputs': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.openOutputs': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.retry': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.rerun': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.export': spec('jobs', { args: [exported] }),
  'gpuRental.job.import': spec('jobs', { args: [document] }),
  'gpuRental.job.extend': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.keepMachine': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.releaseMachine': spec('jobs', { args: [jobRow], needs: change }),
  'gpuRental.job.forget': spec('jobs', { args: [jobRow, severalNamed({ jobId: z.string() })] }),
  'gpuRental.agents.setUp': spec('agents'),
  'gpuRental.agents.showLog': spec('agents'),
  'gpuRental.agents.stopAll': spec('agents', { needs: change }),
  'gpuRental.agents.openRequest': spec('agents'),
  'gpuRental.agents.reviewLimits': spec('agents'),
  'gpuRental.runDoctor': spec('doctor', { args: [instance] }),
  'gpuRental.instance.forwardAgent': spec('connect', { args: [instance] }),
};

/**
 * Commands of rows, lenses and fixes, which only the editor can run; not in the palette or a menu. Any extension can
 * run them too, so none of them spends, starts or destroys anything without a question.
 */
const linked = {
  'gpuRental.refreshAccount': spec('accountView'),
  /** Shows the row of an instance in the view. */
  'gpuRental.instance.reveal': spec('instances', { args: [z.object({ instanceId: id })] }),
  'gpuRental.refreshMachines': spec('hosting'),
  'gpuRental.refreshDeployments': spec('hosting'),
  'gpuRental.refreshVolumes': spec('hosting'),
  /** Reads the keys below an instance, or below all that were read before. */
  'gpuRental.refreshInstanceKeys': spec('sshKeys', { args: [instance] }),
  /** Shows the next rows of a long group of templates. */
  'gpuRental.template.showMore': spec('templates', {
    args: [z.enum(['mine', 'favourites', 'recent', 'recommended'])],
  }),
  /** Compares a file of a mirrored folder with that of the instance. */
  'gpuRental.mirror.showDifference': spec('workspaces', { args: [z.object(mirroredFile).readonly()] }),
  /** Asks what a mirror waits for. */
  'gpuRental.mirror.review': spec('workspaces', { args: [mirror] }),
  /** A quick fix that needs the secret store or the service. */
  'gpuRental.template.fix': spec('documents', { args: [z.unknown()] }),
  /**
   * Suppresses progress and the ready message for an instance whose caller shows its own progress, or that a window
   * opened before its check ended.
   */
  'gpuRental.followElsewhere': spec('readiness', {
    args: [z.object({ instanceId: id, follows: z.boolean(), isOpened: z.boolean().exactOptional() })],
  }),
};

export type CommandId = keyof typeof contributed;
export const commandIds = Object.keys(contributed) as CommandId[];

export const commandSpecs = { ...contributed, ...linked, ...ownCommands };
export const ownIds: ReadonlySet<string> = new Set(Object.keys(ownCommands));
type Specs = typeof commandSpecs;
export type AnyCommandId = keyof Specs;

export type CommandArgs<Id extends AnyCommandId> =
  Specs[Id] extends Spec<(...args: infer Args extends readonly unknown[]) => unknown> ? Args : never;
export type CommandResult<Id extends AnyCommandId> =
  Specs[Id] extends Spec<(...args: never) => infer Result> ? Result : never;
