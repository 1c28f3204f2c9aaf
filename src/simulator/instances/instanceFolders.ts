import { lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { SimulatorOptions } from '../options';

/**
 * One folder on this computer for each instance: its home, in which its shell starts and to which
 * *execute* is confined. Gone with the instance.
 */
export class InstanceFolders {
  private root: string | undefined;
  private isTemporary = false;

  constructor(private readonly options: SimulatorOptions) {}

  /** Makes the folder of a volume, which outlives instances. */
  ensureVolume(volumeId: number): string {
    const folder = path.join(this.rootFolder(), `V.${volumeId}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** The file that tells engines of all machines how they behave. */
  engineScene(): string {
    return path.join(this.rootFolder(), 'engine.json');
  }

  /** Makes the folder with an empty `workspace` when it is not there. */
  ensure(instanceId: number): string {
    const folder = path.join(this.rootFolder(), String(instanceId));
    mkdirSync(path.join(folder, 'workspace'), { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Whether a path is beside the folders of a given place, where a login to an instance reaches it as well. */
  isBeside(file: string): boolean {
    const kept = this.keptRoot();
    return (
      kept !== undefined && path.resolve(file).startsWith(`${path.dirname(path.resolve(kept))}${path.sep}`)
    );
  }

  remove(instanceId: number): void {
    if (this.root !== undefined || this.keptRoot() !== undefined) {
      const folder = path.join(this.rootFolder(), String(instanceId));
      // The host key is beside the home: a container that is created again has another.
      for (const part of [folder, `${folder}.machine`]) {
        rmSync(part, { recursive: true, force: true, maxRetries: 3 });
      }
    }
  }

  /** Removes temporary folders. */
  dispose(): void {
    if (this.isTemporary && this.root !== undefined) {
      rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
      this.root = undefined;
    }
  }

  private keptRoot(): string | undefined {
    const { instancesDir, stateFile } = this.options;
    return instancesDir ?? (stateFile === undefined ? undefined : `${stateFile}.instances`);
  }

  private rootFolder(): string {
    if (this.root === undefined) {
      const kept = this.keptRoot();
      if (kept === undefined) {
        this.root = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-simulator-'));
        this.isTemporary = true;
      } else {
        this.root = path.resolve(kept);
        mkdirSync(this.root, { recursive: true, mode: 0o700 });
        // Shells start in here: a link would lead them to a place that another user chose.
        if (lstatSync(this.root).isSymbolicLink()) {
          throw new Error(`${this.root} is a link. Choose another folder for the instances.`);
        }
      }
    }
    return this.root;
  }
}
