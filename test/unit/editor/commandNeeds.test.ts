import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { contextKeyDefaults } from '../../../src/contributions';
import { commandNeeds } from '../../../src/editor/commandNeeds';
import type { PermissionCategory } from '../../../src/model/accounts/apiKey';

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
  .parse(JSON.parse(readFileSync(path.resolve(__dirname, '../../../package.json'), 'utf8')));

const needs = new Map<string, readonly PermissionCategory[]>(Object.entries(commandNeeds));

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
      assert.ok(commandNeeds[id]?.includes('instance_write'), id);
    }
  });
});
