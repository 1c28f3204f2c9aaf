/** Which tests a change concerns, by who imports what. Pure, over the `inputs` of esbuild's metafile. */
import path from 'node:path';

/** A feature test runs the whole product, so what it imports tells nothing; these folders concern all of them. */
const wholeProduct = /^(src\/(store|editor)\/|src\/\w+\.ts$|test\/support\/fakeEditor)/;

/**
 * The tests among `inputs` that import one of the changed files, at whatever distance, the nearest first. `textOf` is
 * for files that are only named in a text, as scripts and fixtures are.
 */
export function testsNear(inputs, changed, textOf) {
  const importers = new Map();
  for (const [file, { imports }] of Object.entries(inputs)) {
    for (const { path: imported } of imports) {
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  const isFeatureTest = (file) => file.startsWith('test/feature/');
  const known = Object.keys(inputs);
  const found = new Set(changed.filter((file) => file in inputs));
  const names = changed.map((file) => path.basename(file));
  for (const file of known.filter((one) => one.startsWith('test/'))) {
    const text = textOf(file);
    if (names.some((name) => text.includes(`/${name}'`) || text.includes(`'${name}'`))) found.add(file);
  }
  // A set goes on over what is added meanwhile.
  for (const file of found) {
    for (const importer of importers.get(file) ?? []) {
      if (!isFeatureTest(importer)) found.add(importer);
    }
  }
  for (const file of known.filter(isFeatureTest)) {
    if (changed.some((one) => concernsFeature(file, one, inputs[file].imports))) found.add(file);
  }
  return [...found].filter((file) => file.endsWith('.test.ts'));
}

/** A feature test by its name, its folder or what it imports: `src/schedules/ui/` has `feature/schedules`. */
function concernsFeature(test, changed, imports) {
  const [, feature, wing] = /^src\/(?:features\/(\w+)|(\w+)\/ui)\//.exec(changed) ?? [];
  const name = path.basename(test, '.test.ts').toLowerCase();
  return (
    wholeProduct.test(changed) ||
    imports.some((one) => one.path === changed) ||
    (feature !== undefined && name.includes(feature.toLowerCase())) ||
    (wing !== undefined && test.startsWith(`test/feature/${wing}/`))
  );
}
