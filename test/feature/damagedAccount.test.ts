import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ServiceTemplates } from '../support/feature/templateRecords';
import { useComputer } from '../support/feature/useComputer';

describe('an account whose file is damaged', () => {
  const computer = useComputer();
  const damaged = /^An account is missing\. .* Its file is damaged/;

  it('is named once with the place of the file, and is there again once it is signed in to', async () => {
    let window = await computer().openSignedIn();
    window.close();
    const folder = path.join(computer().storage, 'accounts');
    const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.json'));
    writeFileSync(path.join(folder, name), '{');
    window = await computer().openWindow({ isFocused: true });
    window.view('instances').show();
    await window.view('instances').welcome();
    const { buttons } = await window.toast(damaged);
    assert.deepEqual(buttons, ['Show File', 'Start Over']);
    const other = await computer().openWindow();
    other.view('instances').show();
    await computer().pass(60_000);
    assert.deepEqual(
      [window, other].map((one) => one.toasts().filter((said) => damaged.test(said)).length),
      [1, 0],
    );
    window.clearToasts();
    await window.signIn();
    window.close();
    other.close();
    window = await computer().openWindow({ isFocused: true });
    window.view('instances').show();
    await computer().pass(60_000);
    assert.ok(!window.allMessages().includes('Its file is damaged'));
    window.close();
  });

  it('loses none of its favorites and drafts before it is signed in to again', async () => {
    await new ServiceTemplates(computer).make('My Trainer');
    const deleted: string[] = [];
    computer().secretTrouble = ({ action, key, proceed }) => {
      if (action === 'delete') {
        deleted.push(key);
      }
      return Promise.resolve(proceed());
    };
    let window = await computer().openWindow();
    await window.view('templates').menu('My Trainer', 'Add Template to Favorites');
    await window.view('templates').row('Favorites');
    window.run('Create Template…');
    await window.quick.title('Create Template');
    await window.quick.pick('From Scratch');
    await window.document('"image": ""');
    window.close();
    const folder = path.join(computer().storage, 'accounts');
    const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.json'));
    writeFileSync(path.join(folder, name), '{');
    window = await computer().openWindow({ isFocused: true });
    window.view('instances').show();
    await window.view('instances').welcome();
    await computer().pass(60_000);
    assert.deepEqual(deleted, []);
    window.clearToasts();
    await window.signIn();
    await window.view('templates').row('Favorites');
    window.close();
    computer().secretTrouble = undefined;
  });

  it('is chosen by the user if it is unknown which of two was in use', async () => {
    const unknown = /^No account is in use, so budgets/;
    const { json } = await computer().simulator.call('POST', '/__sim/accounts/', { credit: 10 });
    let window = await computer().openWindow({ isFocused: true });
    await window.signIn((json as { key: string }).key);
    window.clearToasts();
    window.close();
    writeFileSync(path.join(computer().storage, 'activeAccount.json'), '{');
    window = await computer().openWindow({ isFocused: true });
    await window.view('instances').welcomeShows('Sign In');
    const { buttons } = await window.toast(unknown);
    assert.deepEqual(buttons, ['Show File', 'Start Over']);
    await window.toastButton(unknown, 'Start Over');
    await window.quick.title('Switch Account');
    await window.quick.enter();
    await window.view('instances').welcomeShows('Rent');
    window.close();
    window = await computer().openWindow({ isFocused: true });
    window.view('instances').show();
    await computer().pass(60_000);
    assert.ok(!window.allMessages().includes('No account is in use'));
    window.close();
  });
});
