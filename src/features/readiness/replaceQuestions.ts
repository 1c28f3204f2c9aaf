import type { Question } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { formatMoney, type Micros } from '../../model/money';

/** For a machine without data: it never ran, or is gone. */
export function nextBestQuestion(name: string, priceLimit: Micros): Question {
  return {
    message: t('Rent the next best machine in place of “{0}”?', name),
    detail: t('It matches the same search and costs at most {0}/h.', formatMoney(priceLimit)),
    button: t('Rent Next Best'),
  };
}

/** For a machine that holds data, or may hold some. */
export function lossQuestion(name: string, priceLimit: Micros, isKnown: boolean): Question {
  const price = formatMoney(priceLimit);
  const button = t('Destroy and Rent Next Best');
  return isKnown
    ? {
        message: t('Replace “{0}”, and lose the data on it?', name),
        detail: t(
          'It has run before, and all data on its disk is lost for good. Then the next best offer of the same search is rented for at most {0}/h.',
          price,
        ),
        button,
      }
    : {
        message: t('Replace “{0}”, and lose any data on it?', name),
        detail: t(
          'It may have run while no editor was open, and any data on its disk is lost for good. Then the next best offer of the same search is rented for at most {0}/h.',
          price,
        ),
        button,
      };
}
