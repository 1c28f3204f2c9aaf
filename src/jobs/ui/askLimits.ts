import { t } from '../../editor/localize';
import { askLine } from '../../editor/quickPick';
import type { JobFields } from '../model/jobFields';

/** Asks for the limits of a job that no file describes; `undefined` if the user canceled. */
export async function askLimits(title: string): Promise<JobFields['limits']> {
  const hours = await askNumber(title, t('Maximum run time in hours'), 6);
  const costDollars =
    hours === undefined ? undefined : await askNumber(title, t('Maximum cost in dollars'), 5);
  return hours === undefined || costDollars === undefined ? undefined : { hours, costDollars };
}

async function askNumber(title: string, prompt: string, value: number): Promise<number | undefined> {
  const typed = await askLine({
    title,
    prompt,
    value: String(value),
    problem: (line) =>
      Number(line) > 0 && Number(line) <= 720 ? undefined : t('Enter a number above 0 and at most 720.'),
  });
  return typed === undefined ? undefined : Number(typed);
}
