import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../support/until';
import {
  actionsAt as actions,
  foundRemark as found,
  jsonText as t,
  lensesOf as lenses,
  openFile as open,
  ourRemarks as ours,
  replaceText as replace,
} from './documents';

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

async function applyFix(document: vscode.TextDocument, code: string, title: string): Promise<unknown> {
  const { range } = await found(document, code);
  const action = (await actions(document, range)).find((one) => one.title === title);
  assert.ok(action?.edit, `no fix "${title}" for ${code}`);
  await vscode.workspace.applyEdit(action.edit);
  return readJson(document);
}

function readJson(document: vscode.TextDocument): unknown {
  try {
    return JSON.parse(document.getText());
  } catch {
    return document.getText();
  }
}

describe('template files on disk', () => {
  const file = 'a.gpu-template.json';

  before(async () => {
    // The first command loads the product.
    await vscode.commands.executeCommand('gpuRental.showLog');
  });

  for (const [code, fields, title, after] of [
    ['required', { ...complete, image: undefined }, 'Add "image"', { ...complete, image: '' }],
    [
      'imageWithoutTag',
      { ...complete, tag: undefined },
      'Add "tag": "latest"',
      { ...complete, tag: 'latest' },
    ],
    ['twoTags', { ...complete, image: 'i:2' }, 'Remove tag', { ...complete, image: 'i:2', tag: undefined }],
    ['runtypeMismatch', { ...complete, ssh_direct: true }, 'Remove ssh_direct', complete],
    [
      'argsOutsideArgs',
      { ...complete, runtype: 'ssh', args_str: 'x' },
      'Remove args_str',
      { ...complete, runtype: 'ssh' },
    ],
    ['jupyterOutsideJupyter', { ...complete, jupyter_dir: '/w' }, 'Remove jupyter_dir', complete],
    ['onstartMissing', { ...complete, runtype: 'ssh' }, 'Use run type args', complete],
    ['serviceField', { ...complete, hash_id: 'x' }, 'Remove hash_id', complete],
    ['unknownField', { ...complete, extra: 1 }, 'Remove extra', complete],
    ['envNotText', { ...complete, env: { A: 1 } }, 'Put it in quotes', { ...complete, env: { A: '1' } }],
    [
      'secretInPublic',
      { ...complete, private: false, env: { HF_TOKEN: 'hf_abcdef' } },
      'Make the template private',
      { ...complete, env: { HF_TOKEN: 'hf_abcdef' } },
    ],
    [
      'secretInScript',
      { ...complete, onstart: 'export HF_TOKEN=hf_abcdef123456' },
      'Move It to "env"',
      { ...complete, onstart: 'export HF_TOKEN="$HF_TOKEN"', env: { HF_TOKEN: 'hf_abcdef123456' } },
    ],
  ] as const) {
    it(`are marked and mended: ${code}, "${title}"`, async () => {
      const document = await open(file, t(fields));
      assert.deepEqual(await applyFix(document, code, title), JSON.parse(t(after)));
    });
  }

  for (const [code, fields] of [
    ['onstartLong', { ...complete, onstart: 'x'.repeat(5000) }],
    ['portUnreadable', { ...complete, env: '-p eighty:80' }],
    ['envUnreadable', { ...complete, env: 'stray' }],
    ['envTwice', { ...complete, env: '-e A=1 -e A=2' }],
    ['volumeHint', { ...complete, volume_info: { size: 1 } }],
    ['registryIncomplete', { ...complete, docker_login_repo: 'ghcr.io' }],
    ['registryPasswordInClear', { ...complete, docker_login_pass: 'clear' }],
    ['secretInClear', { ...complete, env: { HF_TOKEN: 'hf_abcdef' } }],
  ] as const) {
    it(`are marked: ${code}`, async () => {
      await found(await open(file, t(fields)), code);
    });
  }

  it('are no longer marked once they are mended', async () => {
    const document = await open(file, t({ ...complete, extra: 1 }));
    await found(document, 'unknownField');
    await replace(document, t(complete));
    await until('no remarks', () => ours(document).length === 0);
  });

  it('write their environment in either form', async () => {
    const document = await open(file, t({ ...complete, env: '-e A=1 -p 80:80' }));
    const rewrite = async (title: string) => {
      const action = (await actions(document, new vscode.Range(0, 0, 0, 1))).find(
        (one) => one.title === title,
      );
      assert.ok(action?.edit, title);
      await vscode.workspace.applyEdit(action.edit);
      return (JSON.parse(document.getText()) as { env: unknown }).env;
    };
    assert.deepEqual(await rewrite('Write the environment as an object'), { A: '1', '-p 80:80': '1' });
    assert.equal(await rewrite('Write the environment as flags'), '-e A=1 -p 80:80');
  });

  it('offer what can be done with them above the first line', async () => {
    assert.deepEqual(await lenses(await open(file, t(complete))), [
      'Create Template From This File',
      'Preview What the Service Will Get',
      'Find Offers for This Document',
    ]);
  });

  it('complete fields and explain them', async () => {
    const document = await open(file, '{\n  \n}\n');
    const list = await until('completions', async () => {
      const answer = await vscode.commands.executeCommand<vscode.CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        new vscode.Position(1, 2),
      );
      const labels = answer.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
      return labels.includes('recommended_disk_space') ? labels : undefined;
    });
    assert.ok(list.includes('docker_login_repo'));
  });
});

describe('the workspace file', () => {
  const file = '.vscode/gpu-rental.json';

  it('is marked, mended, and offers to rent', async () => {
    const document = await open(file, t({ image: 'a:1', colour: 'red' }));
    await found(document, 'priceLimitMissing');
    assert.deepEqual(await applyFix(document, 'unknownField', 'Remove colour'), { image: 'a:1' });
    assert.deepEqual(await applyFix(document, 'priceLimitMissing', 'Add "maxPricePerHour"'), {
      image: 'a:1',
      maxPricePerHour: 0.5,
    });
    assert.deepEqual(await lenses(document), [
      'Rent for This Workspace',
      'Preview What the Service Will Get',
      'Find Offers for This Document',
    ]);
  });

  it('may have comments', async () => {
    const document = await open(file, '{\n  // for training\n  "image": "a:1",\n  "maxPricePerHour": 1\n}\n');
    assert.equal(document.languageId, 'jsonc');
    await until('no remarks', () => ours(document).length === 0);
  });
});
