/** Mocha's `spec` output, and the numbers and names of what failed as JSON in the file that the option `output` names. */
'use strict';
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { output } = options.reporterOption ?? options.reporterOptions ?? {};
    const failures = [];
    runner.on('fail', (test) => failures.push(test.title));
    runner.once('end', () => {
      const { passes: passed = 0, failures: failed = 0, pending = 0 } = runner.stats ?? {};
      if (output !== undefined) writeFileSync(output, JSON.stringify({ passed, failed, pending, failures }));
    });
  }
};
