import * as vscode from 'vscode';
import { chooseMachine } from '../../../editor/chooseMachine';
import { commandAction, runCommand, signedIn } from '../../../editor/commands';
import { confirmEditedTemplate } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { whileAsking, whileReadingInstances } from '../../../editor/progress';
import { pickOne } from '../../../editor/quickPick';
import { titleOf } from '../../../editor/titles';
import type { Instance } from '../../../model/instances/instance';
import { instanceName } from '../../../model/instances/instanceLabel';
import {
  actionsFor,
  isStarting,
  stateOf,
  type InstanceStateKind,
} from '../../../model/instances/instanceState';
import { fromDollars } from '../../../model/money';
import { defaultQuery } from '../../../model/offers/savedSearches';
import type { RentDraft } from '../../../model/rentals/rentDraft';
import { plannedDiskGb, type RentChoices, type RentSource } from '../../../model/rentals/rentPlan';
import type { Template } from '../../../model/templates/template';
import { readFilters } from '../../../model/templates/templateDocument';
import { templateName } from '../../../model/templates/templateName';
import { refState } from '../../../model/templates/templateRef';
import { isRentedFor, matchesRecipe } from '../../../model/workspace/recipeMatch';
import { recipeQuery } from '../../../model/workspace/recipeQuery';
import { WorkspaceFileError, type OpenRecipe, type Recipe } from '../../../model/workspace/workspaceFile';
import type { Account } from '../../../store/accounts/accounts';
import { accountFor } from '../../../store/accounts/sameAccount';
import { listedInstances } from '../../../store/instances/listed';
import { findTemplate } from '../../../store/templates/findTemplate';
import { defined } from '../../../util/defined';
import { UserError } from '../../../util/errors';
import { plainLabel } from '../../../util/plainLabel';
import { realPlace } from '../../../util/realPlace';
import { text } from '../../../util/text';
import type { WantedForJob } from '../../model/draftJob';
import type { Services } from '../../services';
import { rentalOfJob } from '../rentalOfJob';
import { workspaceFiles } from './createWorkspaceFile';
import { findVolumes } from './wantedVolumes';

type Deps = Pick<Services, 'accounts' | 'clock' | 'fleet' | 'rentals'>;

/** Connects to an existing instance for the workspace, or rents the machine that its file describes. */
export async function rentForWorkspace(deps: Deps): Promise<void> {
  // An untrusted repository must not lead to a rental.
  if (!vscode.workspace.isTrusted) {
    message('warning', t('This workspace is not trusted, so nothing can be rented for it.'), {
      label: t('Manage Workspace Trust'),
      run: () => vscode.commands.executeCommand('workbench.trust.manage'),
    });
    return;
  }
  const uri = await chooseFile();
  if (!uri) {
    return;
  }
  const recipe = await recipeIn(uri);
  const { active: account } = deps.accounts;
  if (!account) {
    throw new UserError(text('You are not signed in. Sign in first.'), { nextStep: 'signIn' });
  }
  const folder = await folderOf(uri);
  if (await useExisting(deps, recipe, folder)) {
    return;
  }
  const title = t('Search Offers for This Workspace');
  const draft = await draftOf(account, recipe, { title, folder, now: deps.clock.now() });
  if (draft) {
    await runCommand('gpuRental.searchFor', draft);
  }
}

/** Shows the offers for a job. The caller has read its file in a trusted workspace. */
export async function rentForJob(
  deps: Deps & Parameters<typeof rentalOfJob>[0],
  wanted: WantedForJob,
): Promise<void> {
  const account = await signedIn(deps.accounts);
  if (!account) {
    return;
  }
  const { job, recipe, tailored } = wanted;
  const { name, hours } = job.order.spec;
  const { each, machines } = job;
  const title = t('Search Offers for {0}', name);
  const folder = await realPathOf(job.order.workspace);
  const draft: RentDraft | undefined = recipe
    ? await draftOf(account, recipe, { title, folder, now: deps.clock.now() })
    : { accountKey: account.key, title, query: defaultQuery, workspace: { folder } };
  if (!draft) {
    return;
  }
  // The rental must not end before the job does. The filter is shown, so it has few digits.
  const needed = (hours * Math.ceil(each.length / machines) + 1) / 24;
  const days = Math.max(Math.ceil(needed * 100) / 100, draft.query.filters.days?.min ?? 0);
  const filters = { ...draft.query.filters, days: { ...draft.query.filters.days, min: days } };
  await runCommand('gpuRental.searchFor', {
    ...draft,
    // What fits is known, so that the price decides.
    query: { ...draft.query, ...(tailored && { sort: 'price' as const }), filters },
    choices: { label: t('{0} machine', name), ...draft.choices, ...(machines > 1 && { count: machines }) },
    order: rentalOfJob(deps, wanted),
  });
}

function realPathOf(path: string): Promise<string> {
  return realPlace({ path, root: { opened: path } });
}

/** Returns the real path of the workspace folder of a file, or its address if it is not on this computer. */
async function folderOf(file: vscode.Uri): Promise<string> {
  const uri = vscode.workspace.getWorkspaceFolder(file)?.uri ?? file;
  return uri.scheme === 'file' ? realPathOf(uri.fsPath) : uri.toString();
}

/** Returns the search for what the file describes, or undefined if the user cancels. */
async function draftOf(
  account: Account,
  recipe: OpenRecipe,
  { title, folder, now }: { readonly title: string; readonly folder: string; readonly now: number },
): Promise<RentDraft | undefined> {
  const source = await sourceOf(account, recipe);
  if (source === 'cancelled') {
    return undefined;
  }
  const rentalType = recipe.maxBid === undefined ? 'on-demand' : 'interruptible';
  const found = await findVolumes(account.client, recipe.volumes ?? [], { now, rentalType });
  if (!found) {
    return undefined;
  }
  const { machineIds, names, ...volumes } = found;
  // Fields merge by key, and the workspace wins (docs/service/renting.md#template-merge).
  const record = source?.kind === 'template' ? source.template.raw : undefined;
  const filters = { ...readFilters(record?.['extra_filters']), ...recipe.filters };
  const { env, diskGb, onStart: onstart, runtype, maxBid, machine, end } = recipe;
  const planned = diskGb ?? (source ? plannedDiskGb({ source }) : defaultQuery.diskGb);
  const query = recipeQuery(recipe, filters, planned);
  const onMachines = machineIds.length === 0 ? {} : { machine: { oneOf: machineIds.map(String) } };
  return {
    accountKey: account.key,
    title: names.length === 0 ? title : t('Search Offers with the Volume {0}', names.join(', ')),
    query: {
      ...query,
      filters: { ...query.filters, ...onMachines },
    },
    choices: defined<Partial<RentChoices>>({
      source,
      diskGb,
      env: Object.keys(env).length === 0 ? undefined : env,
      onstart,
      runtype,
    }),
    workspace: {
      ...{ folder, machine, onStart: onstart, end },
      ...{ ...volumes, maxBid: maxBid === undefined ? undefined : fromDollars(maxBid) },
    },
  };
}

/** Returns the current template or the image that the recipe names; undefined if it names neither. */
async function sourceOf(
  account: Account,
  { template: ref, image }: OpenRecipe,
): Promise<RentSource | 'cancelled' | undefined> {
  if (ref) {
    const template = await wantedTemplate(account, ref);
    return template ? { kind: 'template', template } : 'cancelled';
  }
  return image === undefined ? undefined : { kind: 'image', image };
}

async function chooseFile(): Promise<vscode.Uri | undefined> {
  const files = await workspaceFiles();
  if (files.length === 0) {
    message(
      'info',
      t('This workspace has no .vscode/gpu-rental.json that describes what to rent.'),
      commandAction(titleOf('gpuRental.workspaceFile.create'), 'gpuRental.workspaceFile.create'),
    );
    return undefined;
  }
  if (files.length === 1) {
    return files[0];
  }
  const rows = files.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  const picked = await pickOne(rows, {
    placeHolder: t('Rent for which folder of the workspace?'),
  });
  return picked?.uri;
}

/** Reads the document as shown, saved or not. Opens a file that can't be parsed and reports the reason. */
async function recipeIn(uri: vscode.Uri): Promise<Recipe> {
  const document = await vscode.workspace.openTextDocument(uri);
  try {
    return await chooseMachine(document.getText(), titleOf('gpuRental.rentForWorkspace'));
  } catch (error) {
    if (error instanceof WorkspaceFileError) {
      await vscode.window.showTextDocument(document);
    }
    throw error;
  }
}

/**
 * Returns true if an existing instance is used instead of a new rental. Without a question that is only one that was
 * rented for this workspace: the file of a repository can name the image of any other.
 */
async function useExisting(deps: Deps, recipe: Recipe, workspace: string): Promise<boolean> {
  const account = accountFor(deps.accounts);
  const listed = await listedInstances(deps.fleet, whileReadingInstances);
  account();
  const now = deps.clock.now();
  // Two machines of a file may have the same image.
  const isOther = ({ id }: Instance) => {
    const rental = deps.rentals.find(id);
    return rental?.workspace === workspace && !isRentedFor(rental, workspace, recipe);
  };
  const existing = listed
    .filter((instance) => matchesRecipe(instance, recipe) && !isOther(instance))
    .map((instance) => ({ instance, facts: deps.fleet.facts(instance.id) }));
  const inState = (isOne: (state: InstanceStateKind) => boolean) =>
    existing.flatMap(({ instance, facts }) => (isOne(stateOf(instance, facts, now)) ? instance : []));
  const running = inState((state) => state === 'running');
  const stopped = existing.flatMap(({ instance, facts }) =>
    actionsFor(instance, facts, now).canStart ? instance : [],
  );
  const coming = inState((state) => isStarting(state) || state === 'queued');
  const toConnect = running.find(({ id }) => isRentedFor(deps.rentals.find(id), workspace, recipe));
  const [toStart] = stopped;
  if (toConnect && recipe.whenRunning === 'connect') {
    await runCommand('gpuRental.instance.connect', { instanceId: toConnect.id });
    return true;
  }
  if (running.length === 0 && toStart && coming.length === 0 && recipe.whenRunning === 'start') {
    await start(toStart);
    return true;
  }
  if (running.length + stopped.length + coming.length === 0) {
    return false;
  }
  return ask(account, running, stopped, coming);
}

/** `account` throws unless the account is active whose instances are offered. */
async function ask(
  account: () => unknown,
  running: readonly Instance[],
  stopped: readonly Instance[],
  coming: readonly Instance[],
): Promise<boolean> {
  const another = { icon: 'rocket', label: t('Rent Another Instance'), run: undefined };
  const rows = [
    ...running.map((instance) => ({
      icon: 'plug',
      label: t('Connect to {0}', plainLabel(instanceName(instance))),
      ...numberOf(instance),
      run: async () => {
        await runCommand('gpuRental.instance.connect', { instanceId: instance.id });
      },
    })),
    ...stopped.map((instance) => ({
      icon: 'play',
      label: t('Start {0}', plainLabel(instanceName(instance))),
      ...numberOf(instance),
      run: () => start(instance),
    })),
    ...coming.map((instance) => ({
      icon: 'loading',
      label: t('Wait for {0}', plainLabel(instanceName(instance))),
      description: t('getting ready'),
      run: async () => {
        await runCommand('gpuRental.instance.reveal', { instanceId: instance.id });
      },
    })),
    another,
  ];
  const picked = await pickOne(rows, {
    title: t('An Instance for This Workspace Already Exists'),
    placeHolder: t('Use it, or rent another one?'),
  });
  if (picked === another) {
    return false;
  }
  if (picked) {
    account();
    await picked.run?.();
  }
  return true;
}

/** Returns the instance number, unless the name already contains it. */
function numberOf(instance: Instance): { readonly description?: string } {
  const number = `#${instance.id}`;
  return instanceName(instance).includes(number) ? {} : { description: number };
}

async function start(instance: Instance): Promise<void> {
  await runCommand('gpuRental.instance.start', { instanceId: instance.id });
}

/**
 * Returns the current template, after a question if it was edited since the file named it; `undefined` if the user
 * cancels. An open document may be of another account, or older than the template. Throws if it was deleted.
 */
async function wantedTemplate(
  { client }: Account,
  ref: NonNullable<Recipe['template']>,
): Promise<Template | undefined> {
  const found = await whileAsking(findTemplate(client, { templateId: ref.id }));
  if (!found) {
    throw new UserError(
      text(
        'The template {0} was deleted or made private by its owner. Name another one in the file.',
        templateName(ref),
      ),
    );
  }
  const isWanted =
    refState(ref, found).kind === 'current' ||
    (await confirmEditedTemplate(t('The template {0} was edited after it was chosen.', templateName(found))));
  return isWanted ? found : undefined;
}
