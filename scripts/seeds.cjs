/** For mocha: every property starts from the seed of the run. A property that fails prints its seed and its path. */
'use strict';
const fc = require('fast-check');
const { testSeed } = require('../test/support/seeded');

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: testSeed });
