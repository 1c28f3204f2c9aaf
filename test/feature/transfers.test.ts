import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reachableInstance } from '../support/feature/reachable';
import { useComputer } from '../support/feature/useComputer';
import type { FeatureWindow } from '../support/feature/window';

describe('files to an instance and back', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  /** The machine is a folder of this computer; its home is the one that the simulator gave it. */
  let machineHome = '';
  const instances = () => window.view('instances');
  const local = (...parts: string[]) => path.join(computer().workspace, ...parts);
  const onMachine = (...parts: string[]) => path.join(machineHome, ...parts);

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    window = await computer().openSignedIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('uploads a folder into a folder of the machine', async () => {
    mkdirSync(local('my data', 'deep'), { recursive: true });
    writeFileSync(local('my data', "it's a.txt"), 'first');
    writeFileSync(local('my data', 'deep', 'b.txt'), 'second');
    window.screen.fileDialogs.push([local('my data')]);
    await instances().menu('trainer', 'Upload…');
    await window.quick.title('Upload: trainer');
    await window.quick.pick('Folders…');
    await window.quick.message('Target folder');
    machineHome = window.quick.open.value;
    await window.quick.enter();
    await window.toast('Uploading to trainer: done');
    assert.equal(readFileSync(onMachine('my data', "it's a.txt"), 'utf8'), 'first');
    assert.equal(readFileSync(onMachine('my data', 'deep', 'b.txt'), 'utf8'), 'second');
    window.clearToasts();
  });

  it('downloads a file into a folder that is chosen', async () => {
    writeFileSync(onMachine('result.txt'), 'weights');
    mkdirSync(local('results'));
    window.screen.fileDialogs.push([local('results')]);
    await instances().menu('trainer', 'Download…');
    await window.quick.title('Download: trainer');
    await window.quick.message('File or folder on the instance');
    await window.quick.type(onMachine('result.txt'));
    await window.toast('Downloading from trainer: done');
    assert.equal(readFileSync(local('results', 'result.txt'), 'utf8'), 'weights');
    window.clearToasts();
  });

  it('brings a repository of the machine only after the user agreed to what Git could run', async () => {
    mkdirSync(onMachine('project', '.git'), { recursive: true });
    writeFileSync(onMachine('project', '.git', 'config'), 'fsmonitor');
    writeFileSync(onMachine('project', 'train.py'), 'train');
    window.screen.fileDialogs.push([local('results')]);
    await instances().menu('trainer', 'Download…');
    await window.quick.title('Download: trainer');
    await window.quick.type(onMachine('project'));
    const leftOut =
      /1 file transferred\. Left out: project\/\.git \(Git, an editor, a shell or an assistant may act/;
    await window.toast(leftOut);
    assert.equal(readFileSync(local('results', 'project', 'train.py'), 'utf8'), 'train');
    assert.equal(existsSync(local('results', 'project', '.git')), false);
    await window.toastButton(leftOut, 'Download All');
    await window.dialogButton('Download All');
    await window.toast('Downloading from trainer: done');
    assert.equal(readFileSync(local('results', 'project', '.git', 'config'), 'utf8'), 'fsmonitor');
    window.clearToasts();
  });

  it('creates the target folder of an upload if it is missing, and explains why it can’t', async () => {
    const uploadInto = async (folder: string) => {
      window.screen.fileDialogs.push([local('my data')]);
      await instances().menu('trainer', 'Upload…');
      await window.quick.pick('Folders…');
      await window.quick.message(/^Target folder\. It is created if it is missing\./);
      await window.quick.type(folder);
    };
    await uploadInto(onMachine('new', "it's deep"));
    await window.toast('Uploading to trainer: done');
    assert.equal(readFileSync(onMachine('new', "it's deep", 'my data', 'deep', 'b.txt'), 'utf8'), 'second');
    window.clearToasts();
    writeFileSync(onMachine('a file'), '');
    await uploadInto(onMachine('a file'));
    const { kind } = await window.toast(/The transfer did not finish: .*a file.*File exists/);
    assert.equal(kind, 'warning');
    window.clearToasts();
  });

  it('asks before it replaces other versions, here and on the machine', async () => {
    const folder = local('versions');
    mkdirSync(folder);
    mkdirSync(onMachine('versions'));
    for (const name of ['same.txt', 'edited.txt']) {
      writeFileSync(onMachine('versions', name), `${name} of the machine`);
    }
    const downloadVersions = async () => {
      window.screen.fileDialogs.push([local()]);
      await instances().menu('trainer', 'Download…');
      await window.quick.title('Download: trainer');
      await window.quick.type(onMachine('versions'));
    };
    const questions = () => window.screen.messages.shown.filter(({ modal }) => modal).length;
    await downloadVersions();
    await window.toast('Downloading from trainer: done');
    assert.equal(questions(), 0);
    window.clearToasts();

    writeFileSync(path.join(folder, 'edited.txt'), 'edited here');
    writeFileSync(onMachine('versions', 'new.txt'), 'new');
    await downloadVersions();
    await window.dialogButton('Cancel', 'Replace 1 file on this computer?');
    await computer().rest();
    assert.equal(readFileSync(path.join(folder, 'edited.txt'), 'utf8'), 'edited here');
    assert.deepEqual([existsSync(path.join(folder, 'new.txt')), window.toasts()], [false, []]);
    await downloadVersions();
    await window.dialogButton('Replace');
    await window.toast('Downloading from trainer: done');
    assert.equal(readFileSync(path.join(folder, 'edited.txt'), 'utf8'), 'edited.txt of the machine');
    window.clearToasts();

    for (const name of ['same.txt', 'edited.txt']) {
      writeFileSync(path.join(folder, name), 'edited here, too');
    }
    window.screen.fileDialogs.push([folder]);
    await instances().menu('trainer', 'Upload…');
    await window.quick.title('Upload: trainer');
    await window.quick.pick('Folders…');
    await window.quick.message('Target folder');
    await window.quick.enter();
    await window.dialogButton('Replace', 'Replace 2 files on trainer?');
    await window.toast('Uploading to trainer: done');
    assert.equal(readFileSync(onMachine('versions', 'same.txt'), 'utf8'), 'edited here, too');
    window.clearToasts();
  });

  it('sends nothing where no file or no folder is chosen', async () => {
    window.screen.fileDialogs.push(undefined);
    await instances().menu('trainer', 'Upload…');
    await window.quick.pick('Files…');
    await computer().rest();
    assert.deepEqual([window.quick.isOpen, window.toasts()], [false, []]);
  });

  it('shows if the file on the machine does not exist', async () => {
    window.screen.fileDialogs.push([local('results')]);
    await instances().menu('trainer', 'Download…');
    await window.quick.title('Download: trainer');
    await window.quick.type(onMachine('missing.txt'));
    const { kind } = await window.toast(/missing\.txt/);
    assert.notEqual(kind, 'info');
    window.clearToasts();
  });

  it('names what was left out, and leads back to the destruction only once all of it is here', async () => {
    mkdirSync(onMachine('out'));
    writeFileSync(onMachine('out', 'model.bin'), 'weights');
    symlinkSync('/etc/hostname', onMachine('out', 'host'));
    const downloadFirst = async () => {
      window.screen.fileDialogs.push([local('results')]);
      await window.dialogButton('Download First…');
      await window.quick.title('Download: trainer');
      await window.quick.type(onMachine('out'));
    };
    await instances().menu('trainer', 'Destroy…');
    await downloadFirst();
    await window.toast(/1 file transferred\. Left out: out\/host \(a link that leads out/);
    assert.equal(readFileSync(local('results', 'out', 'model.bin'), 'utf8'), 'weights');
    window.clearToasts();
    // The question looks at the machine first, and its reads wait for each other.
    await computer().pass(60_000);
    assert.deepEqual(
      window.screen.messages.shown.filter(({ modal }) => modal),
      [],
    );

    rmSync(onMachine('out', 'host'));
    await instances().menu('trainer', 'Destroy…');
    await downloadFirst();
    await window.toast('Downloading from trainer: done');
    await window.dialogButton('Cancel');
    assert.deepEqual(computer().simulator.received('DELETE'), []);
  });

  it('downloads a folder of a stopped instance through its host, without a start', async () => {
    const { simulator } = computer();
    const id = simulator.world.instances.at(-1)?.id ?? 0;
    mkdirSync(onMachine('kept'));
    writeFileSync(onMachine('kept', 'weights.bin'), 'weights');
    await simulator.call('PUT', `/api/v0/instances/${id}/`, { state: 'stopped' });
    await computer().pass(60_000);
    window.run('Refresh');
    await instances().row(/trainer.*Stopped/);
    const folder = local('rescued');
    mkdirSync(folder);
    const download = async (remote: string) => {
      window.clearToasts();
      window.screen.fileDialogs.push([folder]);
      await instances().menu('trainer', 'Download…');
      await window.quick.message(/^Folder on the instance/);
      await window.quick.type(remote);
    };
    await download('/root/kept');
    await window.toast('Downloading from trainer: done. Names and sizes were compared, contents were not.');
    assert.equal(readFileSync(path.join(folder, 'kept', 'weights.bin'), 'utf8'), 'weights');
    await download('/root/missing');
    const { kind } = await window.toast(/The host of the instance gave no files away/);
    assert.equal(kind, 'warning');
    const states = simulator
      .received('PUT', `/api/v0/instances/${id}/`)
      .map(({ body }) => (body as { state?: string }).state);
    assert.deepEqual(states, ['stopped'], 'nothing was started');
  });
});

describe('files to an instance from a remote window', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  let window: FeatureWindow;
  let machineHome = '';
  const instances = () => window.view('instances');
  const local = (name: string) => path.join(computer().workspace, name);

  before(async () => {
    await reachableInstance(computer(), 'trainer');
    window = await computer().openWindow({ remoteName: 'ssh-remote' });
    await window.signIn();
    await instances().row('trainer');
    window.clearToasts();
  });

  it('are those of this computer', async () => {
    writeFileSync(local('data.txt'), 'first');
    window.screen.fileDialogs.push([local('data.txt')]);
    await instances().menu('trainer', 'Upload…');
    await window.quick.pick('Files…');
    await window.quick.message('Target folder');
    machineHome = window.quick.open.value;
    await window.quick.enter();
    await window.toast('Uploading to trainer: done');
    assert.equal(readFileSync(path.join(machineHome, 'data.txt'), 'utf8'), 'first');
    window.clearToasts();
  });

  it('return to this computer', async () => {
    mkdirSync(local('results'));
    window.screen.fileDialogs.push([local('results')]);
    await instances().menu('trainer', 'Download…');
    await window.quick.title('Download: trainer');
    await window.quick.type(path.join(machineHome, 'data.txt'));
    await window.toast('Downloading from trainer: done');
    assert.equal(readFileSync(path.join(local('results'), 'data.txt'), 'utf8'), 'first');
    window.clearToasts();
  });
});
