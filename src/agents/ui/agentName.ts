import { t } from '../../editor/localize';
import { claimedName } from '../model/claimedName';

/**
 * Returns the name of the caller: the chat of this editor, or a client by the name
 * that it gives itself, as its claim.
 */
export function agentName({ name, door }: { readonly name: string; readonly door: 'chat' | 'mcp' }): string {
  return door === 'chat' ? t('the chat') : t('“{0}” (unverified name)', claimedName(name));
}
