import * as vscode from 'vscode';
import { confirm } from '../../../editor/confirm';
import { localize, t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { pickOne } from '../../../editor/quickPick';
import { titleOf } from '../../../editor/titles';
import { formatMoney, fromDollars } from '../../../model/money';
import type { AgentLimits } from '../../model/limits';
import { mcpClients, serverCommand } from '../../model/mcpConfiguration';
import type { Services } from '../../services';
import { keepServer } from './serverFile';

export type CopyDeps = Pick<Services, 'agentLimits' | 'settings' | 'storageDir' | 'extensionUri' | 'log'>;

/** Copies the configuration by which a client starts the server, and shows where to put it. */
export async function copyConfiguration(deps: CopyDeps): Promise<void> {
  if (!(await ensureAccess(deps))) {
    return;
  }
  const rows = mcpClients.map((client) => ({ label: client.name, client }));
  const picked = await pickOne(rows, { title: titleOf('gpuRental.agents.copyMcpConfiguration') });
  if (!picked) {
    return;
  }
  const server = serverCommand(await keepServer(deps), {
    execPath: process.execPath,
    isElectron: 'electron' in process.versions,
    platform: process.platform,
    env: process.env,
  });
  await vscode.env.clipboard.writeText(picked.client.write(server, process.platform === 'win32'));
  message('info', localize(picked.client.next));
}

/** Asks for access if agents are off; the user's yes also confirms the limits. */
async function ensureAccess({ agentLimits, settings }: CopyDeps): Promise<boolean> {
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
