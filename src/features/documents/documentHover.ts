import * as vscode from 'vscode';
import { momentText } from '../../editor/timeText';
import { tooltip } from '../../editor/tooltip';
import { JsonPlaces } from '../../model/documents/jsonPlaces';
import { serviceFields } from '../../model/templates/templateFields';
import type { Services } from '../../services';
import { rangeOf } from './documentDiagnostics';
import { kindOf } from './openDocuments';
import type { TooltipLine } from '../../util/plainMarkdown';

type Deps = Pick<Services, 'clock' | 'templateStores'>;

const times = new Set(['created_at', 'updated_at', 'recent_create_date']);

/** Shows read-only facts of the service about a template when the pointer rests on its name. */
export class DocumentHover implements vscode.HoverProvider {
  constructor(private readonly deps: Deps) {}

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const kind = kindOf(document);
    const known = kind?.kind === 'template' ? this.deps.templateStores.documents.peek(kind.id) : undefined;
    const span = new JsonPlaces(document.getText()).span(['name'], true);
    if (!known || !span || !rangeOf(document, span).contains(position)) {
      return undefined;
    }
    const lines = [...serviceFields].map((name): TooltipLine => {
      const value = name === 'hash_id' ? known.hashId : known.raw[name];
      const isKnown = value !== undefined && value !== null && value !== 0;
      return [
        name,
        isKnown ? (times.has(name) ? timeText(value, this.deps.clock.now()) : scalarText(value)) : undefined,
      ];
    });
    return new vscode.Hover(tooltip(lines), rangeOf(document, span));
  }
}

function timeText(value: unknown, now: number): string {
  return typeof value === 'number' ? momentText(value * 1000, now) : scalarText(value);
}

function scalarText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
