import assert from 'node:assert/strict';
import { errorCodes, meaningOf } from '../../../src/api/errorCodes';
import { formatText } from '../../../src/util/text';

/** Every code that interface.md (Errors 4) and the facts about the service (2.4 to 2.18) name. */
const documented = `
  auth_error invalid_permissions missing_permissions invalid_args missing_input invalid_request
  no_such_instance delete_ssh_from_instance tfa_challenge_exists max_secrets existing_key empty_input
  input_too_long invalid_characters nonexistent_key no_ssh_key no_such_volume resources_unavailable
  missing_billing label_too_long invalid_id not_authorized invalid_container_id invalid_container
  invalid_token rate_limit_exceeded bad_request invalid_tfa_method missing_auth_value missing_params
  email_not_verified 2fa_expired challenge_not_found no_challenge_found no_pending_authorization
  duplicate_tfa_method twilio_error phone_number_mismatch 2fa_login_failed 2fa_verification_failed
  missing_email missing_phone_number tfa_method_not_configured sms_blocked_number untracked_2fa_found
  invalid_backup_code authorization_required team_user_forbidden sms_fraud_detected not_found tfa_locked
  sms_rate_limited preauth_phone_cap twilio_rate_limited challenge_creation_failed service_unavailable
  invalid_price no_ssh_key_for_vm no_such_ask no_such_ssh_key deprecated_endpoint
  insufficient_credit spend_rate_limit team_ssh_keys_not_supported volume_in_use
`
  .trim()
  .split(/\s+/);

/** The words with which a sentence tells somebody what to do. */
const whatToDo =
  /\b(add|ask|attach|authorize|change|check|choose|delete|destroy|enter|give|have it|look|open|refresh|remove|rent|search|send|shorten|sign in|start|try|update|use|verify|wait)\b/i;

/** It starts by itself. */
const nothingToDo = new Set(['resources_unavailable']);

describe('errorCodes', () => {
  for (const code of documented) {
    it(`has a sentence and a next step for ${code}`, () => {
      const meaning = meaningOf(code);
      assert.ok(meaning, 'no entry');
      const sentence = formatText(meaning.text);
      assert.match(sentence, /^[A-Z].{20,}\.$/, 'a whole sentence');
      assert.doesNotMatch(sentence, /[_{}]|null|undefined|JSON|HTTP/, 'no jargon');
      assert.ok(nothingToDo.has(code) || whatToDo.test(sentence), 'what to do next');
    });
  }

  it('has no undocumented entry', () => {
    const extra = Object.keys(errorCodes).filter((code) => !documented.includes(code));
    assert.deepEqual(extra, []);
  });

  it('names for execute the commands it accepts, and distinguishes a broken body from a wrong command', () => {
    const route = 'PUT /api/v0/instances/command/{id}/';
    const sentence = (status: number) => formatText(meaningOf('invalid_args', route, status)?.text ?? '');
    assert.match(sentence(400), /ls, du and rm/);
    assert.match(sentence(483), /could not be read/);
    const four = ['invalid_args', 'invalid_container_id', 'invalid_container'].map((code) =>
      formatText(meaningOf(code, route, 400)?.text ?? ''),
    );
    assert.equal(new Set([...four, sentence(483)]).size, 4);
  });

  it('prefers the sentence of the route', () => {
    assert.notEqual(meaningOf('invalid_args', 'PUT /api/v0/asks/{offer_id}/'), meaningOf('invalid_args'));
    assert.equal(meaningOf('no_such_ask', 'PUT /api/v0/asks/{offer_id}/'), meaningOf('no_such_ask'));
  });

  it('states for a rental without a free GPU that nothing was rented, and for a deleted key that it is gone', () => {
    const rental = meaningOf('resources_unavailable', 'PUT /api/v0/asks/{offer_id}/');
    assert.equal(rental?.kind, 'gone');
    assert.match(formatText(rental.text), /nothing was rented/);
    const deletion = meaningOf('no_ssh_key', 'DELETE /api/v0/ssh/{id}/');
    assert.equal(deletion, meaningOf('no_such_ssh_key'));
  });

  it('finds nothing for a code that is the name of something built in', () => {
    assert.deepEqual(
      ['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((code) => meaningOf(code)),
      [undefined, undefined, undefined, undefined],
    );
  });
});
