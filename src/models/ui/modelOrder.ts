import { join } from 'node:path';
import type { DraftJob, TailoredJob } from '../../jobs/model/draftJob';
import type { JobSpec, MachineEnds } from '../../jobs/model/jobSpec';
import type { Serves } from '../../jobs/model/serves';
import { outputsFolderOf, workspaceKeyOf } from '../../jobs/store/outputsFolders';
import { toDollars, type Micros } from '../../model/money';
import { costOf, hourlyRate } from '../../model/quote';
import type { OrderFact } from '../../model/rentals/rentalOrder';
import type { OpenRecipe } from '../../model/workspace/workspaceFile';
import { durationText } from '../../util/duration';
import { text, type Text } from '../../util/text';
import { serveScript } from '../machine/serveScript';
import { servedNameOf, type ModelFacts } from '../model/knownModels';
import { diskGbFor, filtersFor, gpusOf, sharedGpus } from '../model/memory';
import { modelFactRows, type DownloadTerms } from '../model/modelText';

/** What the settings say of every served model. */
export interface ServeSettings {
  readonly idleMinutes: number;
  readonly hours: number;
  /** The name of a volume for the weights; empty without one. */
  readonly volume: string;
  /** The engine chooses it, unless a longer one did not fit. */
  readonly contextTokens?: number | undefined;
}

/** The name under which a job gets the token of the hub. */
export const tokenVariable = 'HF_TOKEN';
/** Where a volume for weights is mounted. */
const volumeMount = '/models';
/** More answers at once leave less context for each, and some models refuse more (vllm-project/vllm#49064). */
const maxSequences = 8;

const images: Readonly<Record<ModelFacts['engine'], { readonly image: string; readonly name: Text }>> = {
  vllm: { image: 'vllm/vllm-openai:v0.28.0-cu129', name: text('vLLM 0.28') },
  llamaCpp: { image: 'ghcr.io/ggml-org/llama.cpp:server-cuda-b11206', name: text('llama.cpp b11206') },
};

/** A machine that was rented for a model ends with it; the weights can be fetched again. */
const rentedEnds: MachineEnds = { success: 'destroy', failure: 'destroy', limit: 'destroy' };
export const keptEnds: MachineEnds = { success: 'keep', failure: 'keep', limit: 'keep' };

/** The machine for a model. */
export function recipeOf(
  model: ModelFacts,
  { volume }: Pick<ServeSettings, 'volume'>,
  isLarger = false,
): OpenRecipe {
  return {
    filters: filtersFor(model, isLarger),
    image: images[model.engine].image,
    diskGb: diskGbFor(model),
    env: {},
    ...(volume === '' ? {} : { volumes: [{ name: volume, mount: volumeMount, optional: true }] }),
    whenRunning: 'ask',
  };
}

/** Where a job serves a model. */
interface ServePlace {
  /** The folder of this computer that stands for the workspace of the job. */
  readonly folder: string;
  readonly now: number;
  readonly gpuCount: number | undefined;
  readonly perHour: Micros | undefined;
  readonly isRented: boolean;
}

/** Returns the job that serves a model. */
export function modelJob(model: ModelFacts, settings: ServeSettings, place: ServePlace): DraftJob {
  const { idleMinutes, hours, volume, contextTokens } = settings;
  const serves: Serves = {
    name: servedNameOf(model),
    repository: model.repository,
    revision: model.engine === 'vllm' ? model.revision : undefined,
    engine: model.engine,
    file: model.file,
    downloadBytes: model.weightBytes,
    contextTokens,
    toolParser: model.toolParser,
    reasoningParser: model.reasoningParser,
    gpus: sharedGpus(place.gpuCount ?? 1),
    maxSequences,
    idleMinutes,
  };
  const cacheFolder = place.isRented && volume !== '' ? `${volumeMount}/gpu-rental` : undefined;
  const ends = place.isRented ? rentedEnds : keptEnds;
  const spec: JobSpec = {
    name: serves.name.slice(0, 40),
    run: serveScript(serves, { cacheFolder }),
    workdir: '.',
    env: {},
    secrets: model.isGated ? [tokenVariable] : [],
    outputs: [],
    machine: 'new',
    hours,
    costDollars: dollarsFor(hours, place.perHour),
    setupMinutes: 30,
    graceSeconds,
    ends,
    rentedEnds,
    keepMinutes: 0,
    checkpoints: [],
    fetchMinutes: 10,
    retries: {},
    maxParallel: 1,
  };
  const { folder, now } = place;
  const outputsTo = outputsFolderOf(spec, folder, now);
  return {
    order: { spec, workspace: folder, workspaceKey: workspaceKeyOf(folder, spec), ends, outputsTo, serves },
    each: [{ spec, outputsTo }],
    machines: 1,
    names: [],
    bytes: 0,
    secretFiles: [],
    leftOut: [],
  };
}

const graceSeconds = 30;
/** Getting ready and ending count as well. */
const spareHours = 1;

/** Its hours are its limit, so the money must pay for them. Without a price, nothing is limited by it. */
function dollarsFor(hours: number, perHour: Micros | undefined): number {
  const most = perHour === undefined ? undefined : costOf(hourlyRate(perHour), hours + spareHours);
  return most === undefined ? 1_000_000 : Math.ceil(toDollars(most) * 100) / 100;
}

/** Returns what the confirmation says of a model on an offer, and the job for the confirmed machine. */
export function tailoredModel(
  model: ModelFacts,
  settings: ServeSettings,
  place: Pick<ServePlace, 'folder' | 'now'>,
  from: Text,
): TailoredJob {
  return {
    heading: text('Model'),
    rentLabel: (rent) => text('{0} and Serve {1}', rent, servedNameOf(model)),
    facts: (offer) => modelFactsOn(model, settings, from, offer),
    on: ({ gpuCount, perHour }) => modelJob(model, settings, { ...place, gpuCount, perHour, isRented: true }),
  };
}

/** What an offer and an instance state alike. */
type Host = Parameters<typeof gpusOf>[0] & DownloadTerms;

/** Returns what the user confirms of a model on a machine. */
export function modelFactsOn(
  model: ModelFacts,
  { idleMinutes }: Pick<ServeSettings, 'idleMinutes'>,
  from: Text,
  host: Host,
): readonly OrderFact[] {
  return [
    ...modelFactRows(model, {
      engine: images[model.engine].name,
      from,
      gpus: gpusOf(host),
      host,
    }),
    {
      id: 'idle',
      label: text('When idle'),
      value:
        idleMinutes === 0
          ? text('it keeps running')
          : text('it ends after {0} without a request', durationText(idleMinutes * 60_000)),
    },
  ];
}

/** Returns the folder of a model on this computer, which holds nothing. */
export function modelFolder(root: string, model: ModelFacts): string {
  return join(root, servedNameOf(model));
}
