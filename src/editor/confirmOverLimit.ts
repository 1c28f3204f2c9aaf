import { formatMoney, type Micros } from '../model/money';
import { confirm } from './confirm';
import { t } from './localize';

/** Returns true if the user's hourly limit allows a cost (`over` is undefined), or if the user confirms the excess. */
export async function confirmOverLimit(
  over: { readonly limit: Micros; readonly total?: Micros } | undefined,
  {
    sentence,
    ...question
  }: {
    /** Names the cost of all instances and the limit. */
    readonly sentence: (total: string, limit: string) => string;
    readonly message: string;
    readonly button: string;
  },
): Promise<boolean> {
  if (!over) {
    return true;
  }
  const limit = formatMoney(over.limit);
  const detail =
    over.total === undefined
      ? t('The price of some running instances is unknown, so you may exceed your limit of {0}/h.', limit)
      : sentence(formatMoney(over.total), limit);
  return confirm({ ...question, detail });
}
