import type { ConsolePageName, NextStep } from '../util/errors';
import { text, type Text } from '../util/text';

/** Which `ApiError` subclass a code becomes. */
export type CodeKind = 'unauthorized' | 'forbidden' | 'notFound' | 'gone' | 'refused';

export interface CodeMeaning {
  readonly kind: CodeKind;
  readonly text: Text;
  readonly nextStep: NextStep;
  readonly consolePage?: ConsolePageName;
}

const refused = (sentence: Text, nextStep: NextStep = 'none'): CodeMeaning => ({
  kind: 'refused',
  text: sentence,
  nextStep,
});
const onConsole = (sentence: Text, consolePage: ConsolePageName): CodeMeaning => ({
  ...refused(sentence, 'openConsole'),
  consolePage,
});
const notFound = (sentence: Text): CodeMeaning => ({ kind: 'notFound', text: sentence, nextStep: 'retry' });

const goneKey = notFound(text('This no longer exists. Refresh the list.'));

/** Explains each documented `error` code to a user (docs/service/errors.md#codes). */
export const errorCodes: Readonly<Record<string, CodeMeaning>> = {
  // Keys and permissions.
  auth_error: {
    kind: 'unauthorized',
    text: text(
      'The service did not accept the API key. It is wrong, expired or revoked, lacks a permission, or its list of IP addresses leaves this computer out. Use another key.',
    ),
    nextStep: 'replaceKey',
  },
  not_authorized: {
    kind: 'forbidden',
    text: text('The API key is not allowed to do this. Use a key with more permissions.'),
    nextStep: 'replaceKey',
  },
  invalid_permissions: refused(
    text('The service did not accept the request. Check the values and try again.'),
  ),
  missing_permissions: refused(text('A new key needs at least one permission. Choose one and try again.')),

  // Values of a request.
  invalid_args: refused(text('The service did not accept the request. Check the values and try again.')),
  invalid_request: refused(text('The service did not accept the request. Check the values and try again.')),
  bad_request: refused(text('The service did not accept the request. Check the values and try again.')),
  missing_input: refused(text('A value is missing. Fill it in and try again.')),
  missing_params: refused(text('A value is missing. Fill it in and try again.')),
  missing_auth_value: refused(text('This code is no longer valid. Ask for another code.'), 'signIn'),
  empty_input: refused(text('A value is missing. Fill it in and try again.')),
  input_too_long: refused(text('The value is too long. Shorten it and try again.')),
  invalid_characters: refused(
    text(
      'The value has characters that the service does not take. Use letters, digits, dots, hyphens and underscores.',
    ),
  ),
  invalid_token: refused(text('The list changed while it was read. Refresh and try again.'), 'retry'),

  // Environment variables of the account.
  existing_key: refused(
    text('An environment variable with this name exists. Change its value or choose another name.'),
  ),
  nonexistent_key: notFound(text('This no longer exists. Refresh the list.')),
  max_secrets: refused(
    text('The account has as many environment variables as it may have. Delete one first.'),
  ),

  // Offers and rentals.
  no_such_ask: {
    kind: 'gone',
    text: text('This offer is no longer available. Choose another one.'),
    nextStep: 'retry',
  },
  invalid_price: refused(
    text('The service did not accept the bid price. Enter a price of at least the minimum bid.'),
  ),
  no_ssh_key_for_vm: refused(
    text('A virtual machine needs an SSH key before it is rented. Add one to the account and try again.'),
    'addSshKey',
  ),
  missing_billing: onConsole(
    text('The account has too little credit, or no way to pay. Add credit in the web console and try again.'),
    'credit',
  ),
  insufficient_credit: onConsole(
    text('The account has too little credit, or no way to pay. Add credit in the web console and try again.'),
    'credit',
  ),
  spend_rate_limit: onConsole(
    text(
      'The account may not spend this much per hour yet. Verify its e-mail address in the web console, or choose something cheaper.',
    ),
    'user',
  ),

  // Instances.
  no_such_instance: notFound(text('This no longer exists. Refresh the list.')),
  invalid_id: notFound(text('This no longer exists. Refresh the list.')),
  not_found: notFound(text('The service does not know what was asked for. Refresh and try again.')),
  resources_unavailable: refused(
    text('The machine has no free GPU for this instance now. It starts as soon as one is free.'),
  ),
  label_too_long: refused(text('The value is too long. Shorten it and try again.')),
  invalid_container_id: refused(
    text(
      "The command can't run because the instance has no container with this number. Refresh and try again.",
    ),
    'retry',
  ),
  invalid_container: refused(
    text(
      "The command can't run because the container of the instance does not run. Start the instance and try again.",
    ),
  ),

  // SSH keys.
  no_ssh_key: refused(
    text('The service found no SSH public key in the request. Choose a public key and try again.'),
  ),
  no_such_ssh_key: goneKey,
  team_ssh_keys_not_supported: refused(
    text("A team account can't have SSH keys. Attach the key to each instance instead."),
  ),
  delete_ssh_from_instance: refused(
    text('The service could not take the SSH key off the instance. Try again when the instance runs.'),
    'retry',
  ),

  // Volumes.
  no_such_volume: notFound(text('This no longer exists. Refresh the list.')),
  volume_in_use: refused(
    text('An instance still uses this volume. Destroy the instance, wait a minute, then try again.'),
  ),

  // The service itself.
  deprecated_endpoint: {
    kind: 'gone',
    text: text('The service has withdrawn this function. Look for a newer version of this extension.'),
    nextStep: 'none',
  },
  rate_limit_exceeded: refused(
    text('The service refuses more requests for now. Wait a minute and try again.'),
    'retry',
  ),
  service_unavailable: refused(
    text('The service has a problem of its own. Try again in a few minutes.'),
    'retry',
  ),

  // Two-factor authentication (docs/service/two-factor.md#error-codes).
  invalid_tfa_method: refused(text('This 2FA method is not set up for the account. Choose another one.')),
  email_not_verified: onConsole(
    text('The e-mail address of the account is not verified. Verify it in the web console and try again.'),
    'user',
  ),
  '2fa_expired': refused(text('This code is no longer valid. Ask for another code.'), 'retry'),
  challenge_not_found: refused(text('This code is no longer valid. Ask for another code.'), 'retry'),
  no_challenge_found: refused(text('No code was sent yet. Ask for a code first.'), 'retry'),
  tfa_challenge_exists: refused(
    text('A code was sent a short while ago. Enter that one, or have it sent again.'),
    'retry',
  ),
  no_pending_authorization: refused(
    text('The permission to add a 2FA method is missing or has expired. Authorize it again.'),
    'retry',
  ),
  duplicate_tfa_method: refused(text('This 2FA method is set up already. Choose another one.')),
  twilio_error: refused(
    text('The text message could not be sent. Check the phone number and try again.'),
    'retry',
  ),
  phone_number_mismatch: refused(
    text('The phone number is not the one that the code was sent to. Enter the same number.'),
  ),
  '2fa_login_failed': refused(text('This code is no longer valid. Ask for another code.'), 'retry'),
  '2fa_verification_failed': refused(text('The code is wrong. Check it and try again.'), 'retry'),
  missing_email: onConsole(
    text('The account has no e-mail address. Add one in the web console and try again.'),
    'user',
  ),
  missing_phone_number: refused(text('The account has no phone number. Enter one and try again.')),
  tfa_method_not_configured: refused(
    text('This 2FA method is not set up for the account. Choose another one.'),
  ),
  sms_blocked_number: refused(
    text('No text messages are sent to this phone number. Use another number or method.'),
  ),
  untracked_2fa_found: onConsole(
    text('The account has a 2FA method that only the web console can change. Change it there.'),
    'user',
  ),
  invalid_backup_code: refused(
    text('The backup code is wrong or was used before. Enter another one.'),
    'retry',
  ),
  authorization_required: refused(
    text('The permission to add a 2FA method is missing or has expired. Authorize it again.'),
    'retry',
  ),
  team_user_forbidden: {
    kind: 'forbidden',
    text: text("A team account can't change 2FA methods. Switch to your own account."),
    nextStep: 'signIn',
  },
  sms_fraud_detected: {
    kind: 'forbidden',
    text: text('No text messages are sent to this phone number. Use another number or method.'),
    nextStep: 'none',
  },
  tfa_locked: refused(
    text('There were too many wrong codes. This method is locked for 15 minutes; use another one or wait.'),
  ),
  sms_rate_limited: refused(text('Too many text messages were asked for. Wait some minutes and try again.')),
  preauth_phone_cap: refused(text('Too many text messages were asked for. Wait some minutes and try again.')),
  twilio_rate_limited: refused(
    text('Too many text messages were asked for. Wait some minutes and try again.'),
  ),
  challenge_creation_failed: refused(
    text('The service has a problem of its own. Try again in a few minutes.'),
    'retry',
  ),
};

/**
 * Codes for an unspecified error in the request. The text sent with them is more
 * precise (docs/service/errors.md#codes-in-the-text).
 */
const vagueCodes: ReadonlySet<string> = new Set([
  'invalid_args',
  'invalid_request',
  'bad_request',
  'missing_params',
  'invalid_price',
]);

export function isVague(code: string): boolean {
  return vagueCodes.has(code);
}

/** Refusals that are recognized by their text, because some have no code or a vague one. */
const knownSentences: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:lacks?|insufficient|not enough|out of|no|too little)\b.{0,20}\b(?:credits?|funds|balance)\b/i,
    'insufficient_credit',
  ],
  [/\bspend(?:ing)?[ _-]rate\b/i, 'spend_rate_limit'],
  [/\bverify (?:(?:your|the|its|account|account's) ){0,3}e-?mail\b/i, 'email_not_verified'],
  [/\be-?mail\b.{0,30}\b(?:unverified|not (?:yet |been ){0,2}verified)\b/i, 'email_not_verified'],
  [/\b(?:ask|offer|instance type)\b.{0,40}\b(?:not|no longer) available\b/i, 'no_such_ask'],
];

/**
 * Returns the documented code that the service's own text names, or else describes. A
 * vague code is less precise than the text, and a text may use `not_found` for anything.
 */
export function codeInText(
  sentence: string,
): { readonly code: string; readonly isGuessed: boolean } | undefined {
  const named = sentence
    .match(/(?<![a-z0-9])[a-z0-9]+(?:_[a-z0-9]+)+/g)
    ?.find((word) => word !== 'not_found' && !isVague(word) && own(errorCodes, word) !== undefined);
  const code = named ?? knownSentences.find(([pattern]) => pattern.test(sentence))?.[1];
  return code === undefined ? undefined : { code, isGuessed: named === undefined };
}

const notCancelled = refused(
  text("The service can't reach the machine, so its copies continue. Cancel them in the web console."),
);

/** Sentences for one route where a code alone would be too vague. */
const atRoute: Readonly<Record<string, Readonly<Record<string, CodeMeaning>>>> = {
  'PUT /api/v0/instances/command/{id}/': {
    invalid_args: refused(
      text(
        'The service does not run this command. Only ls, du and rm, with at most 512 characters, are possible.',
      ),
    ),
    // Refused with HTTP 483 (docs/service/commands.md#execute).
    'invalid_args 483': refused(
      text('The command could not be read by the service. Leave out unusual characters and try again.'),
    ),
  },
  'PUT /api/v0/asks/{offer_id}/': {
    invalid_args: refused(
      text('The service did not accept the rental. Check the image, the disk size and the other values.'),
    ),
    // Beside a `new_contract` it is no refusal: that instance waits (docs/service/renting.md#unavailable-machines).
    resources_unavailable: {
      kind: 'gone',
      text: text('The machine has no free GPU now, so nothing was rented. Choose another offer.'),
      nextStep: 'retry',
    },
  },
  // The service spells the code in both ways (docs/service/commands.md#cancel-a-cloud-copy).
  'DELETE /api/v0/commands/rclone/': { invalid_args: notCancelled, invalid_arqgs: notCancelled },
  // The key of the path is the one that is missing.
  'DELETE /api/v0/ssh/{id}/': { no_ssh_key: goneKey },
  'PUT /api/v0/instances/bid_price/{id}/': {
    invalid_args: refused(
      text('The service did not accept the bid price. Enter a price of at least the minimum bid.'),
    ),
  },
  'PUT /api/v0/template/': {
    not_found: {
      kind: 'notFound',
      text: text('The template was changed or deleted elsewhere. Open it again and repeat the change.'),
      nextStep: 'retry',
    },
  },
};

/** The meaning of a code, most precise first; `undefined` for codes that are not documented. */
export function meaningOf(code: string, route?: string, status?: number): CodeMeaning | undefined {
  const here = route === undefined ? undefined : own(atRoute, route);
  return (here && (own(here, `${code} ${String(status)}`) ?? own(here, code))) ?? own(errorCodes, code);
}

/** Reads a table by a key from outside, so that "constructor" finds nothing. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
