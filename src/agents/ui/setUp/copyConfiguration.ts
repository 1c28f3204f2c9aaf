import * as vscode from 'vscode';
import { localize } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { pickOne } from '../../../editor/quickPick';
import { titleOf } from '../../../editor/titles';
import { mcpClients, type ServerCommand } from '../../model/mcpConfiguration';

/** Copies the configuration by which a client starts the server, and shows where to put it. */
export async function copyConfiguration(server: () => Promise<ServerCommand>): Promise<void> {
  const rows = mcpClients.map((client) => ({ label: client.name, client }));
  const picked = await pickOne(rows, { title: titleOf('gpuRental.agents.setUp') });
  if (picked) {
    const text = picked.client.write(await server(), process.platform === 'win32');
    await vscode.env.clipboard.writeText(text);
    message('info', localize(picked.client.next));
  }
}
