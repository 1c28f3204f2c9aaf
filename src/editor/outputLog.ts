import type * as vscode from 'vscode';
import type { Log } from '../util/log';
import type { Redactor } from '../util/redact';

/** The number of lines that a support bundle needs, at every log level. */
const keptLines = 1_000;
const longestLine = 2_000;

/**
 * The only output channel. Every line is redacted before it is formatted (docs/rules.md#secrets-stay-secret).
 */
export class OutputLog implements Log, vscode.Disposable {
  private readonly lines: string[] = [];

  constructor(
    private readonly channel: vscode.LogOutputChannel,
    private readonly redactor: Redactor,
  ) {}

  trace(message: string): void {
    this.channel.trace(this.kept('trace', message));
  }

  debug(message: string): void {
    this.channel.debug(this.kept('debug', message));
  }

  info(message: string): void {
    this.channel.info(this.kept('info', message));
  }

  warn(message: string): void {
    this.channel.warn(this.kept('warn', message));
  }

  error(message: string, error?: unknown): void {
    const detail = error === undefined ? '' : `\n${describe(error)}`;
    this.channel.error(this.kept('error', message + detail));
  }

  /** Returns the last lines of this window, redacted, each with its time. */
  recent(): readonly string[] {
    return this.lines;
  }

  show(): void {
    this.channel.show(true);
  }

  dispose(): void {
    this.channel.dispose();
  }

  private kept(level: string, message: string): string {
    const line = this.redactor.redact(message);
    this.lines.push(`${new Date().toISOString()} [${level}] ${line.slice(0, longestLine)}`);
    this.lines.splice(0, Math.max(0, this.lines.length - keptLines));
    return line;
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
