import { localize, t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { askLine, pickFromList, type Row } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { repositoryShape } from '../../jobs/model/serves';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { knownModel, knownModels, servedNameOf, type ModelFacts } from '../model/knownModels';
import { modelSummary } from '../model/modelText';
import type { FoundModel } from '../store/hub';

/** A model whose sizes are known, and who stated them. */
export type ChosenModel = Extract<FoundModel, { readonly kind: 'found' }>;

interface Deps {
  readonly findModel: (repository: string, signal: AbortSignal) => Promise<FoundModel>;
}

const title = () => titleOf('gpuRental.model.serve');

/** Lets the user pick a model. The hub is not asked where the demo rents, which downloads nothing. */
export async function chooseModel(deps: Deps, isDemo: boolean): Promise<ChosenModel | undefined> {
  const answer = await pickFromList<ModelFacts | 'other'>({
    title: title(),
    placeholder: t('Which model? GPUs, prices and ends follow before anything is rented'),
    rows: [...knownModels.map(rowOf), otherRow()],
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  if (answer.value !== 'other') {
    const { repository } = answer.value;
    return (isDemo ? fromTable(repository) : undefined) ?? readModel(deps, repository);
  }
  const typed = await askLine({
    title: title(),
    prompt: t('Owner and name of the model at huggingface.co'),
    placeholder: 'Qwen/Qwen3-8B',
    problem: (value) =>
      repositoryShape.test(repositoryIn(value)) ? undefined : t('Enter owner/name, as at the hub.'),
  });
  return typed === undefined ? undefined : readModel(deps, repositoryIn(typed));
}

/** Returns a model as this version knows it. */
export function fromTable(repository: string): ChosenModel | undefined {
  const facts = knownModel(repository);
  return facts && { kind: 'found', facts, from: 'table' };
}

function rowOf(model: ModelFacts): Row<ModelFacts> {
  return {
    id: `${model.repository} ${model.file ?? ''}`,
    icon: 'sparkle',
    label: model.file === undefined ? servedNameOf(model) : `${servedNameOf(model)} ${model.file}`,
    description: modelSummary(model).map(localize).join(' · '),
    value: model,
  };
}

function otherRow(): Row<'other'> {
  return { id: 'other', icon: 'search', label: t('Other Model of the Hub…'), value: 'other' };
}

/** An address of the hub is as good as a name. */
function repositoryIn(typed: string): string {
  return typed
    .trim()
    .replace(/^https:\/\/(?:huggingface\.co|hf\.co)\//, '')
    .replace(/\/$/, '');
}

/** Throws, before anything is paid, for what can't be served. */
export async function readModel({ findModel }: Deps, repository: string): Promise<ChosenModel> {
  const name = plainLabel(repository);
  const found = await withCancellableProgress(t('Reading {0} at the hub…', name), (signal) =>
    findModel(repository, signal),
  );
  switch (found.kind) {
    case 'found':
      return found;
    case 'unknown':
      throw new UserError(text('The hub has no model {0}, or it is private.', name));
    case 'noWeights':
      throw new UserError(text('{0} has no weights that vLLM or llama.cpp can load.', name));
    case 'ownCode':
      throw new UserError(text('{0} runs code of its repository, which GPU Rental does not allow.', name));
    case 'noAnswer':
      throw new UserError(text('The hub did not answer, so the size of {0} is unknown. Try again.', name));
  }
}
