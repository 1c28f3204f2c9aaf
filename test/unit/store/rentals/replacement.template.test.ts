import assert from 'node:assert/strict';
import { TimedOutError } from '../../../../src/api/errors';
import { fromDollars } from '../../../../src/model/money';
import { anOffer, aTemplate } from '../../../support/builders';
import { useFailedMachine } from '../../../support/failedMachineScene';
import { anySearch } from '../../../support/rentalRequest';

describe('replacing a machine that failed rented from a template', () => {
  const scene = useFailedMachine();
  const { become, replace } = scene;

  let id: number;

  beforeEach(async () => {
    scene.service.templates = [aTemplate()];
    await scene.window.rentals.rent({
      offer: anOffer(),
      config: { templateHash: 'hash-1', templateId: 77, diskGb: 20 },
      search: anySearch,
      rentalType: 'on-demand',
      priceLimit: fromDollars(0.4),
    });
    id = scene.service.nextId;
    become('exited');
  });

  it('is rented again from the template as it was', async () => {
    assert.equal((await replace({}, scene.window, id)).kind, 'replaced');
    assert.equal(scene.service.rented.at(-1)?.config.templateHash, 'hash-1');
  });

  it('stays where the template was edited since, until the user wants its current version', async () => {
    scene.service.templates = [aTemplate({ hashId: 'hash-2' })];
    const changed = { kind: 'templateChanged', template: scene.service.templates[0] };
    assert.deepEqual(await replace({}, scene.window, id), changed);
    assert.deepEqual(await replace({ acceptedTemplateHash: 'hash-3' }, scene.window, id), changed);
    assert.equal(scene.service.count('instances.destroy'), 0);
    assert.equal((await replace({ acceptedTemplateHash: 'hash-2' }, scene.window, id)).kind, 'replaced');
    assert.equal(scene.service.rented.at(-1)?.config.templateHash, 'hash-2');
  });

  it('does nothing if the template is gone, or can’t be read', async () => {
    scene.service.templates = [];
    assert.deepEqual(await replace({}, scene.window, id), { kind: 'templateChanged', template: undefined });
    scene.service.failsBefore('templates.search', () => new TimedOutError());
    await assert.rejects(replace({}, scene.window, id), TimedOutError);
    assert.equal(scene.service.count('instances.destroy'), 0);
  });
});
