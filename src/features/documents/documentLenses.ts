import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { labelOf } from '../../editor/titles';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore } from '../../util/disposable';
import { kindOf, type DocumentKind } from './openDocuments';

type TemplateKind = Extract<DocumentKind, { readonly kind: 'template' }>;
type Deps = Pick<Services, 'accounts' | 'templateStores'>;

/** Shows the actions for a document above its first line. */
export class DocumentLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly deps: Deps) {
    const fire = () => this.changed.fire();
    this.store.add(this.changed);
    this.store.add(watchAccounts(deps.accounts, fire));
    this.store.add(deps.templateStores.documents.onDidChange(fire));
    this.store.add(deps.templateStores.documents.onDidNotice(fire));
    this.store.add(vscode.workspace.onDidGrantWorkspaceTrust(fire));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const kind = kindOf(document);
    return kind ? this.commands(document, kind).map((command) => new vscode.CodeLens(top, command)) : [];
  }

  dispose(): void {
    this.store.dispose();
  }

  private commands(document: vscode.TextDocument, kind: DocumentKind): vscode.Command[] {
    const here = { uri: document.uri.toString() };
    const previews = [
      {
        title: labelOf('gpuRental.template.preview'),
        command: 'gpuRental.template.preview',
        arguments: [here],
      },
      {
        title: labelOf('gpuRental.template.findOffers'),
        command: 'gpuRental.template.findOffers',
        arguments: [here],
      },
    ];
    switch (kind.kind) {
      case 'template': {
        const target = { templateId: kind.id };
        const readOnly = this.readOnlyCommands(kind);
        return [
          ...this.conflictCommands(kind),
          // The active account may have a different template with this id.
          ...(readOnly.length > 0
            ? []
            : [{ title: t('$(rocket) Rent'), command: 'gpuRental.rentFromTemplate', arguments: [target] }]),
          ...previews,
          ...(kind.isOwn
            ? []
            : [{ title: t('Save as Mine'), command: 'gpuRental.template.duplicate', arguments: [target] }]),
          ...readOnly,
        ];
      }
      case 'draft':
        return [
          { title: t('$(cloud-upload) Create at the Service'), command: 'workbench.action.files.save' },
          ...previews,
        ];
      case 'templateFile':
        return [
          {
            title: t('$(cloud-upload) Create Template From This File'),
            command: 'gpuRental.template.import',
            arguments: [here],
          },
          ...previews,
        ];
      case 'workspaceFile':
        return [
          {
            title: vscode.workspace.isTrusted
              ? t('$(rocket) Rent for This Workspace')
              : t('$(workspace-untrusted) Trust This Workspace to Rent'),
            command: vscode.workspace.isTrusted ? 'gpuRental.rentForWorkspace' : 'workbench.trust.manage',
          },
          ...previews,
        ];
    }
  }

  private conflictCommands({ id, isOwn }: TemplateKind): vscode.Command[] {
    const { documents } = this.deps.templateStores;
    const target = [{ templateId: id }];
    if (!isOwn) {
      return [];
    }
    if (documents.conflict(id)) {
      return [
        {
          title: t('$(warning) Changed elsewhere too: compare'),
          command: 'gpuRental.template.compare',
          arguments: target,
        },
        { title: t('Use Mine'), command: 'gpuRental.template.useMine', arguments: target },
        { title: t('Use Theirs'), command: 'gpuRental.template.useTheirs', arguments: target },
        { title: t('Merge'), command: 'gpuRental.template.merge', arguments: target },
      ];
    }
    return documents.isBehind(id)
      ? [{ title: t('$(info) Changed at the service; saving merges'), command: '' }]
      : [];
  }

  private readOnlyCommands({ id, isOwn }: TemplateKind): vscode.Command[] {
    const { documents } = this.deps.templateStores;
    const known = documents.peek(id);
    const { active } = this.deps.accounts;
    return isOwn && known && active && active.key !== known.accountKey
      ? [
          {
            title: t('$(lock) Read-only: belongs to another account. Switch'),
            command: 'gpuRental.switchAccount',
          },
        ]
      : [];
  }
}

const top = new vscode.Range(0, 0, 0, 0);
