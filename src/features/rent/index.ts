import type { InstanceTarget, TemplateTarget } from '../../commandSpecs';
import { runCommand, signedIn } from '../../editor/commands';
import { confirmEditedTemplate } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { whileAsking } from '../../editor/progress';
import { isSavedFirst, unsavedTemplate } from '../../editor/templateTabs';
import { queryWith } from '../../model/offers/savedSearches';
import { plannedDiskGb } from '../../model/rentals/rentPlan';
import type { Template } from '../../model/templates/template';
import { templateName } from '../../model/templates/templateName';
import { refState } from '../../model/templates/templateRef';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { accountStill } from '../../store/accounts/sameAccount';
import { currentTemplate } from '../../store/templates/findTemplate';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { loginToPush } from './loginOption';
import { anotherLike, draftLike } from './rentAnother';
import { rentPicked, type RentDeps } from './rentPicked';
import { pickTemplate } from './templatePick';

type Deps = RentDeps & Pick<Services, 'commands' | 'work'>;

/** Renting: its entry points, and the steps after an offer is picked. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  store.add(commands.register('gpuRental.rentFromTemplate', (target) => fromTemplate(deps, target)));
  store.add(commands.register('gpuRental.instance.rentAnother', (target) => another(deps, target)));
  store.add(
    commands.register('gpuRental.pickTemplate', async () => {
      const account = await signedIn(deps.accounts);
      const template = account && (await pickTemplate(deps, account, undefined, t('Choose a Template')));
      return template && { hashId: template.hashId, name: templateName(template), image: template.image };
    }),
  );
  store.add(
    commands.register('gpuRental.draftLike', ({ accountKey, like }) =>
      draftLike(deps, accountStill(deps.accounts, accountKey), like),
    ),
  );
  store.add(commands.register('gpuRental.rentOffer', (draft) => rentPicked(deps, draft)));
  store.add(
    commands.register('gpuRental.chooseRegistryLogin', (accountKey) => loginToPush({ ...deps, accountKey })),
  );
  return store;
}

async function fromTemplate(deps: Deps, target: TemplateTarget | undefined): Promise<void> {
  const account = await signedIn(deps.accounts);
  const picked = account && (await pickTemplate(deps, account, target?.templateId));
  if (!account || !picked || !(await isAsRemembered(deps, account, picked, target))) {
    return;
  }
  const template = await savedTemplate(deps, account, picked);
  if (!template) {
    return;
  }
  const source = { kind: 'template' as const, template };
  await runCommand('gpuRental.searchFor', {
    accountKey: account.key,
    title: t('Search Offers for {0}', templateName(template)),
    query: queryWith(template.extraFilters, plannedDiskGb({ source })),
    choices: { source },
  });
}

/**
 * Offers to save the template first if it is being edited, because a rental uses the version of the service. Returns it
 * as it is there then; `undefined` if the user cancels.
 */
async function savedTemplate(
  { templateStores }: Deps,
  { key, client }: Account,
  template: Template,
): Promise<Template | undefined> {
  const document = unsavedTemplate(template.id);
  // Another account may have another template with this number.
  if (!document || templateStores.documents.peek(template.id)?.accountKey !== key) {
    return template;
  }
  return (await isSavedFirst(document, {
    message: t('“{0}” is not saved. Save it first?', templateName(template)),
    button: t('Save and Continue'),
  }))
    ? whileAsking(currentTemplate(client, template.id))
    : undefined;
}

/** Asks if a favorite or recent template was edited since; returns true if the user still wants it. */
async function isAsRemembered(
  { templateStores }: Deps,
  { key }: Account,
  template: Template,
  target: TemplateTarget | undefined,
): Promise<boolean> {
  const group = target?.group;
  if (group !== 'favourites' && group !== 'recent') {
    return true;
  }
  const list = group === 'recent' ? 'recents' : group;
  const ref = await templateStores.refs.find(key, list, template.id);
  return (
    ref === undefined ||
    refState(ref, template).kind === 'current' ||
    confirmEditedTemplate(t('The template {0} was edited after it was chosen.', templateName(template)))
  );
}

async function another(deps: Deps, target: InstanceTarget | undefined): Promise<void> {
  const account = await signedIn(deps.accounts);
  const draft = account && (await anotherLike(deps, account, target));
  if (draft) {
    await runCommand('gpuRental.searchFor', draft);
  }
}
