import { posix } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { sshAuthority } from '../../../editor/remoteAuthority';
import { channel } from '../../../shared/channel';
import { hostInAuthority } from '../../../ssh/alias';
import type { WindowHub } from '../../../store/windows/windowHub';
import type { Clock } from '../../../util/clock';
import { DisposableStore, type Disposable } from '../../../util/disposable';

const asks = channel('parked.unsaved', z.object({ alias: z.string() }));
const answers = channel('parked.unsavedHere', z.object({ alias: z.string(), names: z.array(z.string()) }));
/** How long other windows have to answer (ms). */
const patienceMs = 1_000;

/** The editors with unsaved changes in windows on an instance, over all windows. */
export class UnsavedThere implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly found = new Map<string, Set<string>>();

  constructor(private readonly deps: { readonly hub: WindowHub; readonly clock: Pick<Clock, 'schedule'> }) {
    const { hub } = deps;
    this.owned.add(
      asks.on(hub, ({ alias }) => {
        const names = unsavedHere(alias);
        if (names.length > 0) {
          answers.send(hub, { alias, names: [...names] });
        }
      }),
    );
    this.owned.add(
      answers.on(hub, ({ alias, names }) => {
        names.forEach((name) => this.found.get(alias)?.add(name));
      }),
    );
  }

  /** Asks all windows on the instance with this alias. */
  async names(alias: string): Promise<readonly string[]> {
    const names = new Set(unsavedHere(alias));
    this.found.set(alias, names);
    asks.send(this.deps.hub, { alias });
    await new Promise<void>((resolve) => {
      this.deps.clock.schedule(resolve, patienceMs);
    });
    this.found.delete(alias);
    return [...names].sort();
  }

  dispose(): void {
    this.owned.dispose();
  }
}

/** The names of this window's unsaved editors, if it is a window on that instance. */
function unsavedHere(alias: string): readonly string[] {
  if (hostInAuthority(sshAuthority())?.alias !== alias) {
    return [];
  }
  const { notebookDocuments, textDocuments } = vscode.workspace;
  return [...textDocuments, ...notebookDocuments]
    .filter(({ isDirty }) => isDirty)
    .map(({ uri }) => posix.basename(uri.path));
}
