import type { TemplateTarget } from '../../commandSpecs';
import { offerDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import type { TemplateRef } from '../../model/templates/templateRef';
import type { Services } from '../../services';
import { defined } from '../../util/defined';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { createTemplate, exportTemplate, importTemplate } from './createTemplate';
import { takeSnapshot } from './takeSnapshot';
import {
  copyOf,
  deleteTemplates,
  duplicateTemplate,
  knownTemplate,
  openImagePage,
  openTemplate,
  type CommandDeps,
} from './templateCommands';
import { TemplateLists } from './templateLists';
import { searchTemplates } from './templateSearch';
import { TemplateTree } from './templateTree';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'templates'
  | 'templateStores'
  | 'trees'
  | 'commands'
  | 'hub'
  | 'clock'
  | 'log'
  | 'network'
  | 'redactor'
  | 'oneWindow'
  | 'rentals'
>;

/** Registers the templates view and its commands. Template documents are another feature. */
export function register(services: Deps): Disposable {
  const store = new DisposableStore();
  const lists = store.add(new TemplateLists(services));
  const tree = store.add(new TemplateTree(services, lists));
  services.trees['gpuRental.templates'].setProvider(tree);
  const deps = { ...services, lists };
  const { commands } = services;
  store.add(reportDamagedTemplates(services));
  store.add(commands.register('gpuRental.template.create', () => createTemplate(deps)));
  store.add(commands.register('gpuRental.template.edit', (target) => openTemplate(deps, target)));
  store.add(commands.register('gpuRental.template.duplicate', (target) => duplicateTemplate(deps, target)));
  store.add(
    commands.register('gpuRental.template.delete', (target, selected) =>
      deleteTemplates(deps, target, selected),
    ),
  );
  store.add(
    commands.register('gpuRental.template.search', () => {
      searchTemplates(deps);
    }),
  );
  store.add(
    commands.register('gpuRental.template.copyId', (target) =>
      copyOf(deps, 'gpuRental.template.copyId', target, ({ id }) => String(id)),
    ),
  );
  store.add(
    commands.register('gpuRental.template.copyHash', (target) =>
      copyOf(deps, 'gpuRental.template.copyHash', target, ({ hashId }) => hashId),
    ),
  );
  store.add(commands.register('gpuRental.template.openImagePage', (target) => openImagePage(deps, target)));
  store.add(commands.register('gpuRental.template.export', (target) => exportTemplate(deps, target)));
  store.add(commands.register('gpuRental.template.import', (from) => importTemplate(deps, from)));
  store.add(
    commands.register('gpuRental.template.addFavourite', (target) => setFavourite(deps, target, true)),
  );
  store.add(
    commands.register('gpuRental.template.removeFavourite', (target) => setFavourite(deps, target, false)),
  );
  store.add(commands.register('gpuRental.instance.takeSnapshot', (target) => takeSnapshot(deps, target)));
  store.add(commands.register('gpuRental.template.showMore', (group) => tree.showMore(group)));
  return store;
}

async function setFavourite(
  deps: CommandDeps,
  target: TemplateTarget | undefined,
  isFavourite: boolean,
): Promise<void> {
  const id = target?.templateId;
  if (id === undefined) {
    return;
  }
  // A deleted template can still be removed from the favorites.
  const known = isFavourite ? await knownTemplate(deps, id) : undefined;
  await deps.lists.setFavourite(
    defined<TemplateRef>({ id, name: known?.name, hash: known?.hashId }),
    isFavourite,
  );
}

/** Names each damaged record of templates once: the favorites in it are gone. */
function reportDamagedTemplates({
  templateStores: { memory },
  oneWindow,
}: Pick<Services, 'templateStores' | 'oneWindow'>): Disposable {
  const report = () => {
    offerDamagedFiles(oneWindow, 'templates', memory.damaged, {
      effect: t('Your favorite and recent templates are lost. Drafts and secrets are kept.'),
    });
  };
  report();
  return memory.onDidFindDamage(report);
}
