import { text } from '../util/text';
import { NotSentError } from './errors';

export interface RegistryLogin {
  readonly user: string;
  /** An access token or password; never logged. */
  readonly token: string;
  /** Host of the registry, with port and path where needed. */
  readonly registry: string;
}

/**
 * One word that can't be another flag, a quote, or a further shell command. A dollar
 * sign alone is none, and occurs in names such as `$oauthtoken`, the user of nvcr.io.
 */
const word = '[^\\s\\x00-\\x1f\\x7f\'"`\\\\;|&<>(){}-][^\\s\\x00-\\x1f\\x7f\'"`\\\\;|&<>(){}]*';
const host = '[A-Za-z0-9][A-Za-z0-9.-]*(?::\\d{1,5})?(?:/[A-Za-z0-9._/-]+)?';
const wordForm = new RegExp(`^${word}$`);
const hostForm = new RegExp(`^${host}$`);
const loginForm = new RegExp(`^-u (?<user>${word}) -p (?<token>${word}) (?<registry>${host})$`);

/** The `image_login` flags for a private registry; throws `NotSentError` for values that would break them. */
export function imageLogin(login: RegistryLogin): string {
  if (!wordForm.test(login.user)) {
    throw new NotSentError(
      text('The user name or token of the registry has spaces or special characters. Correct it.'),
    );
  }
  if (!wordForm.test(login.token)) {
    throw new NotSentError(
      text('The user name or token of the registry has spaces or special characters. Correct it.'),
    );
  }
  if (!hostForm.test(login.registry)) {
    throw new NotSentError(
      text('"{0}" is not the address of a registry. Enter one such as ghcr.io.', login.registry),
    );
  }
  return `-u ${login.user} -p ${login.token} ${login.registry}`;
}

/** Returns the parts of what `imageLogin` makes, `undefined` for anything else. */
export function readImageLogin(flags: string): RegistryLogin | undefined {
  const { user, token, registry } = loginForm.exec(flags)?.groups ?? {};
  return user === undefined || token === undefined || registry === undefined
    ? undefined
    : { user, token, registry };
}
