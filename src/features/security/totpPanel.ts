import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { languageOfTexts, t } from '../../editor/localize';
import type { TotpSetup } from '../../model/accounts/secondFactor';
import type { Disposable } from '../../util/disposable';

/**
 * Shows the `otpauth://` address as a QR code drawn here, and the secret as text for an app without a camera. Nothing
 * is stored: the page has no script and closes with the step.
 */
export async function showTotpPanel(setup: TotpSetup, extensionUri: vscode.Uri): Promise<Disposable> {
  const { renderSVG } = await import('uqr');
  const panel = vscode.window.createWebviewPanel(
    'gpuRental.totp',
    t('Add an Authenticator App'),
    { viewColumn: vscode.ViewColumn.Active, preserveFocus: true },
    { enableScripts: false, localResourceRoots: [] },
  );
  panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
  panel.webview.html = totpPage(setup, renderSVG(setup.uri, { border: 2 }), {
    title: t('Add an Authenticator App'),
    scan: t('Scan this QR code with your authenticator app, then enter the code that the app shows.'),
    type: t('Without a camera, enter this secret in the app:'),
    picture: t('QR code for the authenticator app'),
  });
  return panel;
}

interface TotpTexts {
  readonly title: string;
  readonly scan: string;
  readonly type: string;
  readonly picture: string;
}

/** Returns the whole page, with every value escaped. */
function totpPage({ secret }: Pick<TotpSetup, 'secret'>, picture: string, texts: TotpTexts): string {
  const nonce = randomBytes(16).toString('base64');
  const grouped = secret.replace(/(.{4})(?=.)/g, '$1 ');
  return `<!DOCTYPE html>
<html lang="${languageOfTexts()}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>${escape(texts.title)}</title>
<style nonce="${nonce}">
body { background: var(--vscode-editor-background); font-family: var(--vscode-font-family); padding: 5em 2em 2em; text-align: center; }
h1 { font-size: 1.5em; font-weight: 500; }
svg { width: 16em; height: 16em; background: white; padding: 1em; }
code { font-size: 1.2em; user-select: all; overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<h1>${escape(texts.title)}</h1>
<p>${escape(texts.scan)}</p>
<div role="img" aria-label="${escape(texts.picture)}">${picture}</div>
<p>${escape(texts.type)}</p>
<p><code>${escape(grouped)}</code></p>
</main>
</body>
</html>`;
}

function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}
