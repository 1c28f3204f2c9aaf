/**
 * For mocha: adds to the file that `GPU_RENTAL_TEST_NOT_RUN` names a line with the number of tests that were left out
 * after a failure. Parallel workers do not tell their reporter which tests they have.
 */
'use strict';
const { appendFileSync } = require('node:fs');

const leftIn = (suite) =>
  suite.tests.filter((test) => test.state === undefined && !test.isPending()).length +
  suite.suites.reduce((sum, inner) => sum + leftIn(inner), 0);

exports.mochaHooks = {
  afterAll() {
    const file = process.env['GPU_RENTAL_TEST_NOT_RUN'];
    const left = leftIn(this.test.parent);
    if (file !== undefined && left > 0) appendFileSync(file, `${left}\n`);
  },
};
