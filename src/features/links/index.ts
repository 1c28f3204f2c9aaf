import * as vscode from 'vscode';
import { runCommand, titledAction } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { copyLink } from '../../editor/copyLink';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import { labelOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { readLink } from '../../model/links';
import { defaultQuery } from '../../model/offers/savedSearches';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { accountStill } from '../../store/accounts/sameAccount';
import { orCancelled } from '../../util/cancellation';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';

type Deps = Pick<Services, 'accounts' | 'commands' | 'fleet' | 'links' | 'report' | 'searchBudget'>;

class BadLinkError extends UserError {
  constructor() {
    super(
      text(
        "This link can't be opened. GPU Rental links can only open, connect to or start an instance, connect to a shared one, open an offer or template by its number, or open the sign-in.",
      ),
    );
  }
}

/** Opens links from outside, such as `vscode://gpu-rental.gpu-rental/instance?id=5`, and copies them. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands, links } = deps;
  const handle = async (uri: vscode.Uri): Promise<void> => {
    try {
      await open(deps, uri);
    } catch (error) {
      deps.report.error(error, { retry: () => handle(uri) });
    }
  };
  links.handle = handle;
  store.add(
    toDisposable(() => {
      links.handle = undefined;
    }),
  );
  store.add(
    commands.register('gpuRental.instance.copyLink', (target) => copy('instance', target?.instanceId)),
  );
  store.add(
    commands.register('gpuRental.instance.copyId', async (target) => {
      if (target) {
        await vscode.env.clipboard.writeText(String(target.instanceId));
      }
    }),
  );
  store.add(
    commands.register('gpuRental.template.copyLink', (target) => copy('template', target?.templateId)),
  );
  return store;
}

async function open(deps: Deps, uri: vscode.Uri): Promise<void> {
  const link = readLink(uri);
  if (!link) {
    throw new BadLinkError();
  }
  if (link.kind === 'shared') {
    // The instance is of another account, so none is needed here.
    await runCommand('gpuRental.openShared', link.place);
    return;
  }
  if (link.kind === 'signIn' || !deps.accounts.active) {
    await runCommand('gpuRental.signIn');
  }
  const account = deps.accounts.active;
  if (!account || link.kind === 'signIn') {
    return;
  }
  switch (link.kind) {
    case 'instance':
      return openInstance(deps, account, link.id);
    case 'connect':
    case 'start':
      return act(deps, account, link.kind, link.id);
    case 'offer':
      return openOffer(deps, account, link.id);
    case 'template':
      await runCommand('gpuRental.template.edit', { templateId: link.id });
  }
}

async function openInstance(deps: Deps, account: Account, id: number): Promise<void> {
  if (await found(deps, account, id)) {
    await runCommand('gpuRental.instance.reveal', { instanceId: id });
  }
}

/** Returns the instance of a link; shows a message if the account has none with this number. */
async function found({ fleet }: Deps, account: Account, id: number): Promise<Instance | undefined> {
  if (!fleet.find(id)) {
    await withCancellableProgress(t('Waiting for the service…'), (signal) =>
      orCancelled(fleet.refresh(), signal),
    );
  }
  const instance = fleet.find(id);
  if (!instance) {
    message(
      'warning',
      t(
        '{0} has no instance #{1}. It may have been destroyed, or belong to another account.',
        plainLabel(account.name),
        id,
      ),
      titledAction('gpuRental.switchAccount'),
    );
  }
  return instance;
}

/**
 * Asks before a link opens a window, because links can come from anywhere. A start has its own question with the price.
 */
async function act(deps: Deps, account: Account, kind: 'connect' | 'start', id: number): Promise<void> {
  const instance = await found(deps, account, id);
  if (!instance) {
    return;
  }
  await runCommand('gpuRental.instance.reveal', { instanceId: id });
  if (kind === 'start') {
    await runCommand('gpuRental.instance.start', { instanceId: id });
    return;
  }
  const question = {
    message: t('Connect to “{0}”?', instanceName(instance)),
    detail: t(
      'A link asks to connect. A remote window runs programs from the machine, which belongs to a stranger.',
    ),
    button: labelOf('gpuRental.instance.connect'),
  };
  if (await confirm(question)) {
    accountStill(deps.accounts, account.key);
    await runCommand('gpuRental.instance.connect', { instanceId: id });
  }
}

/** Opens the search with only this offer; renting takes the usual steps and the usual confirmation. */
async function openOffer({ searchBudget }: Deps, { client }: Account, id: number): Promise<void> {
  const filters = { id: { eq: id } };
  searchBudget.note();
  const { items } = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    client.offers.search({ filters, rentalType: 'on-demand', order: [], limit: 1 }, { signal }),
  );
  if (items.some((offer) => offer.id === id)) {
    await runCommand('gpuRental.searchFor', {
      title: t('Search Offers: {0}', t('Offer #{0}', id)),
      query: { ...defaultQuery, filters: {}, extraFilters: filters },
    });
    return;
  }
  message(
    'warning',
    t('Offer #{0} is no longer available. Offers come and go within minutes.', id),
    titledAction('gpuRental.searchOffers'),
  );
}

async function copy(kind: 'instance' | 'template', id: number | undefined): Promise<void> {
  if (id !== undefined) {
    await copyLink({ kind, id });
  }
}
