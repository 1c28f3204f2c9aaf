import * as vscode from 'vscode';
import type { InstanceTarget } from '../../commandSpecs';
import { confirmEditedTemplate } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances } from '../../editor/progress';
import { pickFromList, type Row } from '../../editor/quickPick';
import { momentText } from '../../editor/timeText';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { displayLabel, withoutMarker } from '../../model/instances/instanceLabel';
import { formatMoney } from '../../model/money';
import type { MarketQuery } from '../../model/offers/marketQuery';
import { defaultQuery, queryWith } from '../../model/offers/savedSearches';
import { defaultFilters } from '../../model/offers/searchFields';
import type { RentConfig } from '../../model/rentals/rent';
import { choicesOf } from '../../model/rentals/rentAgain';
import type { RentDraft } from '../../model/rentals/rentDraft';
import { machineName } from '../../model/rentals/rentFacts';
import { leastDiskGb, plannedDiskGb, type RentSource } from '../../model/rentals/rentPlan';
import type { RentedLike } from '../../model/rentals/rentedLike';
import { templateName } from '../../model/templates/templateName';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { listedInstances } from '../../store/instances/listed';
import type { Rental } from '../../store/rentals/rentalStore';
import { findTemplate } from '../../store/templates/findTemplate';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import type { RentDeps } from './rentPicked';
import { pickTemplate } from './templatePick';

type Deps = RentDeps & Pick<Services, 'work'>;

type Past =
  | { readonly kind: 'instance'; readonly instance: Instance }
  | { readonly kind: 'rental'; readonly rental: Rental };

/** Returns the search and choices of a present or past instance; `undefined` if the user canceled. */
export async function anotherLike(
  deps: Deps,
  account: Account,
  target: InstanceTarget | undefined,
): Promise<RentDraft | undefined> {
  const past = target ? known(deps, target.instanceId) : await choose(deps);
  if (!past) {
    return undefined;
  }
  const rental = past.kind === 'rental' ? past.rental : deps.rentals.find(past.instance.id);
  return rental
    ? fromRental(deps, account, rental)
    : past.kind === 'instance'
      ? fromInstance(deps, account, past.instance)
      : undefined;
}

function known(deps: Deps, id: number): Past {
  const instance =
    deps.fleet.find(id) ?? deps.work.past?.rows.find(({ instance: past }) => past.id === id)?.instance;
  const rental = deps.rentals.find(id);
  if (rental) {
    return { kind: 'rental', rental };
  }
  if (!instance) {
    throw new UserError(text('Instance #{0} is no longer in the list. Refresh the list.', id));
  }
  return { kind: 'instance', instance };
}

async function choose(deps: Deps): Promise<Past | undefined> {
  const instances = await listedInstances(deps.fleet, whileReadingInstances);
  const ids = new Set(instances.map(({ id }) => id));
  // A refused rental never became an instance.
  const gone = deps.rentals.rentals.filter(
    ({ phase }) => 'instanceId' in phase && !ids.has(phase.instanceId),
  );
  const separator = (label: string): Row<Past> => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const rows: Row<Past>[] = [
    ...(instances.length === 0 ? [] : [separator(t('Instances'))]),
    ...instances.map((instance): Row<Past> => ({
      id: `instance:${instance.id}`,
      label: plainLabel(displayLabel(instance) ?? `#${instance.id}`),
      description: plainLabel(`${instance.gpuCount ?? 1}× ${instance.gpuName ?? '?'}`),
      value: { kind: 'instance', instance },
    })),
    ...(gone.length === 0 ? [] : [separator(t('Rented before'))]),
    ...gone.map((rental): Row<Past> => ({
      id: `rental:${rental.marker}`,
      label: plainLabel(machineName(rental.offer)),
      description: plainLabel(withoutMarker(rental.config.label ?? '')),
      detail: momentText(rental.requestedAt, deps.clock.now()),
      value: { kind: 'rental', rental },
    })),
  ];
  const answer = await pickFromList<Past>({
    title: titleOf('gpuRental.instance.rentAnother'),
    placeholder: t('Like which instance?'),
    rows: rows.length === 0 ? [{ label: t('Nothing was rented from here yet.') }] : rows,
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

/** Searches for the same GPU, in the same number. */
function queryFor(
  gpuName: string | undefined,
  gpuCount: number | undefined,
  rest: Pick<MarketQuery, 'rentalType' | 'diskGb'>,
): MarketQuery {
  return {
    ...defaultQuery,
    ...rest,
    sort: 'price',
    filters: {
      ...defaultFilters,
      ...(gpuName === undefined ? {} : { gpu: { oneOf: [gpuName] } }),
      ...(gpuCount === undefined ? {} : { gpuCount: { min: gpuCount, max: gpuCount } }),
    },
  };
}

function title(name: string): string {
  return t('Search Offers like {0}', plainLabel(name));
}

/** Restores secrets from the secret store; those that are missing are left out and named in a message. */
async function fromRental(deps: Deps, account: Account, rental: Rental): Promise<RentDraft | undefined> {
  const full = await deps.rentals.fullConfig(rental);
  const config = full ?? rental.config;
  const { offer, rentalType } = rental;
  const query = queryFor(offer.gpuName, offer.gpuCount, {
    rentalType,
    diskGb: config.diskGb ?? defaultQuery.diskGb,
  });
  return draftOf(deps, account, config, full !== undefined, { title: title(machineName(offer)), query });
}

/** Returns the search by which a machine was rented whose record may be gone, for at least the same CUDA. */
export async function draftLike(
  deps: Deps,
  account: Account,
  like: RentedLike,
): Promise<RentDraft | undefined> {
  const { config, rentalType, search, gpuName, gpuCount, cudaVersion, workspace, machine } = like;
  const diskGb = config.diskGb ?? defaultQuery.diskGb;
  const query = search
    ? { ...queryWith(search.filters, diskGb), rentalType }
    : queryFor(gpuName, gpuCount, { rentalType, diskGb });
  const cuda = Math.max(cudaVersion ?? 0, query.filters.cuda?.min ?? 0);
  const filters = cuda > 0 ? { ...query.filters, cuda: { ...query.filters.cuda, min: cuda } } : query.filters;
  const draft = await draftOf(deps, account, config, like.hasSecrets === true, {
    title: title(gpuName ?? '?'),
    query: { ...query, filters },
  });
  return draft && workspace !== undefined ? { ...draft, workspace: { folder: workspace, machine } } : draft;
}

async function draftOf(
  deps: Deps,
  account: Account,
  config: RentConfig,
  hasSecrets: boolean,
  found: Pick<RentDraft, 'title' | 'query'>,
): Promise<RentDraft | undefined> {
  const { choices, lost } = choicesOf(config, hasSecrets);
  if (lost.length > 0) {
    const names = lost.map((one) => (typeof one === 'string' ? plainLabel(one) : localize(one)));
    message(
      'warning',
      t(
        'Set these again under More Options: {0}. They are kept only as long as their instance exists.',
        names.join(', '),
      ),
    );
  }
  const source = await sourceOf(deps, account, config);
  return source && { accountKey: account.key, ...found, choices: { ...choices, source } };
}

async function sourceOf(deps: Deps, account: Account, config: RentConfig): Promise<RentSource | undefined> {
  if (config.templateHash === undefined) {
    return config.image === undefined ? undefined : { kind: 'image', image: config.image };
  }
  const template = await findTemplate(account.client, config);
  if (template) {
    const isSame = template.hashId === config.templateHash;
    return isSame ||
      (await confirmEditedTemplate(
        t('The template {0} was edited after it was chosen.', templateName(template)),
      ))
      ? { kind: 'template', template }
      : undefined;
  }
  message(
    'warning',
    t('The template of that rental was changed or deleted. Choose the template to rent with.'),
  );
  const chosen = await pickTemplate(deps, account, undefined);
  return chosen && { kind: 'template', template: chosen };
}

async function fromInstance(
  deps: Deps,
  account: Account,
  instance: Instance,
): Promise<RentDraft | undefined> {
  const { templateHash, templateId, image } = instance;
  const config: RentConfig = {
    ...(templateHash !== undefined
      ? { templateHash, ...(templateId === undefined ? {} : { templateId }) }
      : image === undefined
        ? {}
        : { image }),
  };
  // If the record does not state what ran there, the user is asked.
  const isKnown = templateHash !== undefined || image !== undefined;
  const source = isKnown ? await sourceOf(deps, account, config) : undefined;
  if (isKnown && !source) {
    return undefined;
  }
  const least = instance.diskSpaceGb ?? (source ? plannedDiskGb({ source }) : 0);
  const diskGb = Math.max(leastDiskGb, Math.ceil(least));
  const price = instance.totalPerHour;
  const name = displayLabel(instance);
  return {
    accountKey: account.key,
    title: title(price === undefined ? `#${instance.id}` : `#${instance.id} (${formatMoney(price)}/h)`),
    query: queryFor(instance.gpuName, instance.gpuCount, {
      rentalType: instance.isInterruptible === true ? 'interruptible' : 'on-demand',
      diskGb,
    }),
    choices: { ...(source ? { source } : {}), diskGb, ...(name === undefined ? {} : { label: name }) },
  };
}
