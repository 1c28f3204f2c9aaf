import * as vscode from 'vscode';
import { settingDefaults, type Settings } from '../../contributions';
import { hasChatTools } from '../../editor/chatTools';
import { runCommand } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { saveFile } from '../../editor/saveFile';
import { titleOf } from '../../editor/titles';
import { isReady, stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { impersonal, thisPerson, type Person } from '../../util/impersonal';

type Deps = Pick<
  Services,
  'accounts' | 'fleet' | 'hub' | 'log' | 'clock' | 'commands' | 'settings' | 'redactor' | 'rentals'
>;

/** Registers *Copy Diagnostics*, which shows the facts that support needs before the user pastes them. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  store.add(deps.commands.register('gpuRental.saveSupportBundle', () => saveBundle(deps)));
  store.add(
    deps.commands.register('gpuRental.copyDiagnostics', async () => {
      const content = deps.redactor.redact(diagnosticsText(facts(deps)));
      const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
      await vscode.window.showTextDocument(document, { preview: true });
      await vscode.env.clipboard.writeText(content);
      message(
        'info',
        t(
          'Copied the diagnostics. They contain none of your keys, names or addresses, but read them before you paste them.',
        ),
      );
    }),
  );
  return store;
}

/** Saves one file with the diagnostics, the findings of the doctor and the log, exactly as shown. */
async function saveBundle(deps: Deps): Promise<void> {
  // The log is read afterwards, so that it has the requests of the doctor.
  const findings = await runCommand('gpuRental.doctorReport');
  if (findings === undefined) {
    return;
  }
  const content = deps.redactor.redact(bundleText(facts(deps), findings, deps.log.recent(), thisPerson()));
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document, { preview: true });
  await suggest(
    'info',
    t(
      'This is the support bundle, without keys, secrets and addresses. It may contain names of machines and paths on them, so read it before you save it.',
    ),
    { label: t('Save'), run: () => save(content) },
  );
}

async function save(content: string): Promise<void> {
  const target = await saveFile({
    title: titleOf('gpuRental.saveSupportBundle'),
    name: 'gpu-rental-support.md',
    content,
    filters: { Markdown: ['md'] },
    isPrivate: true,
  });
  if (target) {
    message('info', t('The support bundle was saved.'));
  }
}

function facts(deps: Deps): DiagnosticFacts {
  const { accounts, fleet, hub, clock, settings, rentals } = deps;
  const extension = vscode.extensions.getExtension('gpu-rental.gpu-rental');
  const version: unknown = (extension?.packageJSON as { version?: unknown } | undefined)?.version;
  const { state } = fleet;
  const now = clock.now();
  const instances = state.kind === 'ready' ? state.value.instances : [];
  return {
    rows: {
      'GPU Rental': typeof version === 'string' ? version : '?',
      Editor: `${vscode.env.appName} ${vscode.version}`,
      'Editor kind': vscode.env.uiKind === vscode.UIKind.Web ? 'browser' : 'desktop',
      'Remote window': vscode.env.remoteName === undefined ? 'no' : 'yes',
      System: `${process.platform} ${process.arch}, Node ${process.versions.node}`,
      'Tools for agents': hasChatTools() ? 'in the chat' : 'over MCP alone',
      'Sign-in': accounts.state.kind,
      Service:
        accounts.active === undefined
          ? '-'
          : accounts.active.isDemo
            ? 'demo'
            : serviceKind(accounts.active.serviceUrl),
      'Is the leading window': hub.isLeader ? 'yes' : 'no',
      Instances: String(instances.length),
      'Running instances': String(
        instances.filter((instance) => isReady(stateOf(instance, fleet.facts(instance.id), now))).length,
      ),
      'Age of the list': state.kind === 'ready' ? localize(durationText(now - state.fetchedAt)) : state.kind,
      'Last error': state.kind === 'failed' || state.kind === 'ready' ? errorName(state.error) : '-',
      'Rentals in progress': String(
        rentals.rentals.filter(({ phase }) => phase.kind === 'waiting' || phase.kind === 'notKnown').length,
      ),
    },
    // Only whether a setting was changed: its value may be an address or a name.
    changedSettings: (Object.keys(settingDefaults) as (keyof Settings)[]).filter(
      (key) => JSON.stringify(settings.get(key)) !== JSON.stringify(settingDefaults[key]),
    ),
    sshExtensions: vscode.extensions.all
      .map(({ id }) => id)
      .filter((id) => /remote/i.test(id) && /ssh/i.test(id)),
  };
}

function serviceKind(serviceUrl: string): string {
  return serviceUrl === settingDefaults['gpuRental.service.url'] ? 'default address' : 'another address';
}

/** Returns the class only: a message may quote the service or the user. */
function errorName(error: unknown): string {
  return error === undefined ? '-' : error instanceof Error ? error.name : 'unknown';
}

/**
 * Returns one file for support: the diagnostics, the findings of the doctor and the end of the log, without secrets,
 * addresses and the user's name.
 */
export function bundleText(
  facts: DiagnosticFacts,
  findings: string,
  log: readonly string[],
  person: Person,
): string {
  // A line of the log must not end the surrounding block.
  const lines = log.map((line) => line.replaceAll('```', "'''"));
  return impersonal(
    [
      diagnosticsText(facts),
      findings.replace(/^#/, '##'),
      `## Log of this window (last ${lines.length} lines)`,
      '',
      '```text',
      ...lines,
      '```',
      '',
    ].join('\n'),
    person,
  );
}

interface DiagnosticFacts {
  readonly rows: Readonly<Record<string, string>>;
  readonly changedSettings: readonly string[];
  readonly sshExtensions: readonly string[];
}

/** Returns facts as Markdown for an issue, without any value of the user. */
export function diagnosticsText({ rows, changedSettings, sshExtensions }: DiagnosticFacts): string {
  const list = (items: readonly string[]) => (items.length === 0 ? 'none' : items.join(', '));
  return [
    '## GPU Rental diagnostics',
    '',
    '| what | value |',
    '| --- | --- |',
    ...Object.entries({
      ...rows,
      'Changed settings': list(changedSettings),
      'SSH extensions': list(sshExtensions),
    }).map(([name, value]) => `| ${name} | ${value.replace(/[|\r\n]/g, ' ')} |`),
    '',
  ].join('\n');
}
