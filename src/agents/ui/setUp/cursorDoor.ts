import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../util/disposable';
import { serverName, type ServerCommand } from '../../model/mcpConfiguration';
import type { Services } from '../../services';

/** Cursor's own interface, which other editors lack. */
interface CursorServers {
  registerServer(server: { readonly name: string; readonly server: ServerCommand }): unknown;
  unregisterServer(name: string): unknown;
}

export function cursorServers(): CursorServers | undefined {
  const { cursor } = vscode as { readonly cursor?: { readonly mcp?: CursorServers } };
  return typeof cursor?.mcp?.registerServer === 'function' ? cursor.mcp : undefined;
}

/** Offers the server to the agents of Cursor while access is on. */
export function cursorDoor(
  settings: Services['settings'],
  start: () => Promise<ServerCommand>,
  failed: (error: unknown) => void,
): Disposable {
  const store = new DisposableStore();
  const servers = cursorServers();
  if (!servers) {
    return store;
  }
  let isOpen = false;
  const close = () => {
    if (isOpen) {
      isOpen = false;
      servers.unregisterServer(serverName);
    }
  };
  const update = async () => {
    const mayOpen = () => settings.get('gpuRental.agents.access') !== 'off';
    if (!mayOpen()) {
      close();
      return;
    }
    const server = await start();
    if (!isOpen && mayOpen() && !store.isDisposed) {
      isOpen = true;
      servers.registerServer({ name: serverName, server });
    }
  };
  const check = () => void update().catch(failed);
  store.add(settings.onDidChange('gpuRental.agents', check));
  store.add({ dispose: close });
  check();
  return store;
}
