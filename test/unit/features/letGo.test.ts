import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type * as app from '../../../src/app';
import { commandSpecs } from '../../../src/commandSpecs';
import { viewIds } from '../../../src/contributions';
import type * as creation from '../../../src/createServices';
import type * as fileSystem from '../../../src/editor/lazyFileSystem';
import type * as tree from '../../../src/editor/lazyTree';
import type * as later from '../../../src/laterFeatures';
import type { Services } from '../../../src/services';
import type { Shell } from '../../../src/shell';
import { DisposableStore } from '../../../src/util/disposable';
import { startWings, type LaterWing, type Wing } from '../../../src/wing';
import type * as composition from '../../../src/wings';
import { FakeClock } from '../../support/fakeClock';
import { FakeEventEmitter } from '../../support/fakeEditor/events';
import { manifest, repository } from '../../support/fakeEditor/manifest';
import { loadSource } from '../../support/fakeEditor/product';
import { Screen } from '../../support/fakeEditor/screen';
import { UserSettings } from '../../support/fakeEditor/settings';
import { FakeUri } from '../../support/fakeEditor/values';
import { createVscode, type WindowNature } from '../../support/fakeEditor/vscodeModule';
import { removeFolder } from '../../support/removeFolder';

/** The size of a list, set or map that something holds, read again each time. */
interface Holding {
  readonly place: string;
  readonly size: () => number;
}

/** A map of sets holds what is in the sets. */
function sizeOf(held: unknown): number | undefined {
  if (held instanceof Map) {
    return [...held.values()].reduce((sum: number, one) => sum + (sizeOf(one) ?? 1), 0);
  }
  return held instanceof Set ? held.size : Array.isArray(held) ? held.length : undefined;
}

/** State, not offers: conditions of menus, windows that were told of, and answers that others are asked for. */
const states = ['services contextKeys current', 'services jobs watched watchedBy', 'services hub waiting'];

/** Everything that is held by count below `root`: listeners of events, handlers, providers, timers. */
function holdingsOf(root: object): readonly Holding[] {
  const found: Holding[] = [];
  const seen = new Set<unknown>();
  // The shortest way to a place names it.
  const left: { readonly value: unknown; readonly place: string }[] = [{ value: root, place: '' }];
  for (let next = left.shift(); next; next = left.shift()) {
    const { value, place } = next;
    if (typeof value !== 'object' || value === null || seen.has(value)) {
      continue;
    }
    seen.add(value);
    if (value instanceof Set || value instanceof Map) {
      for (const one of value.values()) {
        left.push({ value: one, place });
      }
    }
    for (const [name, { value: part }] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
      const below = Array.isArray(value) ? place : `${place} ${name}`;
      if (sizeOf(part) !== undefined) {
        found.push({ place: below, size: () => sizeOf(Reflect.get(value, name)) ?? 0 });
      }
      left.push({ value: part, place: below });
    }
  }
  return found;
}

/** The names of the features in the order of their lists. */
function namesIn(file: string): readonly string[] {
  const text = readFileSync(path.join(repository, 'src', file), 'utf8');
  return [...text.matchAll(/^  register(\w+),$/gm)].map(([, name]) => name ?? '');
}

const wingOf = async (line: Wing | LaterWing) => ('start' in line ? line : line.load());

describe('A feature that ends', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gr-let-go-'));
  const screen = new Screen({ isFocused: true });
  const settings = new UserSettings({});
  const clock = new FakeClock();
  const subscriptions: { dispose(): unknown }[] = [];
  const nature = {
    ...{ folders: [folder], isTrusted: true, remoteName: undefined, uiKind: 1 },
    ...{ appName: 'Visual Studio Code', extensions: [], hasTools: true },
  } as unknown as WindowNature;
  const own = { vscode: createVscode(screen, { settings, clipboard: { text: '' } }, { current: nature }) };
  const memento = {
    keys: () => [],
    get: (_key: string, otherwise: unknown) => otherwise,
    update: () => Promise.resolve(),
  };
  let core: Services;
  let services: Services;

  before(async () => {
    const { LazyTree } = loadSource('src/editor/lazyTree.ts', own) as typeof tree;
    const { LazyFileSystem } = loadSource('src/editor/lazyFileSystem.ts', own) as typeof fileSystem;
    const { createServices } = loadSource('src/createServices.ts', own) as typeof creation;
    const load = () => Promise.resolve();
    const shell = {
      trees: Object.fromEntries(viewIds.map((id) => [id, new LazyTree(id, load)])),
      templateFiles: new LazyFileSystem(load),
      machineFiles: new LazyFileSystem(load),
      fileDrops: { setFeature: () => undefined },
      links: { handle: undefined },
      chat: { call: undefined },
      accountsMenu: { show: () => undefined },
      otherExtensions: { answers: undefined, instancesChanged: { fire: () => undefined } },
    } as unknown as Shell;
    const context = {
      ...{ subscriptions, globalState: memento, workspaceState: memento, extensionMode: 1 },
      ...{ globalStorageUri: FakeUri.file(folder), extensionUri: FakeUri.file(repository) },
      secrets: { get: () => Promise.resolve(undefined), onDidChange: new FakeEventEmitter<unknown>().event },
      extension: { id: 'gpu-rental.gpu-rental', extensionKind: 1, packageJSON: manifest },
    };
    services = await createServices(context as never, shell, clock);
    core = services;
    for (const wing of wings) {
      const one = await wingOf(wing);
      services = { ...services, ...one.start(services, (item) => (subscriptions.push(item), item)) };
    }
  });

  after(async () => {
    for (const one of subscriptions.splice(0).reverse()) {
      one.dispose();
    }
    await removeFolder(folder);
  });

  const { features } = loadSource('src/app.ts', own) as typeof app;
  const { laterFeatures } = loadSource('src/laterFeatures.ts', own) as typeof later;
  const { wings } = loadSource('src/wings.ts', own) as typeof composition;
  const all = [
    ...features,
    ...laterFeatures,
    ...wings.map((line) => async (deps: Services) => {
      const store = new DisposableStore();
      (await wingOf(line)).start(deps, (one) => store.add(one));
      return store;
    }),
  ];
  for (const [index, name] of [
    ...[...namesIn('app.ts'), ...namesIn('laterFeatures.ts')],
    ...wings.map(({ name }) => name),
  ].entries()) {
    it(`keeps nothing of what it listens to or offers: ${name}`, async () => {
      const holdings = holdingsOf({ services, screen, settings, clock });
      const before = holdings.map(({ size }) => size());
      (await all[index]?.(services))?.dispose();
      const kept = holdings.filter(({ size }, place) => size() > (before[place] ?? 0));
      assert.deepEqual(
        kept.map(({ place }) => place.trim()).filter((place) => !states.includes(place)),
        [],
      );
    });
  }

  for (const { name } of wings) {
    it(`may be a wing without which the others start: ${name}`, () => {
      const store = new DisposableStore();
      const registered = new Set<string>();
      const later = (isOne: (feature: string) => boolean) =>
        Object.entries(commandSpecs).flatMap(([id, { feature }]) => (isOne(feature) ? id : []));
      const added = (...ids: readonly string[]) => ({
        dispose: () => ids.forEach((id) => registered.add(id)),
      });
      const commands = {
        register: (id: string) => added(id),
        registerLater: (isOne: (feature: string) => boolean) => added(...later(isOne)),
      };
      startWings(
        wings.filter((wing) => wing.name !== name),
        { ...core, commands: commands as unknown as Services['commands'] },
        (one) => store.add(one),
      );
      store.dispose();
      const lacks = ({ name: one, needs = [] }: (typeof wings)[number]): boolean =>
        one === name || wings.some((other) => needs.includes(other.name) && lacks(other));
      const without = wings.filter(lacks);
      const isThere = ({ feature }: { readonly feature: string }) =>
        !without.some((wing) => wing.name === feature) && wings.some((wing) => wing.name === feature);
      assert.deepEqual(
        [...registered].sort(),
        Object.entries(commandSpecs)
          .flatMap(([id, one]) => (isThere(one) ? id : []))
          .sort(),
      );
    });
  }

  it('is one of those of this table', () => {
    const files = readdirSync(path.join(repository, 'src'), { recursive: true, encoding: 'utf8' });
    const registered = files.filter((file) => /^(?:features\/\w+\/index|\w+\/wing)\.ts$/.test(file));
    assert.equal(all.length, registered.length);
  });
});
