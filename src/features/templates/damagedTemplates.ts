import * as vscode from 'vscode';
import { offerDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import { openNamedDocument } from '../../editor/namedDocument';
import type { Services } from '../../services';
import type { Disposable } from '../../util/disposable';

/** Names each damaged record of templates once: the favorites in it are gone. */
export function tellOfDamagedTemplates({
  templateStores: { memory },
  oneWindow,
}: Pick<Services, 'templateStores' | 'oneWindow'>): Disposable {
  const tell = () => {
    for (const path of memory.damaged) {
      offerDamagedFiles(oneWindow, 'templates', [path], {
        sentence: () =>
          t(
            'Your favorite and recent templates are lost because their file is damaged. Drafts and secrets are kept. The file is kept as {0}.',
            path,
          ),
        next: {
          label: t('Open File'),
          run: async () => vscode.window.showTextDocument(await openNamedDocument(vscode.Uri.file(path))),
        },
      });
    }
  };
  tell();
  return memory.onDidFindDamage(tell);
}
