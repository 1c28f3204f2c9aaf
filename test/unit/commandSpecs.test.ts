import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { commandSpecs, ownIds, type AnyCommandId } from '../../src/commandSpecs';
import { contextKeyDefaults } from '../../src/contributions';
import type { PermissionCategory } from '../../src/model/accounts/apiKey';
import { readArguments } from '../../src/readArguments';

const manifest = z
  .looseObject({
    contributes: z.looseObject({
      menus: z.record(
        z.string(),
        z.array(
          z.looseObject({
            // Not of an entry that leads to further ones.
            command: z.string().default(''),
            when: z.string().optional(),
            group: z.string().optional(),
          }),
        ),
      ),
    }),
  })
  .parse(JSON.parse(readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8')));

const specs = Object.entries(commandSpecs);
const needs = new Map<string, readonly PermissionCategory[]>(
  specs.map(([id, { needs: categories = [] }]) => [id, categories]),
);

describe('the table of commands', () => {
  it('has those that other extensions may call, with what they accept', () => {
    const page = readFileSync(path.resolve(__dirname, '../../docs/extension-interface.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(gpuRental\.[\w.]+)` +\| (`\{ instanceId \}`)? *\|$/gm)];
    assert.ok(rows.length >= 10);
    for (const [, id = '', takes] of rows) {
      assert.ok(id in commandSpecs && !ownIds.has(id), id);
      const given = takes === undefined ? [] : [{ instanceId: 7 }];
      assert.deepEqual(readArguments(id as AnyCommandId, given).slice(0, given.length), given, id);
    }
  });

  it('names the feature that handles each command', () => {
    const source = (feature: string) => {
      const places = [`../../src/features/${feature}`, `../../src/${feature}/ui`];
      const folder = places.map((place) => path.resolve(__dirname, place)).find(existsSync) ?? '';
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(path.join(folder, file), 'utf8'))
        .join('\n');
    };
    const sources = new Map(
      [...new Set(specs.map(([, { feature }]) => feature))].map((one) => [one, source(one)]),
    );
    assert.deepEqual(
      specs.filter(
        ([id, { feature }]) =>
          !new RegExp(`\\b(?:register|many|on)\\(\\s*'${id.replaceAll('.', '\\.')}'`).test(
            sources.get(feature) ?? '',
          ),
      ),
      [],
    );
  });

  it('checks the arguments of each command that the editor knows, and passes those of our own unchanged', () => {
    const draft = { title: 'Search', offer: { id: 7 } };
    assert.deepEqual(readArguments('gpuRental.rentOffer', [draft]), [draft]);
    assert.deepEqual(readArguments('gpuRental.signIn', [draft]), []);
    assert.deepEqual(
      specs.filter(([id, { args }]) => ownIds.has(id) && args).map(([id]) => id),
      [],
    );
  });

  it('accepts plain data, and rows with more than that', () => {
    const row = { instanceId: 7, label: 'trainer' };
    const volume = { volumeId: 3 };
    assert.deepEqual(readArguments('gpuRental.instance.stop', []), [undefined, undefined]);
    assert.deepEqual(readArguments('gpuRental.instance.stop', [row, [row, volume]]), [
      { instanceId: 7 },
      [{ instanceId: 7 }],
    ]);
  });

  it('treats the row of something else as none', () => {
    for (const given of [null, 7, 'text', [], {}, { volumeId: 3 }]) {
      assert.deepEqual(readArguments('gpuRental.instance.stop', [given, given]).at(0), undefined);
    }
  });

  it('reads the documents that menus of the editor pass', () => {
    const uri = {
      ...{ scheme: 'gpurental', authority: 'templates', path: '/12/My.json' },
      toString: () => 'gpurental://templates/12/My.json',
    };
    assert.deepEqual(readArguments('gpuRental.template.merge', [uri]), [{ templateId: 12 }]);
    assert.deepEqual(readArguments('gpuRental.template.import', [uri]), [{ uri: uri.toString() }]);
  });

  it('names the field that is wrong', () => {
    const wrong: readonly (readonly [AnyCommandId, readonly unknown[], string])[] = [
      ['gpuRental.instance.stop', [{ instanceId: Number.NaN }], 'instanceId'],
      ['gpuRental.port.open', [{ instanceId: 1, port: '80', via: 'public' }], 'port'],
      ['gpuRental.followElsewhere', [{ instanceId: 1 }], 'follows'],
      ['gpuRental.instance.reveal', [], '1'],
    ];
    for (const [id, given, field] of wrong) {
      assert.throws(
        () => readArguments(id, given),
        new RegExp(`Could not run ${id}: the value of its argument ${field} is not valid`),
      );
    }
  });
});

describe('what commands need of a key', () => {
  it('hides the icon of each command that the key is known not to be enough for', () => {
    const icons = Object.entries(manifest.contributes.menus)
      .filter(([menu]) => menu === 'view/title' || menu === 'view/item/context')
      .flatMap(([, items]) => items)
      .filter(({ group }) => /^(?:inline|navigation)/.test(group ?? ''));
    const shown = icons.flatMap(({ command, when }) =>
      (needs.get(command) ?? [])
        .map((category) => `gpuRental.lacks.${category}`)
        .filter((key) => key in contextKeyDefaults && !when?.includes(`!${key}`))
        .map((key) => `${command} ${key}`),
    );
    assert.ok(icons.length > 20);
    assert.deepEqual(shown, []);
  });

  it('asks for the right to change instances before every rental', () => {
    for (const id of [
      'gpuRental.ensureSshKey',
      'gpuRental.rentForWorkspace',
      'gpuRental.rentFromTemplate',
    ] as const) {
      assert.ok(commandSpecs[id].needs?.includes('instance_write'), id);
    }
  });
});
