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
    let ended = 0;
    runner.on('test end', () => (ended += 1));
    runner.on('fail', (test, error) => {
      failures.push({
        title: test.fullTitle(),
        reason: String(error?.message ?? error).slice(0, reasonLength),
      });
    });
    runner.once('end', () => {
      const { passes: passed = 0, failures: failed = 0, pending = 0 } = runner.stats ?? {};
      // Parallel workers do not tell their total, and have no suites that end after a failure.
      const notRun = Math.max(0, (runner.total ?? 0) - ended);
      if (output !== undefined) {
        writeFileSync(output, JSON.stringify({ passed, failed, pending, notRun, failures }));
      }
    });
  }
};
