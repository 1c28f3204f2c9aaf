import assert from 'node:assert/strict';
import type { KnownTemplate } from '../../../../src/store/templates/templateReader';
import { TemplatesOnScreen } from '../../../../src/store/templates/templatesOnScreen';

const version = (text: string): KnownTemplate => ({
  id: 1,
  accountKey: 'a',
  hashId: text,
  name: 'n',
  isMine: true,
  fields: {},
  raw: {},
  text,
  mtime: 1,
});

describe('the templates of a window and of its screen', () => {
  const [first, second] = [version('1'), version('2')];
  let templates: TemplatesOnScreen;
  beforeEach(() => {
    templates = new TemplatesOnScreen();
  });

  it('go back to what the screen shows, once', () => {
    templates.adopt(1, first);
    assert.equal(templates.goBackToShown(1), false, 'the screen is not behind');
    templates.set(1, second);
    assert.equal(templates.goBackToShown(1), true);
    assert.equal(templates.get(1), first);
    assert.equal(templates.goBackToShown(1), false);
  });

  it('keep what was read where nothing was shown yet, or nothing is known', () => {
    templates.set(1, first);
    assert.equal(templates.goBackToShown(1), false);
    assert.equal(templates.get(1), first);
    assert.equal(templates.goBackToShown(2), false);
    assert.equal(templates.has(2), false);
  });

  it('count only the text that is known as shown', () => {
    templates.adopt(1, first);
    templates.set(1, second);
    templates.noteShown(1, 'typed');
    templates.noteShown(2, 'typed');
    assert.equal(templates.goBackToShown(1), true);
    templates.set(1, second);
    templates.noteShown(1, '2');
    assert.equal(templates.goBackToShown(1), false);
    assert.equal(templates.get(1), second);
  });

  it('forget a template with what was shown of it', () => {
    templates.adopt(1, first);
    templates.delete(1);
    assert.equal(templates.has(1), false);
    templates.set(1, second);
    assert.equal(templates.goBackToShown(1), false);
    assert.equal(templates.get(1), second);
  });
});
