/**
 * The browser-hosted editor that tests and `npm start` use where the desktop one is not there: the VS Code
 * inside the code-server package, run by the Node version that it asks for. Both come from the npm registry
 * and are kept, complete or not at all, in one folder per pair of versions.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { cleanNpmEnvironment, npmFailure, runNpm, withProgress } from './process.mjs';

const versions = JSON.parse(readFileSync(new URL('host.json', import.meta.url), 'utf8'));

export const cacheFolder = path.join(
  process.env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'),
  'gpu-rental',
);
export const hostFolder = path.join(cacheFolder, `code-server-${versions.codeServer}-node-${versions.node}`);
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
export const hostNode = path.join(hostFolder, 'node_modules', nodePackage, 'bin', 'node');
export const codeServer = path.join(hostFolder, 'node_modules', 'code-server');

/** The Inspector of MCP, whose command line judges the server for agents. */
const inspectorFolder = path.join(cacheFolder, `inspector-${versions.inspector}`);

/** Makes a folder in the cache; throws an `Error` that says what helps where this user may not write there. */
export async function makeInCache(folder) {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new Error(
      `${folder} cannot be made (${error.code}). Name a folder where you may write in XDG_CACHE_HOME.`,
    );
  }
}

export const isHostInstalled = () => existsSync(hostNode) && existsSync(codeServer);

/** Installs the host if it is not there; two callers at once do it once. Throws with the tail of npm's output. */
export async function installHost(say) {
  await onceInCache(hostFolder, 'the editor', say, async (folder) => {
    const node = path.join(folder, 'node_modules', nodePackage);
    say(`installing Node ${versions.node} for the editor`);
    await npmInstall(say, folder, [`${nodePackage}@${versions.node}`], withScripts);
    say(
      `installing code-server ${versions.codeServer} (once, 2 to 5 minutes; it compiles its native modules)`,
    );
    await npmInstall(say, folder, [`code-server@${versions.codeServer}`], {
      ...withScripts,
      PATH: `${path.join(node, 'bin')}${path.delimiter}${process.env['PATH'] ?? ''}`,
      npm_config_nodedir: node,
    });
  });
}

/** Installs the Inspector if it is not there; it runs by the Node of the host. */
export async function installInspector(say) {
  await onceInCache(inspectorFolder, 'the MCP Inspector', say, async (folder) => {
    say(`installing the MCP Inspector ${versions.inspector}`);
    await npmInstall(say, folder, [`@modelcontextprotocol/inspector@${versions.inspector}`], withoutScripts);
  });
}

/** Fills a folder of the cache unless it is there: complete or not at all, and once for two callers at once. */
export async function onceInCache(folder, what, say, fill) {
  if (existsSync(folder)) return;
  await makeInCache(cacheFolder);
  await withLock(
    `${folder}.lock`,
    async () => {
      if (existsSync(folder)) return;
      const partial = `${folder}.partial`;
      await rm(partial, { recursive: true, force: true });
      await mkdir(partial, { recursive: true });
      await fill(partial);
      await rename(partial, folder);
    },
    () => say(`another process is installing ${what}; waiting for it`),
  );
}

/** The packages of the host finish their installation in scripts, which this repository's own .npmrc switches off. */
const withScripts = { npm_config_ignore_scripts: 'false' };
export const withoutScripts = { npm_config_ignore_scripts: 'true' };

/** Installs packages into a folder. Throws with the tail of npm's output. */
export async function npmInstall(say, folder, specs, extra) {
  const env = cleanNpmEnvironment({
    npm_config_engine_strict: 'false',
    npm_config_unsafe_perm: 'true',
    npm_config_fund: 'false',
    npm_config_audit: 'false',
    ...extra,
  });
  const command = ['install', '--prefix', folder, ...specs];
  const { code, lines } = await withProgress(specs[0], say, () =>
    runNpm(command, { cwd: folder, env, onLine: () => undefined }),
  );
  if (code !== 0) throw npmFailure(`npm install ${specs.join(' ')}`, code, lines);
}
