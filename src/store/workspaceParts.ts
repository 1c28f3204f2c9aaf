import type { WorkspacePart } from '../model/workspace/workspaceDiagnostics';
import { toDisposable, type Disposable } from '../util/disposable';
import { Emitter } from '../util/emitter';

/** The parts of the workspace file beyond its recipe, as wings register them. */
export class WorkspaceParts implements Disposable {
  private readonly parts = new Set<WorkspacePart>();
  private readonly changed = new Emitter<void>();

  readonly onDidChange = this.changed.event;

  get all(): readonly WorkspacePart[] {
    return [...this.parts];
  }

  add(part: WorkspacePart): Disposable {
    this.parts.add(part);
    this.changed.fire();
    return toDisposable(() => this.parts.delete(part));
  }

  dispose(): void {
    this.changed.dispose();
  }
}
