/**
 * For mocha: the file that the option `output` names holds the file of tests that runs, and once a test failed, its
 * file alone. It is right for a run that broke off, too, as one does that never ends.
 */
'use strict';
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Base {
  constructor(runner, options) {
    super(runner, options);
    let current;
    let failed = false;
    const note = (file) => {
      if (failed || file === undefined || file === current) return;
      current = file;
      writeFileSync(options.reporterOption.output, file);
    };
    runner.on('suite', ({ file }) => note(file));
    runner.on('fail', ({ file, parent }) => {
      note(file ?? parent?.file);
      failed = true;
    });
  }
};
