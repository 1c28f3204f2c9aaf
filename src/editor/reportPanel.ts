import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { DisposableStore, type Disposable } from '../util/disposable';
import type { Log } from '../util/log';
import { fromPage, type FromPage, type ReportView, type ToPage } from '../webview/report/protocol';
import { languageOfTexts } from './localize';

interface PanelOptions {
  /** The kind of the panel. */
  readonly id: string;
  readonly title: string;
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** A panel of the editor's own that is to show the page again, after a reload of the window. */
  readonly restored?: vscode.WebviewPanel | undefined;
  /** Called when the page is shown again after it was hidden. */
  onShown?(): void;
  /** Called when the page is no longer visible. */
  onHidden?(): void;
  onMessage(message: Exclude<FromPage, { type: 'ready' }>): void;
}

/** A report in an editor tab: a page without remote content that draws the data it receives. */
export class ReportPanel implements Disposable {
  private readonly panel: vscode.WebviewPanel;
  private readonly store = new DisposableStore();
  private view: ReportView | undefined;

  constructor(options: PanelOptions, onClosed: () => void) {
    const dist = vscode.Uri.joinPath(options.extensionUri, 'dist', 'webview');
    const scripts = { enableScripts: true, localResourceRoots: [dist] };
    this.panel =
      options.restored ??
      vscode.window.createWebviewPanel(`gpuRental.${options.id}`, options.title, vscode.ViewColumn.Active, {
        ...scripts,
        enableFindWidget: true,
      });
    if (options.restored) {
      // The folder of the extension may be another one since.
      this.panel.webview.options = scripts;
    }
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
    let wasVisible = this.panel.visible;
    this.store.add(
      this.panel.onDidChangeViewState(({ webviewPanel: { visible } }) => {
        if (visible && !wasVisible) {
          options.onShown?.();
        } else if (!visible && wasVisible) {
          options.onHidden?.();
        }
        wasVisible = visible;
      }),
    );
    this.store.add(
      this.panel.onDidDispose(() => {
        this.store.dispose();
        onClosed();
      }),
    );
  }

  get isVisible(): boolean {
    return this.panel.visible;
  }

  show(view: ReportView): void {
    this.view = view;
    this.send();
  }

  /** Changes the title of the tab. */
  rename(title: string): void {
    this.panel.title = title;
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
