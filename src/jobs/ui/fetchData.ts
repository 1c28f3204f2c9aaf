import * as vscode from 'vscode';
import type { InstanceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { runCommand, titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { JsonPlaces } from '../../model/documents/jsonPlaces';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { formatMoney, times, toDollars } from '../../model/money';
import { perHour, runningRateOf } from '../../model/quote';
import { readSource, type DataItem } from '../../model/workspace/dataItems';
import { machineNames, readRecipe, type OpenRecipe } from '../../model/workspace/workspaceFile';
import { accountFor } from '../../store/accounts/sameAccount';
import { connectableInstances } from '../../store/instances/listed';
import { bytesText } from '../../util/bytes';
import { durationText } from '../../util/duration';
import { UserError } from '../../util/errors';
import { realPlace } from '../../util/realPlace';
import { text } from '../../util/text';
import { dataProgram, readMeasured, type MeasuredData, type WantedData } from '../machine/dataProgram';
import { readJob } from '../model/jobSpec';
import type { Services } from '../services';
import type { JobDeps } from './deps';
import type { JobFact } from './jobSource';
import { isTrusted, runSource } from './runJob';
import { workspaceFiles } from './workspaceFile/createWorkspaceFile';

type Deps = JobDeps & Pick<Services, 'ssh'>;

const usualFolder = '/workspace';
const measureMs = 90_000;
/** For data of unknown size. */
const usualHours = 12;
const mostHours = 72;

/** Fetches the data that the workspace file names onto an instance, as a job of the instance. */
export async function fetchData(deps: Deps, target: InstanceTarget | undefined): Promise<void> {
  if (!isTrusted()) {
    return;
  }
  const account = accountFor(deps.accounts);
  const able = await connectableInstances(deps, whileReadingInstances);
  const id = await chooseInstance(target, able, 'gpuRental.instance.fetchData');
  const instance = able.find((one) => one.id === id);
  if (!instance) {
    if (id !== undefined) {
      message('info', t('This needs a running instance.'));
    }
    return;
  }
  const found = await recipeFor(deps.rentals.find(instance.id));
  if (!found) {
    message('info', t('No workspace file names "data" for {0}.', instanceName(instance)));
    return;
  }
  const { folder, recipe } = found;
  const wanted = (recipe.data ?? []).flatMap((item) => wantedOf(item, recipe) ?? []);
  if (wanted.length < (recipe.data ?? []).length) {
    message(
      'info',
      t('Data of cloud connections is copied by the service, not by the machine.'),
      titledAction('gpuRental.instance.copyData', { instanceId: instance.id }),
    );
  }
  const alias = await runCommand('gpuRental.prepareSsh', {
    instanceId: instance.id,
    accountKey: account().key,
  });
  if (wanted.length === 0 || alias === undefined) {
    return;
  }
  const measured = await withCancellableProgress(t('Reading the size of the data…'), async (signal) => {
    const program = dataProgram(wanted, 'measure');
    const { stdout } = await deps.ssh.exec(alias, program, { timeoutMs: measureMs, signal });
    return readMeasured(stdout, wanted.length);
  });
  if (!measured) {
    throw new UserError(text('{0} did not state what the data takes. Try again.', instanceName(instance)));
  }
  check(instance, wanted, measured);
  if (measured.every(({ isThere }) => isThere)) {
    message('info', t('The data is already on {0}.', instanceName(instance)));
    return;
  }
  const bytes = bytesOf(measured);
  const hours = Math.min(
    mostHours,
    bytes === undefined ? usualHours : Math.ceil(hoursFor(instance, bytes) * 3 + 1),
  );
  const rate = runningRateOf(instance);
  const dollars = rate === undefined ? 1 : toDollars(perHour(rate));
  const job = {
    run: dataProgram(wanted, 'fetch'),
    sync: false,
    outputs: [],
    secrets: [...new Set(wanted.flatMap(({ secret }) => secret ?? []))],
    limits: {
      hours,
      costDollars: Math.ceil((dollars * (hours + 1) + trafficDollars(instance, bytes)) * 100) / 100,
    },
  };
  await runSource(deps, {
    spec: readJob(JSON.stringify({ jobs: { [jobName]: job } }), jobName),
    folder,
    recipe: undefined,
    machines: [instance],
    facts: factsOf(instance, wanted, measured),
  });
}

const jobName = 'fetch data';

/** Offers the data of the workspace once its new instance is ready. Nothing is fetched without the confirmation. */
export async function offerData(
  { fleet, rentals }: Pick<Deps, 'fleet' | 'rentals'>,
  instanceId: number,
): Promise<void> {
  const rental = rentals.find(instanceId);
  const instance = fleet.find(instanceId);
  if (rental?.workspace === undefined || !instance || !vscode.workspace.isTrusted) {
    return;
  }
  const found = await recipeFor(rental);
  if (found?.isOwn === true) {
    message(
      'info',
      t('The workspace file names data for {0}.', instanceName(instance)),
      titledAction('gpuRental.instance.fetchData', { instanceId }),
    );
  }
}

interface Found {
  readonly folder: string;
  readonly recipe: OpenRecipe;
  /** The instance was rented for this folder. */
  readonly isOwn: boolean;
}

/**
 * Returns the description of the machine with data, by the name under which the instance was rented: that of its own folder
 * where that is open and has data.
 */
async function recipeFor(rental: ReturnType<Deps['rentals']['find']>): Promise<Found | undefined> {
  const all: Found[] = [];
  for (const uri of await workspaceFiles()) {
    const source = (await vscode.workspace.openTextDocument(uri)).getText();
    const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri;
    const name = machineNames(source).includes(rental?.machine) ? rental?.machine : undefined;
    const recipe = readRecipe(new JsonPlaces(source), name);
    if (folder?.scheme === 'file' && (recipe.data ?? []).length > 0) {
      const path = folder.fsPath;
      const place = await realPlace({ path, root: { opened: path } });
      all.push({ folder: path, recipe, isOwn: place === rental?.workspace });
    }
  }
  return all.find(({ isOwn }) => isOwn) ?? all[0];
}

/** Returns nothing for data of a cloud connection. */
function wantedOf(
  { from, to, volume, include = [], secret }: DataItem,
  recipe: OpenRecipe,
): WantedData | undefined {
  const source = readSource(from);
  if (!('kind' in source)) {
    throw new UserError(text('"data" for {0} can\'t be fetched: {1}', to, source));
  }
  const mount = recipe.volumes?.find(({ name }) => name === volume)?.mount;
  if (volume !== undefined && mount === undefined) {
    throw new UserError(text('"data" for {0} names the volume {1}, which "volumes" lacks.', to, volume));
  }
  const folder = mount ?? recipe.folder ?? usualFolder;
  if (!/^(?!.*\/\.\.?(?:\/|$))(?:\/[\w.+@-]{1,100}){1,10}$/.test(folder)) {
    throw new UserError(text('"folder" must be a full path of plain names for "data". It is {0}.', folder));
  }
  return source.kind === 'connection'
    ? undefined
    : { source, target: `${folder}/${to}`, mount, include, secret };
}

/** Throws if something is missing without which the job would only fail. */
function check(instance: Instance, wanted: readonly WantedData[], measured: readonly MeasuredData[]): void {
  const name = instanceName(instance);
  const taken = wanted.find((_, index) => measured[index]?.isTaken);
  if (taken) {
    throw new UserError(
      text(
        '{0} already exists on {1}. Rename it there, or change "to" in the workspace file.',
        taken.target,
        name,
      ),
    );
  }
  const missing = [...new Set(measured.flatMap((one) => one.missing))];
  if (missing.includes('volume')) {
    const mounts = wanted.flatMap(({ mount }, index) =>
      measured[index]?.missing.includes('volume') ? (mount ?? []) : [],
    );
    throw new UserError(
      text(
        'No volume is mounted at {0} on {1}. Rent it with the volume, or remove "volume".',
        mounts.join(', '),
        name,
      ),
    );
  }
  if (missing.length > 0) {
    throw new UserError(
      text(
        '{0} lacks programs that fetch the data: {1}. Install them there, then try again.',
        name,
        missing.join(', '),
      ),
    );
  }
  // Targets of one disk share its space.
  const needs = new Map<number, number>();
  for (const { isThere, bytes = 0, freeBytes = Number.POSITIVE_INFINITY } of measured) {
    needs.set(freeBytes, (needs.get(freeBytes) ?? 0) + (isThere ? 0 : bytes));
  }
  for (const [free, bytes] of needs) {
    if (bytes > free) {
      throw new UserError(
        text(
          'The data takes {0}, and {1} has {2} free. Free space there, or use a volume.',
          bytesText(bytes),
          name,
          bytesText(free),
        ),
      );
    }
  }
}

/** Returns the bytes to fetch; undefined if one of the sources states none. */
function bytesOf(measured: readonly MeasuredData[]): number | undefined {
  const sizes = measured.map(({ isThere, bytes }) => (isThere ? 0 : bytes));
  return sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}

/** At the speed that its host measured, or 100 Mbit/s. */
function hoursFor({ inetDownMbit }: Instance, bytes: number): number {
  return (bytes * 8) / 1e6 / (inetDownMbit ?? 100) / 3600;
}

function trafficDollars({ inetDownPerGb }: Instance, bytes: number | undefined): number {
  return inetDownPerGb === undefined || bytes === undefined
    ? 0
    : toDollars(times(inetDownPerGb, bytes / 1e9));
}

function factsOf(
  instance: Instance,
  wanted: readonly WantedData[],
  measured: readonly MeasuredData[],
): readonly JobFact[] {
  const bytes = bytesOf(measured);
  const { inetDownPerGb, inetDownMbit } = instance;
  const free = Math.min(...measured.map(({ freeBytes }) => freeBytes ?? Number.POSITIVE_INFINITY));
  const size =
    bytes === undefined
      ? t('not stated by each source')
      : [
          bytesText(bytes),
          ...(inetDownMbit === undefined
            ? []
            : [t('about {0}', localize(durationText(hoursFor(instance, bytes) * 3_600_000)))]),
          ...(inetDownPerGb === undefined
            ? []
            : [t('traffic {0}', formatMoney(times(inetDownPerGb, bytes / 1e9)))]),
        ].join(' · ');
  return [
    { id: 'data', label: t('Size'), description: size },
    ...(Number.isFinite(free) ? [{ id: 'free', label: t('Free'), description: bytesText(free) }] : []),
    ...wanted.map(({ target, source }, index): JobFact => {
      const one = measured[index];
      return {
        id: `data:${index}`,
        label: target,
        description: one?.isThere
          ? t('already there')
          : one?.bytes === undefined
            ? t('size not stated')
            : bytesText(one.bytes),
        detail:
          source.kind === 'hub' ? `${source.name}@${source.revision}` : source.address.replace(/\?.*/, '?…'),
      };
    }),
  ];
}
