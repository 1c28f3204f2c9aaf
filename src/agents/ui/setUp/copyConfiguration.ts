import * as vscode from 'vscode';
import { localize } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { pickOne } from '../../../editor/quickPick';
import { titleOf } from '../../../editor/titles';
import { mcpClients } from '../../model/mcpConfiguration';
import type { Services } from '../../services';
import { ensureAccess } from './ensureAccess';
import { startOfServer } from './serverFile';

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
  const server = await startOfServer(deps);
  await vscode.env.clipboard.writeText(picked.client.write(server, process.platform === 'win32'));
  message('info', localize(picked.client.next));
}
