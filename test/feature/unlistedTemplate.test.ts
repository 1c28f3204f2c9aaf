import { FakeUri } from '../support/fakeEditor/values';
import { DocumentDriver } from '../support/feature/documentDriver';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('a template that is in no list', () => {
  const computer = useComputer();
  const service = new ServiceTemplates(computer);
  let window: FeatureWindow;

  before(async () => {
    window = await computer().openSignedIn();
  });

  it('is read again by each command that uses it', async () => {
    const id = await service.make('Taken');
    for (const desc of ['first', 'second']) {
      await service.editElsewhere(id, { desc });
      const { hash_id: hash } = await service.record(id);
      window.start('gpuRental.template.copyHash', { templateId: id });
      await computer().until('the current hash', () => computer().clipboard.text === hash);
    }
  });

  it('is read again with its document, where that is read-only', async () => {
    const id = await service.make('Unlisted');
    const editor = new DocumentDriver(window);
    const uri = FakeUri.from({ scheme: 'gpurental', authority: 'public', path: `/${id}/Unlisted.json` });
    for (const desc of ['third', 'fourth']) {
      await service.editElsewhere(id, { desc });
      void window.screen.documents.show(uri);
      await editor.shows('Unlisted.json', `"desc": "${desc}"`);
      await editor.closeAll();
    }
  });
});
