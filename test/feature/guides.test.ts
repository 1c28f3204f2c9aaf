import assert from 'node:assert/strict';
import path from 'node:path';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

const repository = path.resolve(__dirname, '..', '..');

describe('the guides', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  const shown: string[] = [];

  before(async () => {
    const pages = (await import(path.join(repository, 'scripts', 'packagedPages.mjs'))) as {
      writeGuides: (root: string, folder: string) => Promise<void>;
    };
    await pages.writeGuides(repository, path.join(repository, 'dist', 'guides'));
    window = await computer().openWindow();
    window.screen.commands.ofEditor.set('markdown.showPreview', (page) => shown.push(String(page)));
  });

  const isShown = (...names: readonly string[]) =>
    computer().until(`the guides ${names.join(', ')}`, () => {
      assert.ok(shown.length <= names.length, shown.join());
      return names.every((name, at) => shown[at]?.endsWith(`/dist/guides/${name}.md`) === true);
    });

  it('are chosen from a list, without an account', async () => {
    window.run('Open Guide…');
    await window.quick.title('Open Guide');
    assert.equal(window.quick.rows().length, 4);
    await window.quick.pick('Agents');
    await isShown('agents');
  });

  it('are opened by a link, and a wrong link leads to the list', async () => {
    window.start('gpuRental.openGuide', 'jobs');
    await isShown('agents', 'jobs');
    window.start('gpuRental.openGuide', '../../package.json');
    await window.quick.title('Open Guide');
    window.quick.escape();
    await isShown('agents', 'jobs');
  });

  it('are shown as text where the editor has no preview', async () => {
    window.screen.commands.ofEditor.set('markdown.showPreview', () => {
      throw new Error("command 'markdown.showPreview' not found");
    });
    window.start('gpuRental.openGuide', 'jobs');
    await computer().until(
      'the text',
      () => window.screen.documents.active?.document.getText().startsWith('# Jobs\n') === true,
    );
  });
});
