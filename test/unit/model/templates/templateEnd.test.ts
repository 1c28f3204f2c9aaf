import assert from 'node:assert/strict';
import { findTemplateProblems } from '../../../../src/model/templates/templateDiagnostics';
import { endOfTemplate, ignoredEnds } from '../../../../src/model/templates/templateEnd';
import { formatText } from '../../../../src/util/text';

describe('The end that a template asks for', () => {
  for (const [env, expected] of [
    ['-e GPU_RENTAL_IDLE_MINUTES=15 -p 8080:8080', { idleMinutes: 15 }],
    ['-e GPU_RENTAL_IDLE_MINUTES=90 -e GPU_RENTAL_IDLE_MINUTES=20', { idleMinutes: 20 }],
    [{ GPU_RENTAL_DESTROY_AFTER_DAYS: '1', A: 'b' }, { destroyAfterDays: 1 }],
    [undefined, {}],
    ['', {}],
  ] as const) {
    it(`is read from ${JSON.stringify(env)}`, () => {
      assert.deepEqual(endOfTemplate(env), expected);
      assert.deepEqual(ignoredEnds(env), []);
    });
  }

  for (const value of ['', '0', '4', '-15', '15.5', '1e2', ' 15', '15m', '0x1f', '99999', 'never', '１５']) {
    it(`is ignored and reported where it is "${value}"`, () => {
      const env = { GPU_RENTAL_IDLE_MINUTES: value };
      assert.deepEqual(endOfTemplate(env), {});
      const found = findTemplateProblems(JSON.stringify({ env })).filter(({ code }) => code === 'endIgnored');
      assert.deepEqual(
        found.map(({ message }) => formatText(message)),
        ['"GPU_RENTAL_IDLE_MINUTES" is ignored. Enter a whole number from 5 to 10080.'],
      );
    });
  }
});
