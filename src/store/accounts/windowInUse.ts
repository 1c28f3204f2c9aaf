import * as z from 'zod';
import { channel } from '../../shared/channel';
import type { WindowFocus } from '../../shared/oneWindow';
import type { Clock } from '../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { WindowHub } from '../windows/windowHub';

const uses = channel('window.inUse', z.object({}));

/**
 * After a command, a window counts as in use for this long, unless it loses the focus or another window is
 * used.
 */
export const commandUseMs = 60_000;

/**
 * Tracks whether the user is in this window: it has the focus, or a command was just chosen in it. An editor
 * in a browser can miss that its page received the focus, and a question that relies on the focus would never
 * appear.
 */
export class WindowInUse implements WindowFocus, Disposable {
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<boolean>());
  private readonly command = this.owned.add(new MutableDisposable<Disposable>());
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly editor: WindowFocus,
    private readonly hub: Pick<WindowHub, 'broadcast' | 'on'>,
    private readonly clock: Clock,
  ) {
    this.owned.add(
      editor.onDidChange((isFocused) => {
        if (isFocused) {
          uses.send(hub, {});
          this.changed.fire(true);
        } else {
          this.forgetCommand();
        }
      }),
    );
    this.owned.add(
      uses.on(hub, () => {
        this.forgetCommand();
      }),
    );
  }

  get isFocused(): boolean {
    return this.editor.isFocused || this.command.value !== undefined;
  }

  noteCommand(): void {
    uses.send(this.hub, {});
    this.command.value = this.clock.schedule(() => {
      this.forgetCommand();
    }, commandUseMs);
    this.changed.fire(true);
  }

  private forgetCommand(): void {
    this.command.value = undefined;
    this.changed.fire(this.isFocused);
  }

  dispose(): void {
    this.owned.dispose();
  }
}
