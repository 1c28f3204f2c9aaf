import * as vscode from 'vscode';
import { userValue } from './userValue';

export const agentAccess = 'gpuRental.agents.access';

export function areAgentsLetIn(): boolean {
  const found = vscode.workspace.getConfiguration().inspect<unknown>(agentAccess);
  const value = userValue(found, vscode.env.remoteName !== undefined);
  return value === 'read' || value === 'ask';
}
