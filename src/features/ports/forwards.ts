import type { Forward } from '../../ssh/forward';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';

/** The forwarded ports of this window, by instance; closed with it. */
export class Forwards implements Disposable {
  private readonly byInstance = new Map<number, Map<number, Forward>>();
  private readonly changed = new Emitter<number>();
  readonly onDidChange = this.changed.event;

  of(instanceId: number): readonly Forward[] {
    return [...(this.byInstance.get(instanceId)?.values() ?? [])];
  }

  /** The instances of which a port is forwarded here. */
  get instanceIds(): readonly number[] {
    return [...this.byInstance].filter(([, own]) => own.size > 0).map(([id]) => id);
  }

  find(instanceId: number, remotePort: number): Forward | undefined {
    return this.byInstance.get(instanceId)?.get(remotePort);
  }

  /** Keeps a forward until it ends; `onEnd` hears of it unless it was closed here. */
  add(instanceId: number, forward: Forward, onEnd: () => void): void {
    const own = this.byInstance.get(instanceId) ?? new Map<number, Forward>();
    this.byInstance.set(instanceId, own.set(forward.remotePort, forward));
    this.changed.fire(instanceId);
    void forward.ended.then(() => {
      if (own.get(forward.remotePort) === forward) {
        own.delete(forward.remotePort);
        this.changed.fire(instanceId);
        onEnd();
      }
    });
  }

  close(instanceId: number, remotePort: number): void {
    const own = this.byInstance.get(instanceId);
    const forward = own?.get(remotePort);
    own?.delete(remotePort);
    forward?.close();
    this.changed.fire(instanceId);
  }

  dispose(): void {
    for (const [instanceId, own] of this.byInstance) {
      for (const remotePort of [...own.keys()]) {
        this.close(instanceId, remotePort);
      }
    }
    this.changed.dispose();
  }
}
