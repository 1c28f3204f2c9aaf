import { canDownloadEditor, runInDesktopEditor } from './runElectron';
import { runInBrowserHostedEditor } from './runHosted';

/**
 * Runs the in-host suite: in the desktop editor where it can be downloaded and has a display, otherwise in the
 * browser-hosted one. `GPU_RENTAL_EDITOR=desktop` or `hosted` chooses one of them, without falling back.
 */
async function main(): Promise<void> {
  const chosen = process.env['GPU_RENTAL_EDITOR'];
  const desktop =
    chosen === 'desktop' || (chosen !== 'hosted' && hasDisplay() && (await canDownloadEditor()));
  console.log(desktop ? 'in the desktop editor' : 'in the browser-hosted editor');
  await (desktop ? runInDesktopEditor() : runInBrowserHostedEditor());
}

function hasDisplay(): boolean {
  return process.platform !== 'linux' || process.env['DISPLAY'] !== undefined;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
