import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { DisposableStore, type Disposable } from '../util/disposable';
import type { Log } from '../util/log';
import { fromPage, type FromPage, type ReportView, type ToPage } from '../webview/report/protocol';
import { languageOfTexts } from './localize';

interface PanelOptions {
  /** The same id shows the open panel again. */
  readonly id: string;
  readonly title: string;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  onMessage(message: Exclude<FromPage, { type: 'ready' }>): void;
}

/** A report in an editor tab: a page without remote content that draws the data it receives. */
export class ReportPanel implements Disposable {
  private readonly panel: vscode.WebviewPanel;
  private readonly store = new DisposableStore();
  private view: ReportView | undefined;

  constructor(options: PanelOptions, onClosed: () => void) {
    const dist = vscode.Uri.joinPath(options.extensionUri, 'dist', 'webview');
    this.panel = vscode.window.createWebviewPanel(
      `gpuRental.${options.id}`,
      options.title,
      vscode.ViewColumn.Active,
      {
        enableScripts: true,
        enableFindWidget: true,
        localResourceRoots: [dist],
      },
    );
    this.panel.iconPath = vscode.Uri.joinPath(options.extensionUri, 'media', 'icon.png');
    this.panel.webview.html = pageHtml(this.panel.webview, dist);
    this.store.add(
      this.panel.webview.onDidReceiveMessage((raw: unknown) => {
        const message = z.safeParse(fromPage, raw);
        if (!message.success) {
          options.log.warn(`A report page sent something unexpected: ${z.prettifyError(message.error)}`);
          return;
        }
        if (message.data.type === 'ready') {
          this.send();
        } else {
          options.onMessage(message.data);
        }
      }),
    );
    this.store.add(
      this.panel.onDidDispose(() => {
        this.store.dispose();
        onClosed();
      }),
    );
  }

  show(view: ReportView): void {
    this.view = view;
    this.send();
  }

  reveal(): void {
    this.panel.reveal();
  }

  dispose(): void {
    this.panel.dispose();
  }

  private send(): void {
    if (this.view) {
      void this.panel.webview.postMessage({ type: 'show', view: this.view } satisfies ToPage);
    }
  }
}

function pageHtml(webview: vscode.Webview, dist: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const script = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'report.js')).toString();
  const style = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'report.css')).toString();
  return `<!DOCTYPE html>
<html lang="${languageOfTexts()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; img-src ${webview.cspSource}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
</head>
<body>
<main id="root"></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}
