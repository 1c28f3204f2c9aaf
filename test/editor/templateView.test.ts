import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { templateChoices } from '../../src/features/rent/templateRows';
import { templateTooltip } from '../../src/features/templates/templateItem';
import { TemplateLists } from '../../src/features/templates/templateLists';
import type { TemplateNode } from '../../src/features/templates/templateNodes';
import { TemplateTree } from '../../src/features/templates/templateTree';
import type { Template } from '../../src/model/templates/template';
import type { Services } from '../../src/services';
import type { Account } from '../../src/store/accounts/accounts';
import { TemplateRefs } from '../../src/store/templates/templateRefs';
import { TemplateStorage } from '../../src/store/templates/templateStorage';
import { silentLog } from '../../src/util/log';
import { FakeClock } from '../support/fakeClock';
import { noSecrets, QuickFile } from '../support/slowFile';

const template: Template = {
  id: 7,
  hashId: 'abc',
  name: 'Trainer',
  image: 'a/b',
  tag: '1',
  creatorId: 1,
  raw: {},
};

type RefsDeps = ConstructorParameters<typeof TemplateRefs>[0];

describe('the view of the templates', () => {
  function open() {
    const memory = new TemplateStorage('unused', silentLog, (action) => action(), noSecrets, new QuickFile());
    const never = () => ({ dispose: () => undefined });
    // What the view reads of them, and nothing else.
    const accounts = { active: { key: 'a', user: { id: 1 } }, onDidChange: never };
    const hub = { on: never, broadcast: () => undefined };
    const log = silentLog;
    const refs = new TemplateRefs({ accounts, hub, memory, log } as unknown as RefsDeps);
    const services = {
      accounts,
      templates: { state: { kind: 'ready', value: [template], fetchedAt: 0 }, onDidChange: never },
      templateStores: { memory, refs },
      trees: { 'gpuRental.templates': { view: {} } },
      hub,
      clock: new FakeClock(),
      log,
    } as unknown as Services;
    const lists = new TemplateLists(services);
    const tree = new TemplateTree(services, lists);
    const redrawn: (TemplateNode | undefined)[] = [];
    tree.onDidChangeTreeData((node) => redrawn.push(node));
    return { lists, tree, redrawn };
  }

  it('redraws only the recent rows when another template is opened', async () => {
    const { lists, tree, redrawn } = open();
    await lists.noteUse({ id: 7 });
    assert.deepEqual(redrawn.splice(0), [undefined], 'the group of the recent ones came');
    await lists.noteUse({ id: 8 });
    assert.deepEqual(redrawn.splice(0), [{ kind: 'group', group: 'recent' }]);
    await lists.noteUse({ id: 8 });
    assert.deepEqual(redrawn, []);
    const recent = (await tree.getChildren()).find(
      (node) => node.kind === 'group' && node.group === 'recent',
    );
    assert.deepEqual(
      (await tree.getChildren(recent)).map((node) => (node.kind === 'template' ? node.templateId : node)),
      [8, 7],
    );
  });

  it('shows in the choice of a template to rent from that it was edited since', async () => {
    const theirs = { ...template, id: 8, name: 'Theirs', creatorId: 2, hashId: 'new' };
    const remembered = { recents: [{ id: 8, hash: 'old' }], favourites: [{ id: 9, name: 'Not listed' }] };
    const { rows } = await templateChoices(
      {
        templates: { state: { kind: 'ready', value: [template, theirs], fetchedAt: 0 } },
        templateStores: { memory: { account: () => Promise.resolve(remembered) } },
        log: silentLog,
      } as unknown as Services,
      { key: 'a', user: { id: 1 } } as Account,
    );
    assert.deepEqual(
      rows.filter(({ id }) => id?.startsWith('template:')).map((row) => [row.label, row.description]),
      [
        ['Trainer', 'template'],
        ['Theirs', 'template, edited since you chose it'],
        ['Not listed', 'template'],
      ],
    );
  });

  it('shows the essentials of a template, what only the service knows, and its readme as plain text', () => {
    const { value } = templateTooltip(
      {
        ...template,
        desc: 'for training',
        runtype: 'ssh',
        recommendedDiskGb: 20,
        private: true,
        createdAt: 1_700_000_000,
        recentCreateAt: 1_700_500_000,
        createdCount: 3,
        readme: '[click](command:evil) **bold**',
      },
      { isMine: true, isFavourite: false, isUnsaved: false },
    );
    const day = (seconds: number) =>
      new Intl.DateTimeFormat(vscode.env.language, { dateStyle: 'medium' }).format(seconds * 1000);
    const words = value.replaceAll('&nbsp;', ' ').replaceAll('\\', '');
    for (const part of [
      'Trainer',
      'for training',
      'a/b:1',
      'Run type ssh',
      'Disk 20 GB',
      'Private',
      `Created on ${day(1_700_000_000)}`,
      'Rented 3×',
      `Last rented on ${day(1_700_500_000)}`,
      '#7 · abc',
      '[click] - (command:evil) **bold**',
    ]) {
      assert.ok(words.includes(part), `"${part}" in ${words}`);
    }
    assert.ok(!value.includes('[click](command:evil)'), 'the readme is no Markdown');
  });
});
