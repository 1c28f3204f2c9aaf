import type * as vscode from 'vscode';
import { FakeEventEmitter } from './events';

export interface FakePanel {
  title: string;
  readonly viewType: string;
  html: string;
  /** What the product sent to the page. */
  readonly posted: unknown[];
  /** As if the page sent a message. */
  send(message: unknown): void;
  close(): void;
  /** As if the user chose another tab, or this one again. */
  setVisible(isVisible: boolean): void;
  readonly isClosed: boolean;
}

/** Panels whose pages are not drawn; what goes to and from them is kept. */
export class Panels {
  readonly all: FakePanel[] = [];
  readonly serializers = new Map<string, vscode.WebviewPanelSerializer>();

  /** As if the window was reloaded while a page with this state was open. */
  async restore(viewType: string, state: unknown): Promise<FakePanel | undefined> {
    await this.serializers.get(viewType)?.deserializeWebviewPanel(this.create(viewType, ''), state);
    return this.all.at(-1);
  }

  create(viewType: string, title: string): vscode.WebviewPanel {
    const received = new FakeEventEmitter<unknown>();
    const disposed = new FakeEventEmitter<undefined>();
    const stateChanged = new FakeEventEmitter<vscode.WebviewPanelOnDidChangeViewStateEvent>();
    const posted: unknown[] = [];
    const state = { isClosed: false };
    const close = () => {
      if (state.isClosed) {
        return;
      }
      state.isClosed = true;
      disposed.fire(undefined);
    };
    const webview = {
      html: '',
      options: {},
      cspSource: 'https://pages.test',
      asWebviewUri: (uri: vscode.Uri) => uri,
      onDidReceiveMessage: received.event,
      postMessage: async (message: unknown) => {
        posted.push(message);
        return Promise.resolve(!state.isClosed);
      },
    };
    const panel = {
      viewType,
      title,
      webview,
      options: {},
      viewColumn: 1,
      active: true,
      visible: true,
      onDidDispose: disposed.event as vscode.Event<unknown> as vscode.Event<void>,
      onDidChangeViewState: stateChanged.event,
      reveal: () => undefined,
      dispose: close,
    };
    this.all.push({
      viewType,
      posted,
      close,
      setVisible: (isVisible) => {
        panel.visible = isVisible;
        stateChanged.fire({ webviewPanel: panel });
      },
      send: (message) => {
        received.fire(message);
      },
      get title() {
        return panel.title;
      },
      get html() {
        return webview.html;
      },
      get isClosed() {
        return state.isClosed;
      },
    });
    return panel;
  }
}
