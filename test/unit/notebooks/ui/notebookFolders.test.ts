import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { kernelNameOf } from '../../../../src/notebooks/machine/kernelOfFolder';
import { NotebookFolders } from '../../../../src/notebooks/ui/notebookFolders';
import { silentLog } from '../../../../src/util/log';
import { settle } from '../../../support/fakeClock';
import type { Screen } from '../../../support/fakeEditor/screen';
import { openScreen, runCommandsBy, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { until } from '../../../support/until';

const machine = { alias: 'gpu-7', accountKey: 'a', instanceId: 7 };
const number = '01234567-89ab-cdef-0123-456789abcdef';

describe('The folder of a local notebook on an instance', () => {
  let server: Server;
  let sessions: object[];

  before(async () => {
    server = createServer((_, answer) => answer.end(JSON.stringify(sessions)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  function scene() {
    sessions = [];
    const screen = openScreen();
    const places = new Map<string, string>();
    const ran: string[] = [];
    const added: string[] = [];
    const state = { isSent: true as boolean | Promise<boolean>, token: 'a' };
    runCommandsBy((id, [target]) => {
      const { folder = '' } = target as { readonly folder?: string };
      ran.push(id.replace('gpuRental.mirror.', ''));
      if (id === 'gpuRental.mirror.begin') {
        places.set(folder, `/workspace${folder}`);
      }
      return id === 'gpuRental.mirror.settle' ? state.isSent : places.get(folder);
    });
    const exec = (_: string, __: string, { input }: { readonly input: string }) => {
      const [verb, name, , , spec = ''] = input.split('\n');
      added.push(`${verb} ${name} ${(JSON.parse(spec) as { display_name: string }).display_name}`);
      return Promise.resolve({
        code: 0,
        stdout: 'gpu-rental notebooks\nadded\n',
        stderr: '',
        timedOut: false,
      });
    };
    const folders = new NotebookFolders(
      only({
        fleet: { find: () => ({ id: 7, label: 'trainer' }) },
        log: silentLog,
        ssh: { exec },
        serverOf: () => ({ localPort: (server.address() as AddressInfo).port, token: state.token }),
      }),
    );
    return { screen, places, ran, added, state, folders };
  }

  const press = async (screen: Screen, button: string) => {
    const shown = () => screen.messages.shown.find(({ buttons }) => buttons.includes(button));
    (await until(button, shown, { everyMs: 1 })).press(button);
  };
  const kernel = (folder: string) => `kernel ${kernelNameOf(folder)}`;

  it('has a kernel of its own once it is mirrored, once for all notebooks in it', async () => {
    const { screen, places, added, state, folders } = scene();
    places.set('/home/me/project', '/workspace/project');
    screen.openNotebook('/home/me/project/a.ipynb');
    screen.openNotebook('/home/me/project/b.ipynb');
    screen.openNotebook('/home/me/other/c.ipynb');
    screen.openNotebook();
    await folders.addKernels(machine);
    await folders.addKernels(machine);
    assert.deepEqual(added, [`${kernel('/home/me/project')} project on trainer`]);
    places.set('/home/me/project', '/workspace/project-2');
    await folders.addKernels(machine);
    assert.equal(added.length, 2);
    state.token = 'of the machine after it was wiped';
    await folders.addKernels(machine);
    assert.equal(added.length, 3);
    assert.equal(folders.titleOf('gpu-7', kernelNameOf('/home/me/project')), 'project');
    assert.equal(folders.titleOf('gpu-7', 'python3'), 'python3');
  });

  it('is offered once to a notebook whose cells run elsewhere, and then has a kernel', async () => {
    const { screen, ran, added, folders } = scene();
    const notebook = screen.openNotebook('/home/me/project/train.ipynb');
    await folders.addKernels(machine);
    sessions = [
      { name: `eval-${number}.ipynb`, kernel: { name: 'python3' } },
      { name: `train-${number}.ipynb`, kernel: { name: 'python3' } },
    ];
    screen.runCell(notebook);
    await press(screen, 'Mirror Folder…');
    await until('the kernel', () => added.length === 1, { everyMs: 1 });
    assert.deepEqual(ran, ['placeOf', 'begin']);
    assert.deepEqual(added, [`${kernel('/home/me/project')} project on trainer`]);
    await press(screen, 'Select Kernel');
    assert.deepEqual(textsOn(screen), [
      'info The cells of train.ipynb run on trainer, without the files beside it. [Mirror Folder…]',
      'info Choose the kernel project on trainer. It starts in the folder of the notebook. [Select Kernel]',
    ]);
    screen.runCell(notebook);
    await settle();
    assert.deepEqual(textsOn(screen), []);
  });

  it('is not offered where a notebook has its kernel, runs elsewhere, or is not on this computer', async () => {
    const { screen, folders } = scene();
    await folders.addKernels(machine);
    sessions = [{ name: `train-${number}.ipynb`, kernel: { name: kernelNameOf('/home/me/project') } }];
    screen.runCell(screen.openNotebook('/home/me/project/train.ipynb'));
    screen.runCell(screen.openNotebook('/home/me/project/eval.ipynb'));
    screen.runCell(screen.openNotebook());
    await settle();
    assert.deepEqual(textsOn(screen), []);
  });

  it('is sent before a cell runs, which is held no longer once that lasts', async () => {
    const { screen, places, ran, state, folders } = scene();
    await folders.settle('gpu-7');
    places.set('/home/me/project', '/workspace/project');
    screen.openNotebook('/home/me/project/a.ipynb');
    await folders.addKernels(machine);
    ran.length = 0;
    let send: ((isSent: boolean) => void) | undefined;
    state.isSent = new Promise((resolve) => (send = resolve));
    let isHeld = true;
    const cell = folders.settle('gpu-7').then(() => (isHeld = false));
    await settle();
    assert.equal(isHeld, true);
    send?.(false);
    await cell;
    assert.deepEqual(screen.statusMessages, ['The cell runs before all changes are on trainer.']);
    state.isSent = new Promise(() => {});
    await folders.settle('gpu-7');
    assert.deepEqual(ran, ['settle', 'settle']);
    state.isSent = true;
    await folders.settle('gpu-7');
    await settle();
    state.isSent = false;
    await folders.settle('gpu-7');
    assert.equal(screen.statusMessages.length, 2);
  });
});
