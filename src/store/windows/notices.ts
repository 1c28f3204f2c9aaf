import * as z from 'zod';
import { channel } from '../../shared/channel';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { WindowHub } from './windowHub';

/** A message to show once over all windows; the showing window claims the key first. */
export interface Notice {
  /** The same in all windows and after a restart. */
  readonly key: string;
  readonly accountKey: string;
  readonly kind: string;
  /** Plain data, validated by the receiver. */
  readonly data: unknown;
}

const notices = channel(
  'notices',
  z.object({ key: z.string(), accountKey: z.string(), kind: z.string(), data: z.unknown() }),
);

/** Passes messages from the window that finds something out to the window in use. */
export class Notices implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly posted = this.owned.add(new Emitter<Notice>());

  /** Fires in every window. */
  readonly onDidPost = this.posted.event;

  constructor(private readonly hub: WindowHub) {
    this.owned.add(
      notices.on(hub, (notice) => {
        this.posted.fire(notice);
      }),
    );
  }

  post(notice: Notice): void {
    notices.send(this.hub, notice);
    this.posted.fire(notice);
  }

  dispose(): void {
    this.owned.dispose();
  }
}
