import { join } from 'node:path';
import type * as vscode from 'vscode';
import type { AnyCommandId } from './commandSpecs';
import { titleCommands } from './contributions';
import { createServices } from './createServices';
import { t } from './editor/localize';
import { message } from './editor/message';
import { register as registerAccount } from './features/account';
import { register as registerAccountView } from './features/accountView';
import { register as registerBudget } from './features/budget';
import { register as registerConnect } from './features/connect';
import { register as registerConnectedWindow } from './features/connectedWindow';
import { register as registerDocuments } from './features/documents';
import { register as registerGauges } from './features/gauges';
import { register as registerInstances } from './features/instances';
import { register as registerKeys } from './features/keys';
import { register as registerLinks } from './features/links';
import { register as registerOtherExtensions } from './features/otherExtensions';
import { register as registerPorts } from './features/ports';
import { register as registerReadiness } from './features/readiness';
import { register as registerSearchWatch } from './features/searchWatch';
import { register as registerSecurity } from './features/security';
import { register as registerSshKeys } from './features/sshKeys';
import { register as registerStatusBar } from './features/statusBar';
import { register as registerTemplates } from './features/templates';
import { register as registerWarnings } from './features/warnings';
import type { Services } from './services';
import { watchAccounts } from './shared/followAccount';
import type { Shell } from './shell';
import { Attention } from './store/instances/attention';
import { isComplete } from './store/instances/listed';
import type { Rental } from './store/rentals/rentalStore';
import { systemClock, type Clock } from './util/clock';
import type { Disposable } from './util/disposable';
import { startWings, type Own } from './wing';
import { wings } from './wings';

/** The loaded product, as the entry point sees it. */
export interface App {
  run(id: AnyCommandId, args: readonly unknown[]): Promise<unknown>;
}

/** Every feature of the core, in the order in which they register. */
export const features: readonly ((services: Services) => Disposable)[] = [
  registerAccount,
  registerInstances,
  registerGauges,
  registerReadiness,
  registerStatusBar,
  registerWarnings,
  registerBudget,
  registerSearchWatch,
  registerConnect,
  registerConnectedWindow,
  registerSshKeys,
  registerSecurity,
  registerAccountView,
  registerKeys,
  registerPorts,
  registerTemplates,
  registerDocuments,
  registerLinks,
  registerOtherExtensions,
];

/** Builds the services, registers the features, and reads who is signed in. */
export async function startApp(
  context: vscode.ExtensionContext,
  shell: Shell,
  clock: Clock = systemClock,
): Promise<App> {
  const services = await createServices(context, shell, clock);
  const own: Own = (item) => {
    context.subscriptions.push(item);
    return item;
  };
  for (const register of features) {
    own(register(services));
  }
  startWings(wings, services, own);
  context.subscriptions.push(
    services.commands.registerLater(
      () => true,
      async () => {
        const { laterFeatures } = await import('./laterFeatures');
        for (const register of laterFeatures) {
          context.subscriptions.push(register(services));
        }
      },
    ),
  );
  await services.accounts.load();
  keepAttention(services);
  return {
    run: async (id, args) => {
      services.windowInUse.noteCommand();
      if (!titleCommands.includes(id) && isOfLostRow(args)) {
        message('info', t('The list changed just then, so nothing was done. Run the command again.'));
        return undefined;
      }
      return services.commands.run(id, args);
    },
  };
}

/**
 * Returns true if the row of a menu is missing: a menu passes the row and the selection, and a rebuilt list loses the
 * row.
 */
function isOfLostRow(args: readonly unknown[]): boolean {
  return args.length >= 2 && args[0] === undefined && (args[1] === undefined || Array.isArray(args[1]));
}

/** Notes for the next start of the editor whether the product must load. */
function keepAttention(services: Services): void {
  const { accounts, fleet, rentals, searchWatches, work } = services;
  const attention = new Attention(join(services.storageDir, 'attention.json'), services.log);
  const update = () => {
    const isNeeded = isLoadNeeded(services);
    // Without an answer, the last note stays.
    if (isNeeded !== undefined) {
      void attention.set(isNeeded);
    }
  };
  fleet.onDidChange(update);
  watchAccounts(accounts, update);
  rentals.onDidChange(update);
  searchWatches.onDidChange(update);
  work.onDidChange(update);
  update();
}

/**
 * Returns true if something costs money or waits. Returns `undefined` while this window can't rule that out.
 */
function isLoadNeeded(services: Services): boolean | undefined {
  const { accounts, fleet, rentals, searchWatches, work } = services;
  const { state } = fleet;
  if (
    // Before any list is read, because the editor may be killed seconds after the Enter.
    rentals.rentals.some(isUnsettled) ||
    searchWatches.rows.length > 0 ||
    work.isPending === true
  ) {
    return true;
  }
  if (searchWatches.error !== undefined || work.isPending === undefined) {
    return undefined;
  }
  if (accounts.state.kind === 'signedOut') {
    return false;
  }
  return state.kind === 'ready' ? state.value.instances.length > 0 || !isComplete(state.value) : undefined;
}

function isUnsettled({ phase, replacingSince, replaceAt }: Rental): boolean {
  const isOpen = phase.kind === 'sent' || phase.kind === 'notKnown' || phase.kind === 'waiting';
  return isOpen || replacingSince !== undefined || replaceAt !== undefined;
}
