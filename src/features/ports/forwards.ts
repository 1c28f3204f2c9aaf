import { ownHost, type Forward } from '../../ssh/forward';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';

/** The owner of a forwarded port. The alias names one machine, a number of an instance may belong to two accounts. */
export interface ForwardOwner {
  readonly alias: string;
  readonly accountKey: string;
}

/** The forwarded ports of this window, by alias; closed with it or with their account. */
export class Forwards implements Disposable {
  private readonly all: { readonly owner: ForwardOwner; readonly forward: Forward }[] = [];
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;

  of(alias: string): readonly Forward[] {
    return this.all.filter(({ owner }) => owner.alias === alias).map(({ forward }) => forward);
  }

  /** The machines of which a port is forwarded here. */
  get aliases(): readonly string[] {
    return [...new Set(this.all.map(({ owner }) => owner.alias))];
  }

  find(alias: string, remotePort: number, remoteHost = ownHost): Forward | undefined {
    return this.of(alias).find(
      (forward) => forward.remotePort === remotePort && (forward.remoteHost ?? ownHost) === remoteHost,
    );
  }

  /**
   * Keeps a forward until it ends; `onEnd` is called unless it was closed here. Closes
   * it at once if its port was forwarded at the same moment, because a port has one row.
   */
  add(owner: ForwardOwner, forward: Forward, onEnd: () => void): void {
    if (this.find(owner.alias, forward.remotePort, forward.remoteHost)) {
      forward.close();
      return;
    }
    this.all.push({ owner, forward });
    this.changed.fire();
    void forward.ended.then(() => {
      if (this.remove(forward)) {
        onEnd();
      }
    });
  }

  close(alias: string, remotePort: number, remoteHost?: string): void {
    const forward = this.find(alias, remotePort, remoteHost);
    this.end(forward ? [forward] : []);
  }

  closeAccount(accountKey: string): void {
    this.end(this.all.filter(({ owner }) => owner.accountKey === accountKey).map(({ forward }) => forward));
  }

  dispose(): void {
    this.end(this.all.map(({ forward }) => forward));
    this.changed.dispose();
  }

  private end(forwards: readonly Forward[]): void {
    for (const forward of forwards) {
      this.remove(forward);
      forward.close();
    }
  }

  private remove(forward: Forward): boolean {
    const index = this.all.findIndex((one) => one.forward === forward);
    if (index < 0) {
      return false;
    }
    this.all.splice(index, 1);
    this.changed.fire();
    return true;
  }
}
