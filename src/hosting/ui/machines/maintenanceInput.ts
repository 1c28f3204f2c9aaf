import { toDollars } from '../../../model/money';
import { highestBid } from '../../../model/quote';
import { text, type Text } from '../../../util/text';
import { typedNumber } from '../../../util/typedNumber';

/**
 * Parses `YYYY-MM-DD HH:MM` in the user's time zone to milliseconds since 1970, or returns the problem. Rejects times
 * in the past and times that a clock change skips.
 */
export function parseStart(input: string, now: number): number | Text {
  const parts = /^\s*(\d{4})-(\d{2})-(\d{2})[ T](\d{1,2}):(\d{2})\s*$/.exec(input);
  if (!parts) {
    return text('Enter date and time like this: 2027-01-31 08:30');
  }
  const [year, month, day, hour, minute] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(year, month - 1, day, hour, minute);
  const isSame =
    date.getFullYear() === year &&
    date.getMonth() === month - 1 &&
    date.getDate() === day &&
    date.getHours() === hour &&
    date.getMinutes() === minute;
  if (!isSame) {
    return text('There is no such time in your time zone.');
  }
  return date.getTime() <= now ? text('This time is in the past. Enter a later time.') : date.getTime();
}

/** Parses hours: more than zero, at most 30 days. */
export function parseHours(input: string): number | Text {
  const hours = typedNumber(input);
  return input.trim() !== '' && Number.isFinite(hours) && hours > 0 && hours <= 720
    ? hours
    : text('Enter the number of hours, for example 2 or 1.5; 720 at most.');
}

/** Formats a time for `parseStart`, in the user's time zone. */
export function formatStart(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Parses dollars an hour for one GPU, more than zero and no more than anyone can bid. */
export function parsePrice(input: string): number | Text {
  const price = typedNumber(input.trim().replace(/^\$/, ''));
  const most = toDollars(highestBid(1));
  return input.trim() !== '' && Number.isFinite(price) && price > 0 && price <= most
    ? price
    : text('Enter dollars an hour for one GPU, for example 0.25; {0} at most.', most);
}
