import type { SecondFactorBody } from './body';
import { isLegacy, methodById, onlyMethod } from './challenges';
import { refuse, type SecondFactorContext } from './context';
import { freshBackupCodes } from './enrol';
import { backupCodesRemaining, secondFactorStatus, type SecondFactorMethod } from './state';
import { verify } from './verify';

/** The visible part of a method: the last four digits of a number, never a TOTP secret. */
export function shownMethod(method: SecondFactorMethod): Record<string, unknown> {
  return {
    id: method.id,
    user_id: method.user_id,
    method: method.method,
    label: method.label,
    ...(method.phone !== undefined && { phone_number: maskPhone(method.phone) }),
    is_primary: method.is_primary,
    fail_count: method.fail_count,
    locked_until: method.locked_until,
    created_at: method.created_at,
    last_used: method.last_used,
  };
}

function maskPhone(phone: string): string {
  return '*'.repeat(Math.max(0, phone.length - 4)) + phone.slice(-4);
}

/** GET status. */
export function status(context: SecondFactorContext): Record<string, unknown> {
  const { account, now } = context;
  return {
    success: true,
    tfa_enabled: secondFactorStatus(account) !== 'disabled',
    methods: account.methods.map(shownMethod),
    backup_codes_remaining: backupCodesRemaining(account),
    new_method_authorized: account.authorizedUntil > now,
  };
}

/** DELETE tfa: removes the verifying method, or `target_id`, which a backup code or e-mail must name. */
export function removeMethod(context: SecondFactorContext, body: SecondFactorBody): Record<string, unknown> {
  const { account } = context;
  const targetId = body.integer('target_id');
  if (targetId === undefined && body.text('backup_code') !== undefined) {
    throw refuse('missing_params', 'target_id is required with backup_code.');
  }
  const legacy = isLegacy(account);
  if (!legacy && account.methods.length === 0) {
    throw refuse('tfa_method_not_configured');
  }
  const named = legacy || targetId === undefined ? undefined : methodById(account, targetId);
  if (!legacy && !named && body.factor() === 'email') {
    throw refuse('missing_params', 'target_id is required with email.');
  }
  const proof = verify(context, body);
  const target = named ?? proof.method;
  account.methods = account.methods.filter((each) => each !== target);
  if (account.methods.length > 0) {
    const [oldest] = account.methods;
    if (oldest && !account.methods.some((each) => each.is_primary)) {
      oldest.is_primary = true;
    }
    return { success: true, msg: '2FA method removed', remaining_methods: account.methods.length };
  }
  account.backupCodes = [];
  account.authorizedUntil = 0;
  account.demanded = false;
  delete account.legacyPhone;
  return { success: true, msg: '2FA Successfully Disabled' };
}

/** PUT update: label and primary mark; the mark can be moved, but not removed. */
export function updateMethod(context: SecondFactorContext, body: SecondFactorBody): Record<string, unknown> {
  const { account } = context;
  if (isLegacy(account)) {
    throw refuse('untracked_2fa_found');
  }
  const id = body.integer('tfa_method_id');
  const type = body.factor();
  const label = body.label();
  const primary = body.flag('is_primary');
  if (type === 'email') {
    throw refuse('invalid_tfa_method', 'Email cannot be stored as a 2FA method.');
  }
  if (id === undefined && type === undefined) {
    throw refuse('missing_params', 'tfa_method_id or tfa_method is required.');
  }
  const method = id !== undefined ? methodById(account, id, type) : type && onlyMethod(account, type);
  if (!method) {
    throw refuse('not_found');
  }
  if (primary === false && method.is_primary) {
    throw refuse('bad_request', 'Make another method primary instead.');
  }
  if (label !== undefined) {
    method.label = label;
  }
  if (primary === true) {
    for (const each of account.methods) {
      each.is_primary = each === method;
    }
  }
  return { success: true, msg: '2FA method updated', method: shownMethod(method) };
}

/** PUT regen-backup-codes: ten codes; every older one is void. */
export function regenerateBackupCodes(
  context: SecondFactorContext,
  body: SecondFactorBody,
): Record<string, unknown> {
  if (isLegacy(context.account)) {
    throw refuse('untracked_2fa_found');
  }
  if (context.account.methods.length === 0) {
    throw refuse('tfa_method_not_configured');
  }
  verify(context, body);
  return { msg: 'success', backup_codes: freshBackupCodes(context) };
}
