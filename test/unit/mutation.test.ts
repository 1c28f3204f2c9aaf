import assert from 'node:assert/strict';

interface Mutation {
  readonly line: number;
  readonly was: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

describe('small defects for the measure of the tests', () => {
  let mutationsOf: (file: string, source: string) => Mutation[];
  let applied: (source: string, mutation: Mutation) => string;
  let draw: <T>(places: readonly T[], count: number, random: () => number) => T[];
  let randomOf: (seed: number) => () => number;

  before(async () => {
    const file = '../../scripts/testing/mutation.mjs';
    ({ mutationsOf, applied, draw, randomOf } = (await import(file)) as never);
  });

  const changes = (source: string) => mutationsOf('x.ts', source).map((one) => applied(source, one));

  it('change an operator, a literal, a condition or a call, one at a time', () => {
    assert.deepEqual(changes('if (a < 3) go(true);'), [
      'if (!(a < 3)) go(true);',
      'if (a <= 3) go(true);',
      'if (a < (3 + 1)) go(true);',
      'if (a < 3) ;',
      'if (a < 3) go(false);',
    ]);
    assert.deepEqual(changes('const x = !a && b;'), ['const x = !a || b;', 'const x = a && b;']);
  });

  it('leave types, imports and joined texts alone', () => {
    assert.deepEqual(changes("import { a } from 'b'; type T = 1 | true; interface I { x: false }"), []);
    assert.deepEqual(changes("const x = 'a' + b;"), []);
  });

  it('are the same for the same seed, and none twice', () => {
    const places = Array.from({ length: 50 }, (_, index) => index);
    const drawn = draw(places, 20, randomOf(7));
    assert.deepEqual(drawn, draw(places, 20, randomOf(7)));
    assert.notDeepEqual(drawn, draw(places, 20, randomOf(8)));
    assert.equal(new Set(drawn).size, 20);
    assert.equal(draw(places, 90, randomOf(7)).length, 50);
  });
});
