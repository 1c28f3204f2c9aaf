import * as z from 'zod';
import { argumentShapes } from './commandArguments';
import type { PermissionCategory } from './model/accounts/apiKey';
import type { DraftJob } from './jobs/model/draftJob';
import type { PickedDraft, RentDraft } from './model/rentals/rentDraft';
import type { OpenRecipe } from './model/workspace/workspaceFile';

/** The one table of commands; `test/unit/contributions.test.ts` compares it with `package.json`. */

interface Spec<Args extends readonly z.ZodType[], Result extends z.ZodType> {
  /** The folder of `src/features`, or the wing, that handles the command. */
  readonly feature: string;
  /** Shapes of the arguments; handlers receive the parsed values. */
  readonly args?: Args;
  /**
   * The permissions that the command needs (docs/service/authentication.md#permission-categories). Without them, the
   * command explains what is missing instead of failing. By default, every key that can sign in is enough.
   */
  readonly needs?: readonly PermissionCategory[];
  /** The shape of the result, unless the command fails. */
  readonly result?: Result;
}

function spec<const Args extends readonly z.ZodType[] = [], Result extends z.ZodType = z.ZodUnknown>(
  feature: string,
  rest: Omit<Spec<Args, Result>, 'feature'> = {},
): Spec<Args, Result> {
  return { feature, ...rest };
}

const {
  document,
  backToList,
  draft,
  guide,
  held,
  hosts,
  hostSet,
  id,
  instance,
  instanceKey,
  instances,
  isObject,
  job,
  jobRow,
  kernel,
  named,
  offerShape,
  page,
  past,
  port,
  query,
  reached,
  secret,
  several,
  sshEntry,
  sshKey,
  template,
  volume,
  workers,
} = argumentShapes;

const rent: readonly PermissionCategory[] = ['misc', 'instance_write'];
const change: readonly PermissionCategory[] = ['instance_write'];
const look: readonly PermissionCategory[] = ['instance_read'];
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
  'gpuRental.compareOffers': spec('compare'),
  'gpuRental.watchSearch': spec('searchWatch', { args: [query] }),
  'gpuRental.manageWatches': spec('searchWatch'),
  'gpuRental.rentFromTemplate': spec('rent', { args: [template], needs: rent }),
  'gpuRental.machine.setMinimumBid': spec('hosting', {
    args: [named({ machineId: id })],
    needs: ['machine_write'],
  }),
  'gpuRental.machine.scheduleMaintenance': spec('hosting', {
    args: [named({ machineId: id })],
    needs: ['machine_write'],
  }),
  'gpuRental.earnings.show': spec('hosting', { needs: ['billing_read'] }),
  'gpuRental.market.show': spec('hosting', { needs: ['machine_read'] }),
  'gpuRental.spending.show': spec('hosting'),
  'gpuRental.deployment.stop': spec('hosting', { args: [named({ deploymentId: id })], needs: change }),
  'gpuRental.deployment.start': spec('hosting', { args: [named({ deploymentId: id })], needs: change }),
  'gpuRental.template.create': spec('templates', { needs: account }),
  'gpuRental.template.edit': spec('templates', { args: [template] }),
  'gpuRental.template.duplicate': spec('templates', { args: [template], needs: account }),
  'gpuRental.template.delete': spec('templates', {
    args: [template, several({ templateId: id })],
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
  'gpuRental.instance.connect': spec('connect', { args: [instance] }),
  'gpuRental.instance.connectHere': spec('connect', { args: [instance] }),
  'gpuRental.instance.openTerminal': spec('connect', { args: [instance] }),
  'gpuRental.instance.copySshCommand': spec('connect', { args: [instance] }),
  'gpuRental.instance.start': spec('lifecycle', { args: instances, needs: change }),
  'gpuRental.instance.stop': spec('lifecycle', { args: instances, needs: change }),
  'gpuRental.instance.reboot': spec('lifecycle', { args: instances, needs: change }),
  'gpuRental.instance.recycle': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.changeImage': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.destroy': spec('lifecycle', { args: instances, needs: change }),
  'gpuRental.instance.setSchedule': spec('schedules', { args: [instance], needs: change }),
  'gpuRental.setBudget': spec('budget'),
  'gpuRental.reviewPriceIncreases': spec('warnings', { needs: change }),
  'gpuRental.instance.rename': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.changeBid': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.runCommand': spec('lifecycle', { args: [instance], needs: change }),
  'gpuRental.instance.showLogs': spec('lifecycle', { args: [instance], needs: look }),
  'gpuRental.instance.showDetails': spec('lifecycle', { args: [instance] }),
  'gpuRental.instance.check': spec('readiness', { args: [instance] }),
  'gpuRental.instance.attachKey': spec('sshKeys', { args: [instance], needs: change, result: z.boolean() }),
  'gpuRental.instance.detachKey': spec('sshKeys', { args: [instanceKey], needs: change }),
  'gpuRental.instance.copyLink': spec('links', { args: [instance] }),
  'gpuRental.instance.useIn': spec('several', { args: instances }),
  'gpuRental.instances.runCommand': spec('several', { args: hosts }),
  'gpuRental.instances.copyFiles': spec('several', { args: hosts }),
  'gpuRental.instances.showLogs': spec('several', { args: hosts, needs: look }),
  'gpuRental.hostSet.use': spec('several', { args: [hostSet] }),
  'gpuRental.hostSet.remove': spec('several', { args: [hostSet] }),
  'gpuRental.volume.rent': spec('hosting', { args: [volume], needs: rent }),
  'gpuRental.volume.delete': spec('hosting', { args: [volume, several({ volumeId: id })], needs: change }),
  'gpuRental.history.show': spec('history'),
  'gpuRental.history.showDetails': spec('history', { args: [past] }),
  'gpuRental.history.showLog': spec('history', { args: [past] }),
  'gpuRental.history.rentAgain': spec('history', { args: [past], needs: rent }),
  'gpuRental.history.remove': spec('history', { args: [past, several({ pastId: id })] }),
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
  'gpuRental.secret.set': spec('keys', { args: [secret], needs: account }),
  'gpuRental.secret.delete': spec('keys', { args: [secret], needs: account }),
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
  'gpuRental.instance.useInNotebook': spec('notebooks', { args: [instance] }),
  'gpuRental.instance.showKernels': spec('notebooks', { args: [instance] }),
  'gpuRental.kernel.shutDown': spec('notebooks', { args: [kernel] }),
  'gpuRental.instance.upload': spec('files', { args: [instance] }),
  'gpuRental.instance.download': spec('files', { args: [instance], result: z.boolean() }),
  'gpuRental.instance.copyData': spec('files', { args: [instance], needs: change }),
  'gpuRental.connected.showMenu': spec('connectedWindow'),
  'gpuRental.instance.cloneRepository': spec('connect', { args: [instance] }),
  'gpuRental.runActiveFile': spec('files', { args: [document] }),
  'gpuRental.job.run': spec('jobs', { args: [job] }),
  'gpuRental.job.runFile': spec('jobs', { args: [document] }),
  'gpuRental.job.stop': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.showLog': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.fetchOutputs': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.openOutputs': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.retry': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.rerun': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.extend': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.keepMachine': spec('jobs', { args: [jobRow] }),
  'gpuRental.job.releaseMachine': spec('jobs', { args: [jobRow], needs: change }),
  'gpuRental.job.forget': spec('jobs', { args: [jobRow] }),
  'gpuRental.jobs.forgetFinished': spec('jobs'),
  'gpuRental.job.changeSecrets': spec('jobs'),
  'gpuRental.agents.copyMcpConfiguration': spec('agents'),
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
  /** Reads the keys below instances again. */
  'gpuRental.refreshInstanceKeys': spec('sshKeys'),
  /** Shows the next rows of a long group of templates. */
  'gpuRental.template.showMore': spec('templates', {
    args: [z.enum(['mine', 'favourites', 'recent', 'recommended'])],
  }),
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

/**
 * Internal commands. The editor does not know these ids, so no link, agent or other extension can run them. Some act
 * without a question because their caller asked it.
 */
const own = {
  /** Shows a read-only document with this text. */
  'gpuRental.showText': spec('lifecycle', { args: [z.object({ title: z.string(), content: z.string() })] }),
  /**
   * Checks, before money is spent, that a usable key is registered; returns true also if the user continues without
   * one.
   */
  'gpuRental.ensureSshKey': spec('sshKeys', {
    // `isQuiet` shows no progress, because the user does not wait.
    args: [z.object({ isQuiet: z.boolean() }).optional()],
    needs: change,
    result: z.boolean(),
  }),
  /**
   * Searches offers for a rental that began elsewhere; a given offer comes first. Nothing is spent until the user
   * confirms.
   */
  'gpuRental.searchFor': spec('search', { args: [draft<RentDraft>(offerShape.optional())], needs: ['misc'] }),
  /** Searches a machine for a job; the user confirms the rental at the end. */
  'gpuRental.rentForJob': spec('jobs', {
    args: [z.custom<{ readonly job: DraftJob; readonly recipe?: OpenRecipe | undefined }>(isObject)],
    needs: ['misc'],
  }),
  /** Runs the steps of a rental for an offer; returns a draft if the user returns to the offers. */
  'gpuRental.rentOffer': spec('rent', {
    args: [draft<PickedDraft>(offerShape)],
    result: z.union([z.enum(['rented', 'cancelled']), backToList]),
  }),
  /** Asks for a template; returns it if the user picks one. */
  'gpuRental.pickTemplate': spec('rent', {
    result: z.object({ hashId: z.string(), name: z.string(), image: z.string() }).optional(),
  }),
  /** Starts without a question, for a caller that showed the price. */
  'gpuRental.instance.startNow': spec('lifecycle', {
    args: [z.object({ instanceId: id })],
    needs: change,
    result: z.enum(['started', 'queued', 'failed']),
  }),
  /** Stops without a question, for a caller that asked about exactly these instances. */
  'gpuRental.instance.stopNow': spec('lifecycle', {
    args: [z.object({ instanceIds: z.array(id) })],
    needs: change,
  }),
  /** Returns the losses that the question before a destroy names; asks and changes nothing. */
  'gpuRental.instance.lossByDestroy': spec('lifecycle', {
    args: [z.object({ instanceId: id })],
    result: z.string().optional(),
  }),
  /** Destroys a failed machine and rents the next best one; asks first if data would be lost. */
  'gpuRental.instance.replaceFailed': spec('readiness', { args: [z.object({ instanceId: id })] }),
  /**
   * Writes the SSH entry of an instance, with a login first if none has proved its host key. Returns its alias, or
   * nothing if the user must do a step first. Fails once another account than the named one is active, since callers
   * name the account in which the user chose the instance.
   */
  'gpuRental.prepareSsh': spec('connect', { args: [sshEntry], result: z.string().optional() }),
  /**
   * The same for one of several instances: shows and asks nothing, since a message for each would have to be closed
   * before the others are shown.
   */
  'gpuRental.prepareSshOfSeveral': spec('connect', { args: [held], result: reached }),
  /** Asks for the command and the limits of workers, and starts them as jobs after a confirmation. */
  'gpuRental.job.startWorkers': spec('jobs', { args: [workers] }),
  /** Keeps the machine of a job without a question, for a message that named it. */
  'gpuRental.job.keepNow': spec('jobs', { args: [z.object({ jobId: z.string() })] }),
  /** Postpones the scheduled end of an instance, for a caller that showed both times. */
  'gpuRental.instance.extendSchedule': spec('schedules', {
    args: [z.object({ instanceId: id, until: z.number() })],
    needs: change,
  }),
  'gpuRental.job.reveal': spec('jobs', { args: [z.object({ jobId: z.string() })] }),
  /** Returns the tasks for the jobs of the open folders. */
  'gpuRental.job.tasks': spec('jobs'),
  /** Returns a terminal on an instance that the user picks, for the terminal menu. */
  'gpuRental.terminalProfile': spec('connect'),
};

export type CommandId = keyof typeof contributed;
export const commandIds = Object.keys(contributed) as CommandId[];

export const commandSpecs = { ...contributed, ...linked, ...own };
export const ownIds: ReadonlySet<string> = new Set(Object.keys(own));
type Specs = typeof commandSpecs;
export type AnyCommandId = keyof Specs;

/** The types of the arguments; callers can omit optional ones at the end. */
type Values<Args> = Args extends readonly [infer First extends z.ZodType, ...infer Rest]
  ? undefined extends z.output<First>
    ? [first?: z.output<First>, ...rest: Values<Rest>]
    : [first: z.output<First>, ...rest: Values<Rest>]
  : [];
export type CommandArgs<Id extends AnyCommandId> =
  Specs[Id] extends Spec<infer Args, z.ZodType> ? Values<Args> : never;
export type CommandResult<Id extends AnyCommandId> =
  Specs[Id] extends Spec<readonly z.ZodType[], infer Result> ? z.output<Result> : never;
