import * as vscode from 'vscode';
import { plainLabel } from '../util/plainLabel';
import { localize } from './localize';
import type { Problem, TextLevel } from './quickLevels';

/** The text box that is shown. */
export class QuickText {
  readonly widget = vscode.window.createInputBox();

  constructor(
    readonly level: TextLevel,
    private readonly work: (run: (signal: AbortSignal) => unknown) => Promise<void>,
  ) {
    this.widget.placeholder = level.placeholder && plainLabel(level.placeholder);
    this.widget.password = level.password ?? false;
  }

  /** Sets the texts; returns true if they need renewing. */
  setTexts(): boolean {
    const { prompt } = this.level;
    this.widget.prompt = typeof prompt === 'string' ? prompt : prompt();
    return typeof prompt !== 'string';
  }

  typed(value: string): void {
    const { level } = this;
    this.widget.validationMessage = shown(level.hint ? level.hint(value) : level.problem?.(value));
  }

  accept(): void {
    const { level, widget } = this;
    const { value } = widget;
    const problem = shown(level.problem?.(value));
    widget.validationMessage = problem;
    const isError =
      typeof problem === 'object'
        ? problem.severity === vscode.InputBoxValidationSeverity.Error
        : problem !== undefined;
    if (!isError) {
      void this.work((signal) => level.accept(value, signal));
    }
  }
}

function shown(problem: Problem) {
  return typeof problem === 'object' && 'template' in problem ? localize(problem) : problem;
}
