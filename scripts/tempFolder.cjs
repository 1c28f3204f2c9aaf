/**
 * For mocha: a run gets a temp folder of its own, and fails where a test has left something in it. What is left
 * is named and removed.
 */
'use strict';
const { mkdtempSync, readdirSync, rmSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { memoryFolder } = require('./memoryFolder.cjs');

const temp = (folder) => Object.assign(process.env, { TMPDIR: folder, TMP: folder, TEMP: folder });

const isFirst = process.env['GPU_RENTAL_TEST_CACHE'] === undefined;
const outer = os.tmpdir();
// What the compiler keeps of a source would go with the folder: parallel workers, which start in that of their run,
// compiled everything again.
process.env['GPU_RENTAL_TEST_CACHE'] ??= outer;
temp(process.env['GPU_RENTAL_TEST_CACHE']);
require('./sources.cjs');

// Short, because the paths of sockets are: 104 bytes on a Mac.
const folder = mkdtempSync(path.join((isFirst ? memoryFolder() : undefined) ?? outer, 'gr-'));
temp(folder);

/** Programs of others keep caches and sockets there as long as they like. */
const ofOthers = /^(tsx-|vscode-|node-compile-cache|playwright|\.?(com|org)\.)/;

process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** A worker runs this after each of its files: the file that left something is named, and none of those after it. */
const named = new Set();

exports.mochaHooks = {
  afterAll() {
    const left = readdirSync(folder).filter((name) => !ofOthers.test(name) && !named.has(name));
    for (const name of left) named.add(name);
    if (left.length > 0) throw new Error(`Tests left behind: ${left.join(', ')}`);
  },
};
