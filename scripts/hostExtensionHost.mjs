/**
 * Loaded before the server of the browser-hosted editor, and by each process that it starts: changes the text of the
 * process that extensions run in, see `hostPatches.mjs`.
 */
import { registerHooks } from 'node:module';
import { applyExtensionHostPatches } from './hostPatches.mjs';

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    return url.endsWith('/extensionHostProcess.js')
      ? { ...loaded, source: applyExtensionHostPatches(String(loaded.source)) }
      : loaded;
  },
});
