import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { pickFromList, type Row } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { tokensText } from '../model/modelText';
import { servingFailureText, waysOn, type ServingFailure, type WayOn } from '../model/servingFailure';
import type { ServedModel } from '../store/servedModels';

/** How a model is served after a failure. */
export interface ServeWish {
  readonly contextTokens?: number;
  /** More GPU memory than the rule asks for. */
  readonly isLarger?: true;
  /** Asks for the token again. */
  readonly needsToken?: true;
}

type Way = ServeWish | 'otherModel' | 'modelPage';

/** Where the engine named no length. */
const shortTokens = 16_384;

/** Lets the user choose what helps against a failure; `undefined` if the user cancels. */
export async function chooseWay(model: ServedModel, failure: ServingFailure): Promise<Way | undefined> {
  const ways = waysOn(failure);
  const rows = [
    ...(has(ways, 'setToken') ? [row('key', t('Set Token…'), { needsToken: true })] : []),
    ...(has(ways, 'openModelPage') ? [row('link-external', t('Open Model Page'), 'modelPage')] : []),
    ...(has(ways, 'largerGpu', 'moreGpus')
      ? [row('rocket', t('Rent More GPU Memory…'), { isLarger: true })]
      : [row('rocket', t('Rent Another Machine…'), {})]),
    ...(has(ways, 'smallerContext') ? [shorter(failure)] : []),
    ...(has(ways, 'otherModel', 'otherFormat') ? [row('sparkle', t('Other Model…'), 'otherModel')] : []),
  ];
  const answer = await pickFromList<Way>({
    title: titleOf('gpuRental.model.serveAgain'),
    placeholder: localize(servingFailureText(failure, model)),
    rows,
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

function has(ways: readonly WayOn[], ...wanted: readonly WayOn[]): boolean {
  return wanted.some((way) => ways.includes(way));
}

function row(icon: string, label: string, value: Way): Row<Way> {
  return { id: label, icon, label, value };
}

function shorter({ count = shortTokens }: ServingFailure): Row<Way> {
  return {
    ...row('fold', t('Shorter Context…'), { contextTokens: count }),
    description: t('{0} tokens', tokensText(count)),
  };
}

/** Opens the page of a model at the hub. */
export async function openModelPage({ repository }: Pick<ServedModel, 'repository'>): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(`https://huggingface.co/${repository}`, true));
}
