import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  downloadAndUnzipVSCode,
  resolveCliArgsFromVSCodeExecutablePath,
  runTests,
} from '@vscode/test-electron';
import { engines } from '../../package.json';
import { packagedExtension } from '../support/editorHost';
import { repository } from '../support/installed';
import { buildSuite, suiteFile, testHostFolder } from './suite';

/** True when the place that the desktop editor is downloaded from answers. */
export async function canDownloadEditor(): Promise<boolean> {
  try {
    const answer = await fetch('https://update.code.visualstudio.com/api/releases/stable', {
      signal: AbortSignal.timeout(5000),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

/**
 * Downloads the desktop editor in the version that `GPU_RENTAL_EDITOR_VERSION` names (`floor`: the oldest one that
 * `engines` allows, the default; `stable`: the newest one), and runs the suite in it against the packaged extension. Rejects when a test fails, and with
 * "cannot download VS Code" where there is no way to it: nothing tested is not a pass.
 */
export async function runInDesktopEditor(): Promise<void> {
  const chosen = process.env['GPU_RENTAL_EDITOR_VERSION'] ?? 'floor';
  const version = chosen === 'floor' ? engines.vscode.replace('^', '') : chosen;
  const vscodeExecutablePath = await downloadAndUnzipVSCode({
    version,
    cachePath: path.join(repository, '.tools', 'vscode'),
  }).catch((error: unknown) => {
    throw new Error(`cannot download VS Code ${version}: ${String(error)}`, { cause: error });
  });
  await buildSuite();
  // Paths of sockets in it have to be short.
  const profile = mkdtempSync(path.join(os.tmpdir(), 'gr-'));
  const folders = [`--user-data-dir=${profile}/user`, `--extensions-dir=${profile}/extensions`];
  try {
    const [command = '', ...commandArguments] = resolveCliArgsFromVSCodeExecutablePath(vscodeExecutablePath, {
      reuseMachineInstall: true,
    });
    await promisify(execFile)(
      command,
      [...commandArguments, '--install-extension', packagedExtension, '--force', ...folders],
      { shell: process.platform === 'win32' },
    );
    await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: testHostFolder,
      extensionTestsPath: suiteFile,
      launchArgs: [...folders, '--disable-workspace-trust', '--skip-welcome', '--skip-release-notes'],
    });
  } finally {
    // Windows keeps the files of a process that just ended for a moment.
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (require.main === module) {
  runInDesktopEditor().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
