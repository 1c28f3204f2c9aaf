// Compiles the measured folders without the helper code that tsx puts before each file: its branches
// cannot be reached and would count against the file. Loaded in every process of the run, since figures
// of the same file that was compiled in two ways cannot be added.
require('tsx/cjs');
const Module = require('node:module');
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, sep } = require('node:path');
const ts = require('typescript');

const measured = ['wire', 'api', 'simulator'].map((folder) => join(__dirname, '..', 'src', folder) + sep);
const compileWithTsx = Module._extensions['.ts'];

Module._extensions['.ts'] = function compile(module, file) {
  if (!measured.some((folder) => file.startsWith(folder))) {
    return compileWithTsx.call(this, module, file);
  }
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
    fileName: file,
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      esModuleInterop: true,
      // From a package, not written into each file.
      importHelpers: true,
      verbatimModuleSyntax: false,
      inlineSourceMap: true,
      inlineSources: true,
    },
  });
  return module._compile(outputText, file);
};

// How many values the properties were tried with, for the figures.
const fc = require('fast-check');
let propertyRuns = 0;
fc.configureGlobal({
  reporter: (details) => {
    propertyRuns += details.numRuns;
    if (details.failed) {
      throw new Error(fc.defaultReportMessage(details));
    }
  },
});
process.on('exit', () => {
  if (propertyRuns === 0) {
    return;
  }
  const folder = join(__dirname, '..', 'coverage');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'property-runs'), String(propertyRuns));
});
