import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../support/until';
import { foundRemark, jsonText, openFile, ourRemarks, applyFix } from './documents';

const complete = {
  name: 'n',
  image: 'i',
  tag: '1',
  runtype: 'args',
  docker_login_repo: '',
  docker_login_user: '',
  docker_login_pass: '',
  private: true,
};
const ssh = { ...complete, runtype: 'ssh', ssh_direct: true, onstart: 'make' };

describe('quick fixes in template files', () => {
  before(async function () {
    this.timeout(60_000);
    // Secrets belong to an account.
    await vscode.commands.executeCommand('gpuRental.tryDemo');
  });

  const parsed = (document: vscode.TextDocument) => JSON.parse(document.getText()) as Record<string, unknown>;

  for (const [code, fields, title, after] of [
    ['runtypeUnknown', { ...complete, runtype: 'docker' }, 'Use ssh', { ...complete, runtype: 'ssh' }],
    [
      'runtypeMismatch',
      { ...ssh, ssh_direct: undefined },
      'Set "ssh_direct" to true',
      { ...ssh, ssh_direct: true },
    ],
    ['runtypeMismatch', { ...ssh, use_ssh: false }, 'Set "use_ssh" to true', { ...ssh, use_ssh: true }],
    [
      'runtypeMismatch',
      { ...complete, use_ssh: true },
      'Use run type ssh',
      { ...complete, runtype: 'ssh', use_ssh: true },
    ],
    [
      'argsOutsideArgs',
      { ...ssh, args_str: 'x' },
      'Use run type args',
      { ...ssh, args_str: 'x', runtype: 'args' },
    ],
    [
      'jupyterOutsideJupyter',
      { ...complete, jupyter_dir: '/w' },
      'Use run type jupyter',
      { ...complete, jupyter_dir: '/w', runtype: 'jupyter' },
    ],
    [
      'onstartMissing',
      { ...ssh, onstart: undefined },
      'Add "onstart"',
      { ...ssh, onstart: 'env >> /etc/environment\n' },
    ],
    ['required', { ...complete, docker_login_repo: undefined }, 'Add "docker_login_repo"', complete],
  ] as const) {
    it(`mend ${code}: "${title}"`, async () => {
      const document = await openFile('fixes.gpu-template.json', jsonText(fields));
      await applyFix(document, code, title);
      assert.deepEqual(parsed(document), JSON.parse(jsonText(after)));
    });
  }

  it('mark an empty name', async () => {
    await foundRemark(
      await openFile('fixes.gpu-template.json', jsonText({ ...complete, name: '' })),
      'required',
    );
  });

  for (const [form, env] of [
    ['an object', { HF_TOKEN: 'hf_fixes4711', MODE: 'train' }],
    ['flags', '-e HF_TOKEN=hf_fixes4711 -e MODE=train'],
  ] as const) {
    it(`put a reference for a value in ${form}`, async () => {
      const document = await openFile('fixes.gpu-template.json', jsonText({ ...complete, env }));
      await applyFix(document, 'secretInClear', 'Move to Secrets');
      await until('the reference', () => document.getText().includes('${secret:HF_TOKEN-file'));
      const { HF_TOKEN: token, ...others } = parsed(document)['env'] as Record<string, string>;
      assert.match(String(token), /^\$\{secret:HF_TOKEN-file(-\d+)?\}$/);
      assert.deepEqual(others, { MODE: 'train' });
      await until('no remark', () => ourRemarks(document).every(({ code }) => code !== 'secretInClear'));
    });
  }

  it('put a reference for a registry password', async () => {
    const fields = { ...complete, docker_login_repo: 'ghcr.io', docker_login_user: 'me' };
    const document = await openFile(
      'fixes.gpu-template.json',
      jsonText({ ...fields, docker_login_pass: 'clear-4711' }),
    );
    await applyFix(document, 'registryPasswordInClear', 'Move to Secrets');
    await until('the reference', () => document.getText().includes('${secret:registry-file'));
    assert.ok(!document.getText().includes('clear-4711'));
  });

  it('offer to enter a value that is not on this computer', async () => {
    const document = await openFile(
      'fixes.gpu-template.json',
      jsonText({ ...complete, env: { TOKEN: '${secret:unheard-of}' } }),
    );
    await foundRemark(document, 'secretNotHere');
  });
});

describe('quick fixes in the workspace file', () => {
  const file = '.vscode/gpu-rental.json';
  const open = (fields: unknown) => openFile(file, jsonText(fields));
  const parsed = (document: vscode.TextDocument) => JSON.parse(document.getText()) as Record<string, unknown>;

  it('choose between a template and an image', async () => {
    const both = { template: { id: 1 }, image: 'a:1', maxPricePerHour: 1 };
    const document = await open(both);
    await applyFix(document, 'templateAndImage', 'Remove image');
    assert.deepEqual(parsed(document), { template: { id: 1 }, maxPricePerHour: 1 });
    const again = await open(both);
    await applyFix(again, 'templateAndImage', 'Remove template');
    assert.deepEqual(parsed(again), { image: 'a:1', maxPricePerHour: 1 });
  });

  it('add an image where there is nothing to rent', async () => {
    const document = await open({ maxPricePerHour: 1 });
    await applyFix(document, 'nothingToRent', 'Add "image"');
    assert.deepEqual(parsed(document), { maxPricePerHour: 1, image: 'pytorch/pytorch:latest' });
  });

  it('mark ports that can’t be read, and secrets that everyone would get', async () => {
    const document = await open({
      image: 'a:1',
      maxPricePerHour: 1,
      ports: ['eighty'],
      env: { HF_TOKEN: 'hf_abcdef' },
    });
    await foundRemark(document, 'portUnreadable');
    await foundRemark(document, 'secretInClear');
  });
});
