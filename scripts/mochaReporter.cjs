/** Mocha's `spec` output, and the numbers and what failed, and why, as JSON in the file that the option `output` names. */
'use strict';
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

/** A page's whole log can stand in a message. */
const reasonLength = 1500;

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { output } = options.reporterOption ?? options.reporterOptions ?? {};
    const failures = [];
    runner.on('fail', (test, error) => {
      failures.push({
        title: test.fullTitle(),
        reason: String(error?.message ?? error).slice(0, reasonLength),
      });
    });
    runner.once('end', () => {
      const { passes: passed = 0, failures: failed = 0, pending = 0 } = runner.stats ?? {};
      if (output !== undefined) writeFileSync(output, JSON.stringify({ passed, failed, pending, failures }));
    });
  }
};
