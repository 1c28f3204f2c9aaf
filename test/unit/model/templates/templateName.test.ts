import assert from 'node:assert/strict';
import { templateImage, templateName } from '../../../../src/model/templates/templateName';

describe('what a template is called', () => {
  it('is its name without what a list would read as an icon or a line', () => {
    assert.equal(templateName({ id: 7, name: 'My Trainer' }), 'My Trainer');
    assert.ok(!templateName({ id: 7, name: 'a\n$(rocket)b' }).includes('\n'));
  });

  it('is its number where it has none', () => {
    assert.deepEqual([{ id: 7 }, { id: 7, name: '' }, { id: 7, name: '  ' }].map(templateName), [
      '#7',
      '#7',
      '#7',
    ]);
  });

  it('names the tag of its image once', () => {
    assert.deepEqual(
      [{ image: 'a/b', tag: '1' }, { image: 'a/b:2', tag: '1' }, { image: 'a/b' }].map(templateImage),
      ['a/b:1', 'a/b:2', 'a/b'],
    );
  });
});
