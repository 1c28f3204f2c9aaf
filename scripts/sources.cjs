/** Lets Node load the source as it is: TypeScript, and scripts for other machines as text, as `esbuild.mjs` does. */
'use strict';
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
require('tsx/cjs');

for (const ending of Object.keys(require('./textFiles.json'))) {
  Module._extensions[ending] = (module, file) => {
    module.exports = readFileSync(file, 'utf8');
  };
}

// A file that is loaded later needs TypeScript and the stand-in for the editor as well, and Node's `import()` has neither.
const source = path.join(__dirname, '..', 'src') + path.sep;
const compile = Module.prototype._compile;
Module.prototype._compile = function compileSource(text, file, ...rest) {
  const own = file.startsWith(source)
    ? text.replace(/\bimport\(("\.[^"]+")\)/g, 'Promise.resolve().then(()=>require($1))')
    : text;
  return compile.call(this, own, file, ...rest);
};
