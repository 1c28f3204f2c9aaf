import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { commandIds } from '../../src/commandSpecs';
import { contextKeyDefaults, settingDefaults, titleCommands, viewIds } from '../../src/contributions';

const root = path.resolve(__dirname, '..', '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

const when = z.looseObject({ when: z.string().optional(), enablement: z.string().optional() });
const manifestSchema = z.looseObject({
  icon: z.string(),
  contributes: z.looseObject({
    commands: z.array(
      when.extend({
        command: z.string(),
        title: z.string(),
        category: z.string().optional(),
        icon: z.string().optional(),
      }),
    ),
    menus: z.record(
      z.string(),
      z.array(
        when.extend({
          command: z.string().optional(),
          submenu: z.string().optional(),
          group: z.string().optional(),
        }),
      ),
    ),
    submenus: z.array(z.looseObject({ id: z.string(), label: z.string() })),
    keybindings: z.array(when.extend({ command: z.string() })).optional(),
    views: z.record(z.string(), z.array(when.extend({ id: z.string(), icon: z.string().optional() }))),
    viewsContainers: z.record(z.string(), z.array(z.looseObject({ id: z.string(), icon: z.string() }))),
    viewsWelcome: z.array(when.extend({ view: z.string(), contents: z.string() })),
    configuration: z.array(
      z.looseObject({
        properties: z.record(
          z.string(),
          z.looseObject({
            scope: z.string().optional(),
            default: z.unknown(),
            enum: z.array(z.unknown()).optional(),
          }),
        ),
      }),
    ),
    walkthroughs: z.array(
      z.looseObject({
        steps: z.array(
          z.looseObject({
            id: z.string(),
            description: z.string(),
            media: z.looseObject({
              svg: z.string().optional(),
              image: z.string().optional(),
              markdown: z.string().optional(),
            }),
            completionEvents: z.array(z.string()).optional(),
          }),
        ),
      }),
    ),
  }),
});

const manifest = manifestSchema.parse(JSON.parse(read('package.json')));
const sentences = z.record(z.string(), z.string()).parse(JSON.parse(read('package.nls.json')));
const { contributes } = manifest;
const known = new Set<string>(commandIds);

/** Every string in the manifest. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') {
    return [value];
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.values(value).flatMap(strings);
}

/** Every condition of the manifest: `when` and `enablement`, wherever they stand. */
function conditions(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) =>
    (name === 'when' || name === 'enablement') && typeof part === 'string' ? [part] : conditions(part),
  );
}

describe('package.json', () => {
  it('contributes exactly the commands that the code knows', () => {
    assert.deepEqual(contributes.commands.map(({ command }) => command).sort(), [...commandIds].sort());
  });

  it('gives each command a title and the category', () => {
    for (const { command, title, category } of contributes.commands) {
      assert.match(title, /^%.+%$/, command);
      assert.equal(category, '%category%', command);
    }
  });

  it('knows which commands are in the title of a view', () => {
    const inTitles = (contributes.menus['view/title'] ?? []).flatMap(({ command }) => command ?? []);
    assert.deepEqual([...titleCommands].sort(), [...new Set(inTitles)].sort());
  });

  it('names only known commands in menus, keys, links and events', () => {
    const inMenus = Object.values(contributes.menus).flatMap((items) => items.map(({ command }) => command));
    const inKeys = (contributes.keybindings ?? []).map(({ command }) => command);
    const inLinks = [...Object.values(sentences), ...strings(contributes)]
      .flatMap((text) => [...text.matchAll(/command:([\w.]+)/g)])
      .map(([, id]) => id);
    const inEvents = strings(contributes.walkthroughs)
      .filter((text) => text.startsWith('onCommand:'))
      .map((text) => text.slice('onCommand:'.length));
    const named = [...inMenus, ...inKeys, ...inLinks, ...inEvents].filter((id) =>
      id?.startsWith('gpuRental.'),
    );
    assert.deepEqual(
      named.filter((id) => !known.has(id ?? '')),
      [],
    );
  });

  it('contributes exactly the views that the code knows', () => {
    const ids = Object.values(contributes.views).flatMap((views) => views.map(({ id }) => id));
    assert.deepEqual(ids.sort(), [...viewIds].sort());
    for (const { view } of contributes.viewsWelcome) {
      assert.ok(ids.includes(view), view);
    }
  });

  it('uses only known context keys in its conditions', () => {
    const keys = new Set<string>([
      ...Object.keys(contextKeyDefaults),
      ...Object.keys(settingDefaults),
      ...viewIds,
    ]);
    const used = conditions(contributes)
      .flatMap((text) => [...text.matchAll(/\b(?:config\.)?(gpuRental\.[\w.]+)/g)])
      .map(([, word]) => word ?? '');
    assert.deepEqual(
      [...new Set(used)].filter((word) => !keys.has(word)),
      [],
    );
  });

  it('compares `viewItem` only with words that some tree writes', () => {
    const trees = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => read(path.join('src', file)))
      .filter((text) => /contextValue/i.test(text))
      .join('\n');
    const words = conditions(contributes)
      .flatMap((text) => [...text.matchAll(/viewItem (?:==|=~) ?(\/(?:[^/\\]|\\.)*\/|'[^']*'|\w+)/g)])
      .flatMap(([, pattern]) => (pattern ?? '').replaceAll(/\\[a-zA-Z]/g, ' ').match(/\w+/g) ?? []);
    assert.deepEqual(
      [...new Set(words)].filter((word) => !new RegExp(`\\b${word}\\b`).test(trees)),
      [],
    );
  });

  it('declares exactly the settings of the code, with the same defaults, for the user alone', () => {
    const declared = Object.assign(
      {},
      ...contributes.configuration.map(({ properties }) => properties),
    ) as Record<string, { default: unknown; scope?: string; enum?: unknown[] }>;
    assert.deepEqual(
      Object.fromEntries(Object.entries(declared).map(([id, setting]) => [id, setting.default])),
      settingDefaults,
    );
    for (const [id, setting] of Object.entries(declared)) {
      assert.equal(setting.scope, 'application', id);
      if (setting.enum !== undefined) {
        assert.ok(setting.enum.includes(setting.default), id);
      }
    }
  });

  it('reads every visible sentence from package.nls.json, and uses all of them', () => {
    const used = strings(JSON.parse(read('package.json')))
      .flatMap((text) => [...(/^%(.+)%$/.exec(text)?.slice(1) ?? [])])
      .sort();
    assert.deepEqual([...new Set(used)], Object.keys(sentences).sort());
  });

  it('points to pictures that exist', () => {
    const files = [
      manifest.icon,
      ...strings(contributes).filter((text) => /^\.?\/?media\//.test(text)),
      ...contributes.walkthroughs.flatMap(({ steps }) =>
        steps.map(({ media }) => media.svg ?? media.image ?? media.markdown ?? 'no picture'),
      ),
    ];
    assert.deepEqual(
      files.filter((file) => !existsSync(path.join(root, file))),
      [],
    );
  });

  it('gives each view an icon of its own, which is shown where its name does not fit', () => {
    const icons = Object.values(contributes.views).flatMap((views) => views.map(({ icon }) => icon));
    assert.ok(icons.every((icon) => icon !== undefined));
    assert.equal(new Set(icons).size, icons.length);
  });

  it('offers each button of a row in the menu of that row as well, for the keyboard', () => {
    const items = contributes.menus['view/item/context'] ?? [];
    const row = ({ when: text = '' }: { when?: string | undefined }) =>
      /viewItem =~ \S+/.exec(text)?.[0] ?? text;
    const isInline = ({ group = '' }: { group?: string | undefined }) => group.startsWith('inline');
    const lastFlag = /\w+(?=;\/$)/;
    const covers = (wide: string, narrow: string) =>
      wide === narrow || wide.includes(lastFlag.exec(narrow)?.[0] ?? narrow);
    assert.deepEqual(
      items
        .filter(isInline)
        .filter(
          (button) =>
            !items.some(
              (item) => !isInline(item) && item.command === button.command && covers(row(item), row(button)),
            ),
        ),
      [],
    );
  });

  it('shows no entry twice in a menu', () => {
    for (const [menu, items] of Object.entries(contributes.menus)) {
      const shown = items
        .filter(({ group = '' }) => !group.startsWith('inline'))
        .map(({ command, submenu, when: text }) => `${command ?? submenu ?? ''} when ${text ?? ''}`);
      assert.deepEqual(
        shown.filter((entry, index) => shown.indexOf(entry) < index),
        [],
        menu,
      );
    }
  });

  it('names each setting and its default in the README', () => {
    const rows = [...read('README.md').matchAll(/^\| `(gpuRental\.[\w.]+)` +\| (\S+)/gm)].map(
      ([, id, value = '']) => [id, value.replaceAll('`', '')],
    );
    assert.deepEqual(
      Object.fromEntries(rows),
      Object.fromEntries(
        Object.entries(settingDefaults).map(([id, value]) => [
          id,
          value === '' ? 'empty' : typeof value === 'object' ? JSON.stringify(value) : String(value),
        ]),
      ),
    );
  });

  it('keeps the menu of each row short: entries, submenus and icons', () => {
    const can = 'canReboot;canDestroy;canConnect;canReplace;canRunCommand;canChangeBid';
    const rows: readonly (readonly [view: string, viewItem: string])[] = [
      ['instances', `;instance;canStop;${can};`],
      ['instances', ';instance;canStart;canDestroy;canRunCommand;canChangeBid;'],
      ['instances', ';port;canOpen;forwarded;'],
      ['instances', ';port;canOpen;'],
      ['instances', ';kernel;'],
      ['instances', ';model;'],
      ['instances', ';past;'],
      ['instances', ';volume;'],
      ['instances', ';instanceKeys;'],
      ['jobs', ';job;canStop;canExtend;canRetry;canFetch;hasOutputs;canKeep;canRelease;'],
      ['jobs', ';job;canFetch;hasOutputs;isOver;canRelease;'],
      ['jobs', ';jobs;finished;'],
      ['templates', ';template;mine;plain;'],
      ['templates', ';template;favourite;'],
      ['sshKeys', ';sshKey;deletable;'],
      ['account', ';user;'],
      ['account', ';keyInUse;'],
      ['account', ';secret;'],
      ['account', ';secrets;'],
      ['account', ';secondFactor;'],
      ['account', ';secondFactorMethod;'],
      ['account', ';canStopDeployment;'],
      ['hosting', ';machine;'],
    ];
    const counts = rows.map(([view, viewItem]) => {
      const items = (contributes.menus['view/item/context'] ?? []).filter(({ when: text = '' }) => {
        const [, item = ''] = /viewItem =~ \/(\S+)\//.exec(text) ?? [];
        const isHere = new RegExp(`view == gpuRental\\.${view}\\b`).test(text);
        return isHere && new RegExp(item).test(viewItem) && !/(?<!!)listMulti/.test(text);
      });
      const entries = items.filter(({ group = '' }) => !group.startsWith('inline'));
      const submenus = entries.filter(({ submenu }) => submenu).length;
      return {
        row: `${view} ${viewItem}`,
        icons: items.length - entries.length,
        entries: entries.length,
        submenus,
      };
    });
    assert.deepEqual(
      counts.filter(
        ({ icons, entries, submenus }) => icons > 2 || entries === 0 || entries > 11 || submenus > 4,
      ),
      [],
    );
  });

  it('keeps the title of each view short, and each submenu', () => {
    const titles = contributes.menus['view/title'] ?? [];
    for (const view of viewIds) {
      const own = titles.filter(({ when: text = '' }) => new RegExp(`view == ${view}( |$)`).test(text));
      const icons = own.filter(({ group = '' }) => group.startsWith('navigation'));
      assert.ok(own.length > 0 && icons.length <= 2 && own.length <= 10, `${view}: ${icons.length} icons`);
    }
    for (const { id } of contributes.submenus) {
      assert.ok((contributes.menus[id] ?? []).length <= 10, id);
    }
  });

  it('keeps the palette of a renter short', () => {
    const conditions = new Map(
      contributes.menus['commandPalette']?.map(({ command, when: text = '' }) => [command, text]),
    );
    // What shows only while hosting, or while such a document is in front, is not offered to a renter.
    const shown = contributes.commands.filter(
      ({ command }) => !/^false$|gpuRental\.hosting|resourceFilename/.test(conditions.get(command) ?? ''),
    );
    assert.ok(shown.length <= 75, `${shown.length} commands in the palette`);
    // Their rows are missing while there are no jobs, or for a key that may not list them.
    for (const id of ['secret.delete', 'teamRole.show', 'deployment.stop', 'deployment.start']) {
      assert.notEqual(conditions.get(`gpuRental.${id}`), 'false', id);
    }
  });

  it('has a place for each submenu, and the other way round', () => {
    const placed = Object.values(contributes.menus).flatMap((items) =>
      items.flatMap(({ submenu }) => submenu ?? []),
    );
    assert.deepEqual(placed.sort(), contributes.submenus.map(({ id }) => id).sort());
    for (const id of placed) {
      assert.ok(contributes.menus[id]?.length, id);
    }
  });

  it('names the groups of the menu of remote windows as the editor wants them, or it leaves them out', () => {
    for (const { group } of contributes.menus['statusBar/remoteIndicator'] ?? []) {
      assert.match(group ?? '', /^remote_\d\d_[a-z]+_\w+@\d$/);
    }
  });

  it('keeps the walkthrough short', () => {
    for (const { steps } of contributes.walkthroughs) {
      assert.ok(steps.length <= 6, `${String(steps.length)} steps`);
      assert.equal(new Set(steps.map(({ id }) => id)).size, steps.length);
    }
  });

  it('offers files of the browser-hosted editor where it offers files of this computer', () => {
    const ofFiles = conditions(contributes).filter((text) => /resourceScheme == file\b/.test(text));
    assert.ok(ofFiles.length > 0);
    assert.deepEqual(
      ofFiles.filter(
        (text) => !text.includes('(resourceScheme == file || isWeb && resourceScheme == vscode-remote)'),
      ),
      [],
    );
  });

  it('offers no command in the palette of the demo that no menu offers there', () => {
    const { commandPalette = [], ...others } = contributes.menus;
    const places = Object.values(others).flat();
    const isOffered = ({ when: text = '' }: { when?: string | undefined }) =>
      !text.includes('!gpuRental.demo');
    const inDemo = commandPalette.filter(isOffered).filter(({ command }) => {
      const inMenus = places.filter((place) => place.command === command);
      return inMenus.length > 0 && !inMenus.some(isOffered);
    });
    assert.deepEqual(inDemo, []);
  });

  it('does not offer a command in the palette that needs a row of a tree', () => {
    const hidden = new Set(
      (contributes.menus['commandPalette'] ?? [])
        .filter((item) => item.when === 'false')
        .map(({ command }) => command),
    );
    const onlyInRows = (contributes.menus['view/item/context'] ?? []).flatMap(({ command }) => command ?? []);
    // A command in a row's menu either asks which one is meant, and is restricted by state, or is hidden.
    const listed = new Set((contributes.menus['commandPalette'] ?? []).map(({ command }) => command));
    assert.deepEqual(
      [...new Set(onlyInRows)].filter((id) => !hidden.has(id) && !listed.has(id)),
      [],
    );
  });
});
