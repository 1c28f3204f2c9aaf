import * as vscode from 'vscode';
import { chooseInstance } from '../../editor/instanceTarget';
import { localize } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { plainLabel } from '../../editor/quickPick';
import type { Services } from '../../services';
import { findResolvers } from '../../ssh/resolvers';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { connectable, examine, type DoctorPorts } from './checks';
import type { Finding, Verdict } from './finding';
import { reportText } from './reportText';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock' | 'commands' | 'settings' | 'redactor'>;

/** *Run Doctor*: looks at all that connecting needs, and says what to do about what is wrong. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  store.add(deps.commands.register('gpuRental.runDoctor', (target) => runDoctor(deps, target)));
  return store;
}

async function runDoctor(deps: Deps, target: unknown): Promise<void> {
  const ports = portsOf(deps);
  const candidates = connectable(ports);
  const instanceId =
    candidates.length === 0
      ? undefined
      : await chooseInstance(target, candidates, {
          title: vscode.l10n.t('Try the login of which instance?'),
          none: '',
        });
  const findings = await withCancellableProgress(vscode.l10n.t('Looking at your set-up'), (signal, say) =>
    examine({ ...ports, instanceId }, signal, (one) => {
      say(localize(one.title));
    }),
  );
  await show(deps, findings);
}

function portsOf({ accounts, fleet, ssh, clock, settings }: Deps): Omit<DoctorPorts, 'instanceId'> {
  const account = accounts.active;
  const { state } = fleet;
  const resolvers = findResolvers(
    vscode.extensions.all.map(({ id, packageJSON }) => ({ id, manifest: packageJSON as unknown })),
  );
  const configFile = settings.foreign(`${resolvers[0]?.section ?? 'remote.SSH'}.configFile`);
  return {
    account: account && {
      key: account.key,
      serviceUrl: account.serviceUrl,
      isDemo: account.isDemo,
      client: account.client,
      creditMicros: account.user.credit ?? account.user.balance,
    },
    ssh,
    resolvers,
    configFileIsSet: typeof configFile === 'string' && configFile.trim() !== '',
    instances: state.kind === 'ready' ? state.value.instances : [],
    facts: (id) => fleet.facts(id),
    now: () => clock.now(),
  };
}

const icons: Record<Verdict, string> = { ok: 'pass', note: 'info', problem: 'error' };
const order: readonly Verdict[] = ['problem', 'note', 'ok'];

async function show(deps: Deps, findings: readonly Finding[]): Promise<void> {
  const rows = [...findings]
    .sort((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
    .map((one) => ({
      label: `$(${icons[one.verdict]}) ${plainLabel(localize(one.title))}`,
      description: one.fix ? localize(one.fix.label) : '',
      detail: plainLabel(localize(one.detail)),
      finding: one,
    }));
  const report = { label: `$(file-text) ${vscode.l10n.t('Show as Text…')}`, finding: undefined };
  const problems = findings.filter(({ verdict }) => verdict === 'problem').length;
  const picked = await vscode.window.showQuickPick([...rows, report], {
    title:
      problems === 0
        ? vscode.l10n.t('Doctor: no problem found')
        : vscode.l10n.t('Doctor: {0} to mend', problems),
    placeHolder: vscode.l10n.t('Select a line to mend it'),
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  if (picked === report) {
    const content = reportText(findings, (value) => deps.redactor.redact(localize(value)));
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument({ language: 'markdown', content }),
    );
    return;
  }
  const fix = picked?.finding?.fix;
  if (fix && 'file' in fix) {
    await vscode.window.showTextDocument(vscode.Uri.file(fix.file));
  } else if (fix) {
    await vscode.commands.executeCommand(fix.command, ...(fix.args ?? []));
  }
}
