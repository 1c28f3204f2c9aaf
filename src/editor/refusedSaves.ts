import type * as vscode from 'vscode';
import type { Clock } from '../util/clock';

/** The time (ms) after the first question for the time of a refused file in which others get the refusal, too. */
const questionMs = 500;

/**
 * Refused saves by address. The editor puts "Unable to write file …" before an error of a write, but shows an error of the
 * question for the new time, which follows each write, as it is.
 */
export class RefusedSaves {
  private readonly refusals = new Map<string, vscode.FileSystemError>();

  constructor(private readonly clock: Clock) {}

  note(uri: vscode.Uri, refusal: vscode.FileSystemError): void {
    this.refusals.set(uri.toString(), refusal);
  }

  clear(uri: vscode.Uri): void {
    this.refusals.delete(uri.toString());
  }

  /** For the first lines of `stat`. */
  throwRefusal(uri: vscode.Uri): void {
    const key = uri.toString();
    const refusal = this.refusals.get(key);
    if (refusal !== undefined) {
      // Another question may come before the one that follows the write, which must not see a saved file.
      this.clock.schedule(() => {
        if (this.refusals.get(key) === refusal) {
          this.refusals.delete(key);
        }
      }, questionMs);
      throw refusal;
    }
  }
}
