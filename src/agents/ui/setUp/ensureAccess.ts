import { confirm } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { formatMoney, fromDollars } from '../../../model/money';
import type { AgentLimits } from '../../model/limits';
import type { Services } from '../../services';

export type AccessDeps = Pick<Services, 'agentLimits' | 'settings'>;

/** Asks for access if agents are off; the user's yes also confirms the limits. */
export async function ensureAccess({ agentLimits, settings }: AccessDeps): Promise<boolean> {
  const { set, inForce } = await agentLimits.read();
  if (inForce.access !== 'off') {
    return true;
  }
  const asked: AgentLimits = { ...set, access: 'ask' };
  const isAgreed = await confirm({
    message: t('Let agents on this computer use GPU Rental?'),
    detail: [
      t(
        'They see your instances, offers and prices. You confirm each rental, start and destruction first, with its price.',
      ),
      t(
        'Limits: {0}/day and {1}/h without traffic, instances: {2}, hours of a rental: {3}, questions an hour: {4}.',
        formatMoney(fromDollars(asked.perDay)),
        formatMoney(fromDollars(asked.perHour)),
        asked.instances,
        asked.hours,
        asked.questionsPerHour,
      ),
    ].join('\n'),
    button: t('Allow'),
  });
  if (isAgreed) {
    // In this order, because a setting above the confirmed limits would be asked about again.
    await agentLimits.confirm(asked, asked.access);
    await settings.set('gpuRental.agents.access', 'ask');
  }
  return isAgreed;
}
