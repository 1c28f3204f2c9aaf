import { isIPv6 } from 'node:net';
import { homeFolder, userName } from './thisUser';

/** Names of this computer's user, to be removed. */
export interface Person {
  readonly home: string;
  readonly userName: string;
}

export function thisPerson(): Person {
  return { home: homeFolder(), userName: userName() ?? '' };
}

/** Removes mail addresses, network addresses, the home folder and the user's name. */
export function impersonal(text: string, { home, userName }: Person): string {
  const withoutAddresses = withoutHome(text, home)
    .replace(/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<mail address>')
    .replace(/(?<![\d.])(?!127\.0\.0\.1(?!\d))\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/g, '<address>')
    .replace(/(?<![\w:])[0-9a-f]*:[0-9a-f:]*[0-9a-f](?!\w)/gi, (word) =>
      isIPv6(word) && word !== '::1' ? '<address>' : word,
    );
  return userName.length < 3
    ? withoutAddresses
    : withoutAddresses.replace(new RegExp(`(?<![\\w-])${escaped(userName)}(?![\\w-])`, 'g'), '<user>');
}

/**
 * Replaces the home folder in each notation: with either slash, with doubled ones as in JSON, and as part of an address.
 * The editor writes the letter of a drive in lower case.
 */
function withoutHome(text: string, home: string): string {
  if (home.length < 3) {
    return text;
  }
  const forward = home.replaceAll('\\', '/');
  const notations = [home, home.replaceAll('\\', '\\\\'), forward, encodeURI(forward).replace(':', '%3A')];
  const isOnDrive = /^[A-Za-z]:/.test(home);
  return text.replace(new RegExp(notations.map(escaped).join('|'), isOnDrive ? 'gi' : 'g'), '~');
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
