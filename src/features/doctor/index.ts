import * as vscode from 'vscode';
import type { InstanceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { confirmForgettingHostKey } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { ask, message } from '../../editor/message';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { pickOne } from '../../editor/quickPick';
import type { Services } from '../../services';
import { findResolvers } from '../../ssh/resolvers';
import { listedInstances } from '../../store/instances/listed';
import { orCancelled } from '../../util/cancellation';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { CancelledError, UserError } from '../../util/errors';
import { thisPerson } from '../../util/impersonal';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { connectable, examine, type DoctorPorts, reportText } from './examination';
import { attempt, skipAll, type DoctorFinding, type DoctorFix, type Verdict } from './finding';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'fleet'
  | 'ssh'
  | 'sshConsent'
  | 'clock'
  | 'commands'
  | 'settings'
  | 'network'
  | 'redactor'
  | 'log'
>;

/** Registers *Run Doctor*, which checks everything that a connection needs and offers fixes. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  let latest: Choice = { instanceId: undefined };
  const chose = (choice: Choice) => {
    latest = choice;
  };
  store.add(deps.commands.register('gpuRental.runDoctor', (target) => runDoctor(deps, target, chose)));
  // It asks nothing, so it logs in only where the user sent the doctor before.
  store.add(deps.commands.register('gpuRental.doctorReport', () => reportUnasked(deps, latest)));
  return store;
}

async function runDoctor(
  deps: Deps,
  target: InstanceTarget | undefined,
  chose: (choice: Choice) => void,
): Promise<void> {
  await deps.sshConsent.ask();
  let chosen: Choice = { instanceId: target?.instanceId };
  for (let again = true; again;) {
    chosen = await choose(deps, chosen);
    chose(chosen);
    const findings = await withCancellableProgress(t('Checking your setup'), (signal, report) =>
      examine({ ...portsOf(deps), ...chosen }, signal, (part) => {
        report(localize(part));
      }),
    );
    again = await show(deps, findings);
  }
}

/** The time for all checks of a report that the user waits for without having asked for the doctor (ms). */
const reportWithinMs = 30_000;

/** Returns the findings as text. A check that does not end in time, and all after it, are named as not done. */
async function reportUnasked(deps: Deps, choice: Choice): Promise<string> {
  let found: readonly DoctorFinding[] = [];
  let part = text('Checking your setup');
  const findings = await withCancellableProgress(localize(part), async (signal, report) => {
    const late = new AbortController();
    const limit = deps.clock.schedule(() => {
      late.abort();
    }, reportWithinMs);
    const ends = AbortSignal.any([signal, late.signal]);
    try {
      const work = examine({ ...portsOf(deps), ...choice }, ends, (title, before) => {
        part = title;
        found = before;
        report(localize(title));
      });
      return await orCancelled(work, ends);
    } catch (error) {
      if (signal.aborted) {
        throw error;
      }
      if (!late.signal.aborted) {
        deps.log.error('the checks of the report', error);
      }
      return [...found, ...skipAll({ rest: part }, text('Could not check this.'))];
    } finally {
      limit.dispose();
    }
  });
  return safeReport(deps, findings);
}

function safeReport({ redactor }: Deps, findings: readonly DoctorFinding[]): string {
  return reportText(findings, (value) => redactor.redact(localize(value)), thisPerson());
}

type Choice = Pick<DoctorPorts, 'instanceId' | 'noChoice'>;

/**
 * Returns the instance to log in to: the one chosen before, else the only one or the one that the user
 * picks. Without the list, the examination continues, because it may show why the list can't be read.
 */
async function choose(deps: Deps, before: Choice): Promise<Choice> {
  const { accounts, fleet } = deps;
  if (before.instanceId !== undefined || !accounts.active) {
    return before;
  }
  const { error } = await attempt(() => listedInstances(fleet, whileReadingInstances));
  if (error !== undefined) {
    const why = error instanceof UserError ? error.text : text('See the log for details.');
    return { instanceId: undefined, noChoice: text('Could not read the instances. {0}', why) };
  }
  const candidates = connectable(portsOf(deps));
  if (candidates.length === 0) {
    return { instanceId: undefined };
  }
  const instanceId = await chooseInstance(undefined, candidates, 'gpuRental.runDoctor');
  if (instanceId === undefined) {
    throw new CancelledError();
  }
  return { instanceId };
}

function portsOf({ accounts, fleet, ssh, clock, settings, network }: Deps): Omit<DoctorPorts, 'instanceId'> {
  const account = accounts.active;
  const { state: signIn } = accounts;
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
      user: account.user,
    },
    unreadable: signIn.kind === 'unreadable' ? signIn.error : undefined,
    network: network(),
    env: process.env,
    ssh,
    resolvers,
    configFileIsSet: typeof configFile === 'string' && configFile.trim() !== '',
    instances: state.kind === 'ready' ? state.value.instances : [],
    facts: (id) => fleet.facts(id),
    now: () => clock.now(),
  };
}

const icons: Record<Verdict, string> = {
  problem: 'error',
  note: 'info',
  ok: 'pass',
  skipped: 'circle-slash',
};
const order: readonly Verdict[] = ['problem', 'note', 'ok', 'skipped'];

/** Shows the findings; returns true if the user asks to check again. */
async function show(deps: Deps, findings: readonly DoctorFinding[]): Promise<boolean> {
  for (;;) {
    const picked = await pick(findings);
    if (picked === 'checkAgain') {
      return true;
    }
    if (picked === 'showText') {
      const content = safeReport(deps, findings);
      await vscode.window.showTextDocument(
        await vscode.workspace.openTextDocument({ language: 'markdown', content }),
      );
    }
    if (typeof picked !== 'object') {
      return false;
    }
    const next = await explain(deps, picked);
    if (next !== 'list') {
      return next === 'checkAgain';
    }
  }
}

async function pick(
  findings: readonly DoctorFinding[],
): Promise<DoctorFinding | 'showText' | 'checkAgain' | undefined> {
  const rows = [...findings]
    .sort((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
    .map((one) => ({
      icon: icons[one.verdict],
      label: localize(one.title),
      description: one.fix ? localize(one.fix.label) : '',
      detail: plainLabel(localize(one.detail)),
      value: one,
    }));
  const report = { icon: 'file-text', label: t('Show as Text…'), value: 'showText' as const };
  const again = { icon: 'refresh', label: t('Check Again'), value: 'checkAgain' as const };
  const problems = findings.filter(({ verdict }) => verdict === 'problem').length;
  const picked = await pickOne([...rows, report, again], {
    title: problems === 0 ? t('Doctor: no problem found') : t('Doctor: {0} to fix', problems),
    placeHolder: t('Select a line to read it in full and to fix it'),
    ignoreFocusOut: true,
  });
  return picked?.value;
}

/** Shows the full text of a finding, which a row may cut off, with its fix. */
async function explain(
  deps: Deps,
  { title, detail, verdict, fix }: DoctorFinding,
): Promise<'list' | 'checkAgain' | 'mended'> {
  const answer = await ask<'checkAgain' | 'mended'>(
    verdict === 'problem' ? 'warning' : 'info',
    { message: plainLabel(localize(title)), detail: plainLabel(localize(detail)) },
    // A hasty Enter presses the first button, so that button is harmless.
    fix?.kind === 'forgetHostKey' && { label: t('Check Again'), run: () => 'checkAgain' },
    fix && { label: localize(fix.label), run: () => mend(deps, fix).then(() => 'mended') },
  );
  return answer ?? 'list';
}

async function mend({ ssh }: Deps, fix: DoctorFix): Promise<void> {
  switch (fix.kind) {
    case 'command':
      await vscode.commands.executeCommand(fix.command, ...(fix.args ?? []));
      return;
    case 'openFile':
      if (fix.copy !== undefined) {
        await vscode.env.clipboard.writeText(fix.copy);
      }
      await vscode.window.showTextDocument(vscode.Uri.file(fix.file));
      return;
    case 'tighten':
      await ssh.tighten();
      message('info', t('Only you can access your keys and SSH files now.'));
      return;
    case 'forgetHostKey':
      if (await confirmForgettingHostKey(t('Forget'))) {
        await ssh.forgetHostKey(fix.alias);
      }
  }
}
