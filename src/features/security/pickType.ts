import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { plainRow, type PickRow } from '../../editor/plainRow';
import { DisposableStore, MutableDisposable } from '../../util/disposable';
import type { Clock } from '../../util/clock';
import { windowTime } from './words';

interface TypeRow extends PickRow {
  readonly type: 'totp' | 'sms';
}

/** Which kind of method to add; counts down until when that is possible, where it is known. */
export function pickType(
  clock: Clock,
  windowEndsAt: number | undefined,
): Promise<'totp' | 'sms' | undefined> {
  const store = new DisposableStore();
  const picker = store.add(vscode.window.createQuickPick<TypeRow>());
  const tick = store.add(new MutableDisposable());
  picker.title = t('Add a Second Factor');
  picker.ignoreFocusOut = true;
  const rows: readonly TypeRow[] = [
    {
      icon: 'device-mobile',
      label: t('Authenticator App'),
      detail: t('Works without a network; scan a picture with the app'),
      type: 'totp',
    },
    {
      icon: 'comment',
      label: t('Text Messages'),
      detail: t('A code to your phone, each time'),
      type: 'sms',
    },
  ];
  picker.items = rows.map(plainRow);
  const showTime = () => {
    const left = windowEndsAt === undefined ? undefined : windowEndsAt - clock.now();
    const question = t('What do you want to add?');
    picker.placeholder = left === undefined ? question : `${question} ${windowTime(left)}`;
    tick.value = left !== undefined && left > 0 ? clock.schedule(showTime, 1000) : undefined;
  };
  showTime();
  return new Promise((resolve) => {
    store.add(
      picker.onDidAccept(() => {
        resolve(picker.selectedItems[0]?.type);
        store.dispose();
      }),
    );
    store.add(
      picker.onDidHide(() => {
        resolve(undefined);
        store.dispose();
      }),
    );
    picker.show();
  });
}
