import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { kernelNameOf } from '../../../src/notebooks/machine/kernelOfFolder';
import { FakeUri } from '../../support/fakeEditor/values';
import { DocumentDriver } from '../../support/feature/documentDriver';
import { JupyterExtension } from '../../support/feature/jupyterExtension';
import { reachableInstance } from '../../support/feature/reachable';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { JupyterClient } from '../../support/jupyterClient';
import { until } from '../../support/until';

describe('The folder of a local notebook whose cells run on an instance', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const jupyter = new JupyterExtension();
  let window: FeatureWindow;
  let folder: string;
  let client: JupyterClient | undefined;
  const here = (...parts: string[]) => path.join(folder, ...parts);
  const instances = () => window.view('instances');
  /** The machine works in real time, which the clock of the product would jump over. */
  const done = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const mark = () => {
      isOver = true;
    };
    work.then(mark, mark);
    await until('the machine', async () => {
      await computer().pass(50);
      return isOver;
    });
    return work;
  };
  const connect = async () => {
    const [server] = jupyter.list();
    const { connectionInformation } = await done(jupyter.choose(server?.id ?? ''));
    assert.ok(connectionInformation);
    const { baseUrl, token } = connectionInformation;
    return { localPort: Number(baseUrl.authority.split(':')[1]), token };
  };
  const run = (code: string) => done(client?.execute(code) ?? assert.fail());

  before(async () => {
    folder = path.join(computer().workspace, 'project', 'notebooks');
    mkdirSync(folder, { recursive: true });
    writeFileSync(here('train.ipynb'), '{}');
    writeFileSync(here('data.csv'), 'a,b\n');
    writeFileSync(here('helpers.py'), 'answer = 42\n');
    await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow({ extensions: [jupyter], folders: [path.dirname(folder)] });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
    window.screen.openNotebook(here('train.ipynb'));
  });
  after(() => client?.close());

  it('is mirrored after a question', async () => {
    await instances().menu('trainer', 'Use in Notebook…');
    await done(window.toastButton(/trainer is ready for notebooks/, 'Mirror Folder…'));
    const question = await window.dialog('Mirror project to trainer?');
    question.press('Mirror');
    await done(
      window.toast('Choose the kernel notebooks on trainer. It starts in the folder of the notebook.'),
    );
    window.clearToasts();
  });

  it('is where the cells run, with the files beside the notebook', async () => {
    client = await done(JupyterClient.start(await connect(), undefined, kernelNameOf(folder)));
    const cell =
      'import helpers, os; print(os.path.basename(os.getcwd()), open("data.csv").read(), helpers.answer)';
    assert.equal(await run(cell), 'notebooks a,b\n 42\n');
  });

  it('has what was saved right before a cell', async () => {
    const document = await window.screen.documents.openUri(FakeUri.file(here('data.csv')));
    await window.screen.documents.show(document.uri);
    const editor = new DocumentDriver(window);
    for (const content of ['c\n', 'd,e\n', 'f\n']) {
      await editor.replaceAll(content);
      await editor.save();
      assert.equal(await run('print(open("data.csv").read(), end="")'), content);
    }
  });

  it('lists what cells write', async () => {
    await run('open("result.csv", "w").write("loss\\n")');
    await instances().expand('trainer');
    await instances().inline('Mirror of project', 'Compare Now');
    await until('rows below the mirror', async () => {
      await computer().pass(50);
      return instances()
        .expand('Mirror of project')
        .then(
          () => true,
          () => false,
        );
    });
    const isListed = async () => (await instances().texts()).includes('notebooks/result.csv new · 5 B');
    await until('the row', async () => {
      await computer().pass(50);
      return isListed();
    });
    await instances().menu('notebooks/result.csv', 'Fetch');
    await until('the end of the row', async () => {
      await computer().pass(50);
      return !(await isListed());
    });
    assert.equal(readFileSync(here('result.csv'), 'utf8'), 'loss\n');
  });

  it('names its kernel below the instance', async () => {
    await computer().clock.advance(31_000);
    await instances().row('Kernel notebooks idle');
  });
});
