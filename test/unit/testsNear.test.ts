import assert from 'node:assert/strict';
import path from 'node:path';

const root = path.resolve(__dirname, '..', '..');

type Inputs = Readonly<Record<string, { readonly imports: readonly { readonly path: string }[] }>>;
interface Near {
  testsNear(inputs: Inputs, changed: readonly string[], textOf: (file: string) => string): string[];
}

describe('The tests near a change', () => {
  const graph: Readonly<Record<string, readonly string[]>> = {
    'src/model/money.ts': [],
    'src/model/rate.ts': ['src/model/money.ts'],
    'src/store/costs.ts': ['src/model/rate.ts'],
    'src/schedules/ui/index.ts': ['src/store/costs.ts'],
    'src/hosting/ui/volumes/index.ts': ['src/store/costs.ts'],
    'test/support/scene.ts': [],
    'test/unit/costs.test.ts': ['src/store/costs.ts'],
    'test/unit/money.test.ts': ['src/model/money.ts'],
    'test/unit/scene.test.ts': ['test/support/scene.ts'],
    'test/feature/schedules/schedules.test.ts': [
      'src/schedules/ui/index.ts',
      'src/hosting/ui/volumes/index.ts',
    ],
    'test/feature/hosting/volumes.test.ts': ['src/schedules/ui/index.ts', 'test/support/scene.ts'],
  };
  const inputs: Inputs = Object.fromEntries(
    Object.entries(graph).map(([file, imports]) => [file, { imports: imports.map((to) => ({ path: to })) }]),
  );
  let near: Near;
  before(async () => {
    near = (await import(path.join(root, 'scripts', 'testing', 'near.mjs'))) as Near;
  });
  const testsOf = (...changed: readonly string[]) =>
    near.testsNear(inputs, changed, (file) =>
      file === 'test/support/scene.ts' ? "join(root, 'scripts/host.json')" : '',
    );

  it('are those that import it, the nearest first', () => {
    assert.deepEqual(testsOf('src/model/money.ts'), ['test/unit/money.test.ts', 'test/unit/costs.test.ts']);
    assert.deepEqual(testsOf('test/unit/costs.test.ts'), ['test/unit/costs.test.ts']);
    assert.deepEqual(testsOf('src/model/other.ts', 'README.md'), []);
  });

  it('are those that name it where it is no module of theirs', () => {
    assert.deepEqual(testsOf('scripts/host.json'), ['test/unit/scene.test.ts']);
  });

  it('are feature tests by their name, by what they import themselves, or all of them', () => {
    const both = ['test/feature/schedules/schedules.test.ts', 'test/feature/hosting/volumes.test.ts'];
    assert.deepEqual(testsOf('src/features/volumes/volumeTree.ts'), ['test/feature/hosting/volumes.test.ts']);
    assert.deepEqual(testsOf('src/schedules/ui/index.ts'), both);
    assert.deepEqual(testsOf('src/store/costs.ts'), ['test/unit/costs.test.ts', ...both]);
    assert.deepEqual(testsOf('src/editor/view.ts'), both);
    assert.deepEqual(testsOf('test/support/scene.ts'), [
      'test/unit/scene.test.ts',
      'test/feature/hosting/volumes.test.ts',
    ]);
  });
});
