import assert from 'node:assert/strict';
import { templateTooltip } from '../../../../src/features/templates/templateItem';
import type { Template } from '../../../../src/model/templates/template';

describe('the tooltip of a template', () => {
  const facts = { isMine: true, isFavourite: false, isUnsaved: false };
  const template: Template = { id: 7, hashId: 'abc', name: 'Mine', image: 'a/b', raw: {} };

  it('has the days that exist, and no others', () => {
    const day = new Date(2026, 0, 15).getTime() / 1000;
    const known = templateTooltip({ ...template, createdAt: day, recentCreateAt: day }, facts).value;
    assert.match(known, /Created on Jan 15\W+2026/);
    assert.match(known, /Last rented on Jan 15\W+2026/);
    for (const odd of [1e300, -1e300, 1e14, 0]) {
      const { value } = templateTooltip({ ...template, createdAt: odd, recentCreateAt: odd }, facts);
      assert.doesNotMatch(value, /Invalid|Created|Last rented/);
    }
  });
});
