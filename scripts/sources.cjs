/** Lets Node load the source as it is: TypeScript, and scripts for other machines as text, as `esbuild.mjs` does. */
'use strict';
const { readFileSync } = require('node:fs');
const Module = require('node:module');
require('tsx/cjs');

for (const ending of Object.keys(require('./textFiles.json'))) {
  Module._extensions[ending] = (module, file) => {
    module.exports = readFileSync(file, 'utf8');
  };
}
