/** For mocha: what a test imports of the source finds a stand-in for the editor where it asks for `vscode`. */
'use strict';
const Module = require('node:module');
const path = require('node:path');

const file = path.join(__dirname, '..', 'test', 'support', 'fakeEditor', 'standIn.ts');
const load = Module._load;

Module._load = function loadOrStandIn(request, ...rest) {
  return request === 'vscode' ? load(file, undefined, false).standIn : load.call(this, request, ...rest);
};
