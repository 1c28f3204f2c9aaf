import assert from 'node:assert/strict';
import type { Client } from '../../../../src/api/client';
import { currentTemplate, findTemplate } from '../../../../src/store/templates/findTemplate';
import { aTemplate } from '../../../support/builders';

describe('The current template', () => {
  const [one, other] = [aTemplate({ id: 1, hashId: 'a' }), aTemplate({ id: 2, hashId: 'b' })];
  const asked: unknown[] = [];
  const client = {
    templates: {
      search: (filters: unknown) => {
        asked.push(filters);
        return Promise.resolve({ items: [one, other], skipped: 0 });
      },
    },
  } as unknown as Client; // nothing else of it is used here

  for (const [by, how, filters, found] of [
    ['its id', { templateId: 2 }, { id: { eq: 2 } }, other],
    ['its id, whatever its hash was', { templateId: 2, templateHash: 'a' }, { id: { eq: 2 } }, other],
    ['its hash where nothing else is known', { templateHash: 'b' }, { hash_id: { eq: 'b' } }, other],
    ['no id that the account does not see', { templateId: 3 }, { id: { eq: 3 } }, undefined],
    ['no hash from before an edit', { templateHash: 'c' }, { hash_id: { eq: 'c' } }, undefined],
  ] as const) {
    it(`is found by ${by}`, async () => {
      asked.length = 0;
      assert.equal(await findTemplate(client, how), found);
      assert.deepEqual(asked, [filters]);
    });
  }

  it('is there for a rental, or the user is asked to choose another one', async () => {
    assert.equal(await currentTemplate(client, 1), one);
    await assert.rejects(currentTemplate(client, 3), /was deleted or made private/);
  });
});
