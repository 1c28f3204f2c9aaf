import type * as vscode from 'vscode';
import type { Log } from '../util/log';
import type { Redactor } from '../util/redact';

/**
 * The only output channel. Every line is redacted before it is formatted (docs/rules.md#secrets-stay-secret).
 */
export class OutputLog implements Log, vscode.Disposable {
  constructor(
    private readonly channel: vscode.LogOutputChannel,
    private readonly redactor: Redactor,
  ) {}

  trace(message: string): void {
    this.channel.trace(this.redactor.redact(message));
  }

  debug(message: string): void {
    this.channel.debug(this.redactor.redact(message));
  }

  info(message: string): void {
    this.channel.info(this.redactor.redact(message));
  }

  warn(message: string): void {
    this.channel.warn(this.redactor.redact(message));
  }

  error(message: string, error?: unknown): void {
    const detail = error === undefined ? '' : `\n${describe(error)}`;
    this.channel.error(this.redactor.redact(message + detail));
  }

  show(): void {
    this.channel.show(true);
  }

  dispose(): void {
    this.channel.dispose();
  }
}

function describe(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const cause =
    error.cause === undefined || depth > 3 ? '' : `\ncaused by: ${describe(error.cause, depth + 1)}`;
  return (error.stack ?? `${error.name}: ${error.message}`) + cause;
}
