import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useComputer } from '../support/feature/useComputer';

const trap = '[Fix it](command:workbench.extensions.installExtension?%22%2Ftmp%2Fevil.vsix%22)';
/** What the editor makes a link of in a message. */
const link = /\[[^\]]+\]\((?:https?:\/\/|command:|file:)/i;

describe('a folder of a stranger', () => {
  const computer = useComputer();

  it('puts no link into a message, whatever the keys of its file are called', async () => {
    const folder = path.join(computer().workspace, '.vscode');
    mkdirSync(folder, { recursive: true });
    const file = { image: 'a', maxPricePerHour: 1, filters: { [trap]: 5 } };
    writeFileSync(path.join(folder, 'gpu-rental.json'), JSON.stringify(file));
    const window = await computer().openSignedIn();
    window.run('Rent for This Workspace…');
    const { text } = await window.toast(/Fix it/);
    assert.doesNotMatch(text, link);
  });
});

describe('a folder whose file repeats a key of the user', () => {
  const computer = useComputer();

  it('puts it into no message', async () => {
    const folder = path.join(computer().workspace, '.vscode');
    mkdirSync(folder, { recursive: true });
    const { apiKey } = computer().simulator;
    const file = { image: 'a', maxPricePerHour: 1, filters: { [apiKey]: 5 } };
    writeFileSync(path.join(folder, 'gpu-rental.json'), JSON.stringify(file));
    const window = await computer().openSignedIn();
    window.run('Rent for This Workspace…');
    const { text } = await window.toast(/•••/);
    assert.ok(!text.includes(apiKey));
    // The file itself may be open in the editor.
    window.screen.documents.shown.splice(0);
  });
});

describe('an instance that a stranger named', () => {
  const computer = useComputer();

  it('draws no icon in its row and in a picker', async () => {
    await computer().rentRunning({ label: `$(sync) ${trap} worker` });
    const window = await computer().openSignedIn();
    const { text } = await window.view('instances').row(/worker/);
    assert.doesNotMatch(text, /\$\(sync\)/);
    window.run('Stop…');
    await window.quick.title('Stop which instances?');
    const [row = ''] = window.quick.rows();
    assert.match(row, /worker/);
    assert.doesNotMatch(row, /\$\(sync\)/);
    window.quick.escape();
  });
});
