import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { Services } from '../../services';
import { KeyNotKeptError } from '../../store/accounts/accountErrors';
import { askForKey } from './keyBox';
import { plainLabel } from '../../util/plainLabel';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'report'> & {
  /** Signs in to another account, with all that a sign-in says. */
  readonly addAccount: (key: { readonly serviceUrl: string; readonly apiKey: string }) => Promise<void>;
};

/** Replaces the key of an account, which keeps its data; a key of another user becomes a separate account. */
export async function replaceKey({ accounts, fleet, report, addAccount }: Deps): Promise<void> {
  const { state } = accounts;
  const account = state.kind === 'signedIn' || state.kind === 'unreadable' ? state.account : undefined;
  if (!account) {
    await runCommand('gpuRental.signIn');
    return;
  }
  if (account.isDemo) {
    await runCommand('gpuRental.tryDemo');
    return;
  }
  const answer = await askForKey({
    title: t('Replace Key: {0}', plainLabel(account.name)),
    prompt: t(
      'Paste another API key of this account at {0}. Nothing else changes.',
      new URL(account.serviceUrl).host,
    ),
    check: async (apiKey, signal) => ({
      apiKey,
      outcome: await accounts.replaceKey(account.key, apiKey, signal),
    }),
  });
  if (answer?.outcome.kind === 'otherUser') {
    if (
      await confirm({
        message: t('This key belongs to {0}.', plainLabel(answer.outcome.name)),
        detail: t("It can't replace the key of {0}, which is unchanged.", plainLabel(account.name)),
        button: t('Add as Another Account'),
      })
    ) {
      await addAccount({ serviceUrl: account.serviceUrl, apiKey: answer.apiKey });
    }
  } else if (answer) {
    if (answer.outcome.account.isKept) {
      message('info', t('Replaced the key of {0} in all windows.', plainLabel(account.name)));
    } else {
      report.error(new KeyNotKeptError());
    }
    // The old key may not have been allowed to read the list. A failed read shows its reason there.
    await fleet.refresh().catch(() => undefined);
    await runCommand('gpuRental.refreshAccount');
  }
}
